// At start, and by command: ledger and spool are brought together. A file without a row is adopted as pending, with an earlier
// attempt assumed; a row without a file was never acknowledged, and is cancelled.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Queue } from '#engines/queue.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { finishItem, insertItem, readItem, readPending, voidLeases } from './ledger/items.ts';
import type { Ledger } from './ledger/schema.ts';
import { digestFile, readSpool, type SpoolFile, spooledPath } from './spool.ts';

export interface RecoverParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  readonly owner: string;
}

export interface Recovered {
  readonly adopted: number;
  readonly cancelled: number;
}

/** Brings both together and rings for everything that is pending, oldest first. */
export async function recoverSpool(parts: RecoverParts): Promise<Recovered> {
  const { data, ledger, queue, clock, log, owner } = parts;
  await ledger.write((rows) => voidLeases(rows, owner));
  const files = readSpool(data);
  let adopted = 0;
  for (const file of files) if (await adopt(file)) adopted++;

  const spooled = new Set(files.map((file) => file.item));
  let cancelled = 0;
  for (const item of await readPending(ledger.read)) {
    if (spooled.has(item.item)) {
      queue.ring('submit', item.item, item.nextAttemptAt);
      continue;
    }
    cancelled++;
    log.error({ event: 'recover.no-file', item: item.item, accountRegNo: item.accountRegNo, file: spooledPath(item) });
    const reason = 'its file is not in the spool: it was never acknowledged';
    await ledger.write((rows) =>
      finishItem(rows, item.item, {
        state: 'cancelled',
        integrationId: null,
        duplicateOf: null,
        reason,
        endedAt: clock.now(),
      }),
    );
  }
  if (adopted + cancelled > 0) log.warn({ event: 'recover.done', adopted, cancelled });
  return { adopted, cancelled };

  async function adopt(file: SpoolFile): Promise<boolean> {
    if (await readItem(ledger.read, file.item)) return false;
    const path = join(data, spooledPath(file));
    const [{ size, mtimeMs }, sha256] = [statSync(path), await digestFile(path)];
    const { item, home, name: fileName, spoolName, mode } = file;
    const receivedAt = Math.min(Math.round(mtimeMs), clock.now());
    await ledger.write((rows) =>
      insertItem(rows, {
        item,
        accountRegNo: home,
        home,
        login: null,
        fileName,
        spoolName,
        mode,
        sha256,
        size,
        receivedAt,
        recovered: true,
      }),
    );
    log.warn({ event: 'recover.adopted', item, home });
    return true;
  }
}
