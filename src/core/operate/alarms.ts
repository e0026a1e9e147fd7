// What the core's ledger tells of alarms: participants that are not registered as they should be, and an access point that takes nothing.

import type { Ledger } from '#core/ledger/schema.ts';
import { selectOverdue } from '#core/ledger/transmission-list.ts';
import { selectDiffering } from '#core/ledger/watched.ts';
import type { Alarm, AlarmKind, Watcher } from '#domain/alarm.ts';
import { counted } from '#domain/amounts.ts';
import { isoTime } from '#domain/day.ts';
import type { Clock } from '#runtime/clock.ts';

const KINDS: readonly AlarmKind[] = ['registration', 'access-point-silent'];

const DIFFERENCES_MAX = 1_000;
/** The access point, or the way to it, has failed for so long. */
const OVERDUE_MS = 60 * 60_000;
/** A core that lives asks each minute. */
const SILENT_MS = 5 * 60_000;

interface Parts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Participants are looked up: where they are not, what once differed stays in the ledger, and no look would end its alarm. */
  readonly isWatched: boolean;
}

/** What the cores of a ledger tell once between them. `alarms`: null where another core tells it. */
export function coreWatcher({ alarms }: { readonly alarms: () => Promise<readonly Alarm[] | null> }): Watcher {
  return {
    kinds: KINDS,
    async look() {
      const stands = await alarms();
      return stands ? { stands } : { stands: [], isElsewhere: () => true };
    },
  };
}

/** Null where another core of the ledger has been there for longer: it tells what all of them read. */
export async function coreAlarms({ ledger, clock, isWatched }: Parts): Promise<Alarm[] | null> {
  if (!(await ledger.isFirst(SILENT_MS))) return null;
  const { read } = ledger;
  const differing = isWatched ? await selectDiffering(read, { accountRegNo: null, limit: DIFFERENCES_MAX }) : [];
  const participants = [...Map.groupBy(differing, ({ participant }) => participant)].map(([subject, some]): Alarm => {
    const all = some.map(({ what, detail }) => (detail ? `${what} (${detail})` : what)).join(', ');
    return { kind: 'registration', subject, sentence: `account ${some[0]?.accountRegNo}: ${all}; 'dropgate network check' tells more.` };
  });
  const { count, oldestAt, reason } = await selectOverdue(read, clock.now() - OVERDUE_MS);
  if (count === 0 || oldestAt === null) return participants;
  const sentence = `${counted(count, 'document waits', 'documents wait')} for it to take them, the oldest since ${isoTime(oldestAt)}${reason ? `: ${reason}` : ''}; 'dropgate transmission list' shows them.`;
  return [...participants, { kind: 'access-point-silent', subject: '', sentence }];
}
