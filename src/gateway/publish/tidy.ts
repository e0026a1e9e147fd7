// What a home keeps, and for how long: originals and receipts go when their time is over. The outbox is the ERP's; nothing is ever
// removed from it here.

import { homeFolder } from '#gateway/disk/paths.ts';
import type { PublicationFolder } from '#gateway/ledger/tables/sending.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Keeping } from '#gateway/model/keeping.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { inFolder, type SafeFolder } from '#runtime/files/safe-folder.ts';
import type { Log } from '#runtime/log.ts';
import { removeOld } from './old-file.ts';

const TIDY_EVERY_MS = 60 * 60_000;

export interface TidyParts {
  readonly data: string;
  readonly homes: () => readonly string[];
  readonly inHand: Pick<HomesInHand, 'run' | 'check'>;
  /** Read once for a round. */
  readonly periods: () => Promise<{ of(home: string): Keeping }>;
  readonly clock: Clock;
  readonly log: Log;
}

const KEPT: readonly { folder: Exclude<PublicationFolder, 'outbox'>; by: 'accepted' | 'receipts' }[] = [
  { folder: 'accepted', by: 'accepted' },
  { folder: 'refused', by: 'receipts' },
  { folder: 'receipts', by: 'receipts' },
];

/** Tidies every hour. Dispose to stop. */
export function startTidying(parts: TidyParts): Disposable {
  const { clock, log } = parts;
  return every(
    clock,
    TIDY_EVERY_MS,
    () => tidy(parts),
    (error) => log.warn({ event: 'tidy.failed', err: error }),
  );
}

async function tidy(parts: TidyParts): Promise<void> {
  const periods = await parts.periods();
  for (const home of parts.homes()) await parts.inHand.run(home, () => tidyHome(parts, home, periods.of(home)));
}

async function tidyHome({ data, inHand, clock, log }: TidyParts, home: string, keeping: Keeping): Promise<void> {
  for (const { folder, by } of KEPT) {
    const beforeMs = clock.now() - keeping[by];
    const removed = await inFolder(homeFolder(data, home), [folder], (at) => removeOlder(at, beforeMs, inHand)).catch((error: unknown) => {
      log.warn({ event: 'tidy.failed', home, folder, err: error });
      return 0;
    });
    if (removed > 0) log.info({ event: 'tidy.removed', home, folder, removed });
  }
}

async function removeOlder(folder: SafeFolder, beforeMs: number, inHand: Pick<HomesInHand, 'check'>): Promise<number> {
  let removed = 0;
  for (const name of await folder.list()) {
    inHand.check();
    if (await removeOld(folder, name, beforeMs)) removed++;
  }
  return removed;
}
