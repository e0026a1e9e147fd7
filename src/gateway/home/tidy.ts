// What a home keeps, and for how long: originals and receipts go when their time is over. The outbox is the ERP's; nothing is ever
// removed from it here.
import { lstat, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { PublicationFolder } from '#gateway/ledger/schema.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { systemCode } from '#runtime/system-code.ts';
import { homeFolder } from './home.ts';

const TIDY_EVERY_MS = 60 * 60_000;

export interface TidySettings {
  /** Originals that the service took. */
  readonly keepAccepted: number;
  /** Receipts, and originals that were refused. */
  readonly keepReceipts: number;
}

export interface TidyParts {
  readonly data: string;
  readonly homes: () => readonly string[];
  readonly settings: TidySettings;
  readonly clock: Clock;
  readonly log: Log;
}

const KEPT: readonly { folder: Exclude<PublicationFolder, 'outbox'>; by: keyof TidySettings }[] = [
  { folder: 'accepted', by: 'keepAccepted' },
  { folder: 'refused', by: 'keepReceipts' },
  { folder: 'receipts', by: 'keepReceipts' },
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

async function tidy({ data, homes, settings, clock, log }: TidyParts): Promise<void> {
  for (const home of homes()) {
    for (const { folder, by } of KEPT) {
      const removed = await removeOlder(join(homeFolder(data, home), folder), clock.now() - settings[by]).catch((error: unknown) => {
        log.warn({ event: 'tidy.failed', home, folder, err: error });
        return 0;
      });
      if (removed > 0) log.info({ event: 'tidy.removed', home, folder, removed });
    }
  }
}

/** By the time at which the entry was put there (or last changed), not by that of the content, which clients set. */
async function removeOlder(folder: string, beforeMs: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder, { encoding: 'buffer' })) {
    const path = Buffer.concat([Buffer.from(`${folder}/`), name]);
    if (await removeOne(path, beforeMs)) removed++;
  }
  return removed;
}

/** False for one that is young enough, or has gone meanwhile: somebody took it, or sent it again. */
async function removeOne(path: Buffer, beforeMs: number): Promise<boolean> {
  try {
    const stat = await lstat(path);
    if (!stat.isFile() || stat.ctimeMs >= beforeMs) return false;
    await unlink(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
