// Accounts that usually send and are silent: notes who has sent, and holds each against its rhythm (model/rhythm.ts).
import type { Alarm } from '#domain/alarm.ts';
import { counted } from '#domain/amounts.ts';
import { dayOf } from '#domain/day.ts';
import { readArrivals } from '#gateway/ledger/alarms.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Accounts } from '#gateway/model/account.ts';
import { HISTORY_DAYS, Rhythms } from '#gateway/model/rhythm.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Memory } from './memory.ts';

interface SilentParts {
  readonly ledger: Ledger;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly clock: Clock;
}

const DAY_MS = 86_400_000;
/** In a home of several accounts it is known a little later whose a document is. */
const DECIDED_MS = 15 * 60_000;

/** At the first look it learns from what the ledger has of the last quarter, day by day. */
export function silentAccounts({ ledger, accounts, clock }: SilentParts, memory: Memory): () => Promise<Alarm[]> {
  let rhythms: Rhythms | undefined;
  return async () => {
    const now = clock.now();
    const oldest = now - HISTORY_DAYS * DAY_MS;
    const { rhythms: kept, notedUntil = oldest } = memory.now;
    rhythms ??= kept ? new Rhythms(kept) : Rhythms.begin(oldest);
    for (let from = Math.max(notedUntil - DECIDED_MS, oldest); from < now; from = nextDay(from)) {
      const arrivals = await readArrivals(ledger.read, from, Math.min(nextDay(from), now));
      for (const { accountRegNo, at } of arrivals) if (accounts.find(accountRegNo)) rhythms.arrived(accountRegNo, at);
    }
    // Disabled ones, and those that are gone, need not send.
    rhythms.keep((accountRegNo) => accounts.find(accountRegNo) !== undefined);
    const silent = rhythms.silent(now);
    memory.note({ rhythms: rhythms.state, notedUntil: now });
    return silent.map(({ accountRegNo, sinceMs, missed }) => ({
      kind: 'account-silent',
      subject: accountRegNo,
      sentence: `it usually sends, and has sent nothing since before ${dayOf(sinceMs)}: ${counted(missed, 'usual day', 'usual days')} missed. Ask its people, and look at 'dropgate connections --failed'.`,
    }));
  };
}

function nextDay(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}
