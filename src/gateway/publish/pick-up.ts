// Looks after outboxes and archives every hour: documents that have lain longer than their account wants go, and those that are not picked up are logged, once a day;
// days of the archive that are over are closed, and old ones removed.

import { dayOf } from '#domain/day.ts';
import { closeDays, thinArchive } from '#gateway/archive/chain.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import type { Log } from '#runtime/log.ts';
import { removeOld } from './old-file.ts';
import { type OutboxRules, type Waiting, waitingIn } from './outbox.ts';

const LOOK_EVERY_MS = 60 * 60_000;

export interface PickupParts {
  readonly data: string;
  readonly homes: () => readonly string[];
  readonly inHand: Pick<HomesInHand, 'run'>;
  /** Accounts whose documents are archived, whatever home they have. */
  readonly accounts: () => readonly { readonly accountRegNo: string }[];
  readonly rules: (accountRegNo: string) => OutboxRules;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks every hour, and first when it starts. Dispose to stop. */
export function startPickup(parts: PickupParts): Disposable {
  const { clock, log } = parts;
  /** The day of the last alarm, by home. */
  const told = new Map<string, string>();
  const failed = (error: unknown): void => log.warn({ event: 'outbox.unseen', err: error });
  const look = async (): Promise<void> => {
    for (const home of parts.homes()) await parts.inHand.run(home, () => lookAfter(parts, home, told)).catch(failed);
    for (const { accountRegNo } of parts.accounts()) {
      await closeDays(parts, accountRegNo).catch(failed);
      await thinArchive(parts, accountRegNo).catch(failed);
    }
  };
  look().catch(failed);
  return every(clock, LOOK_EVERY_MS, look, failed);
}

async function lookAfter(parts: PickupParts, home: string, told: Map<string, string>): Promise<void> {
  const { clock, log } = parts;
  const { keepOutbox, pickup } = parts.rules(home);
  if (keepOutbox === 0 && pickup === 0) return;
  const isOlder = (ms: number) => (each: Waiting) => ms > 0 && each.sinceMs < clock.now() - ms;
  const late = await inFolder(homeFolder(parts.data, home), ['outbox'], async (outbox) => {
    const waiting = await waitingIn(outbox);
    const over = waiting.filter(isOlder(keepOutbox));
    let removed = 0;
    for (const { name } of over) if (await removeOld(outbox, name, clock.now() - keepOutbox)) removed++;
    if (removed > 0) log.info({ event: 'outbox.removed', home, removed });
    return waiting.slice(over.length).filter(isOlder(pickup));
  });
  const [oldest] = late;
  const today = dayOf(clock.now());
  if (!oldest || told.get(home) === today) return;
  told.set(home, today);
  log.error({ event: 'outbox.not-picked-up', home, documents: late.length, since: new Date(oldest.sinceMs).toISOString() });
}
