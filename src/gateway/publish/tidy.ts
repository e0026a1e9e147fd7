// What a home keeps, and for how long: originals and receipts go when their time is over. Of the outbox pick-up.ts takes care.

import { homeFolder } from '#gateway/disk/paths.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Keeping } from '#gateway/model/keeping.ts';
import { every } from '#runtime/clock.ts';
import { inFolder } from '#runtime/files/safe-folder.ts';
import type { Log } from '#runtime/log.ts';
import { type ExpireParts, expire } from './expire.ts';
import { waitingIn } from './outbox.ts';

const TIDY_EVERY_MS = 60 * 60_000;

interface TidyParts extends ExpireParts {
  readonly data: string;
  readonly homes: () => readonly string[];
  readonly inHand: Pick<HomesInHand, 'run' | 'check'>;
  /** Read once for a round. */
  readonly periods: () => Promise<{ of(home: string): Keeping }>;
  readonly log: Log;
}

const KEPT = [
  { folder: 'accepted', by: 'accepted' },
  { folder: 'refused', by: 'receipts' },
  { folder: 'receipts', by: 'receipts' },
] as const;

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

async function tidyHome(parts: TidyParts, home: string, keeping: Keeping): Promise<void> {
  const { data, clock, log } = parts;
  for (const { folder, by } of KEPT) {
    const keepMs = keeping[by];
    const removed = await inFolder(homeFolder(data, home), [folder], async (at) => {
      const over = (await waitingIn(at)).filter(({ sinceMs }) => sinceMs < clock.now() - keepMs);
      return expire(
        parts,
        at,
        over.map(({ name }) => name),
        { home, folder, keepMs },
      );
    }).catch((error: unknown) => {
      log.warn({ event: 'tidy.failed', home, folder, err: error });
      return 0;
    });
    if (removed > 0) log.info({ event: 'tidy.removed', home, folder, removed });
  }
}
