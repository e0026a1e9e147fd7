// The hand-over into our custody: bytes fsynced, renamed into the account's spool, then folder fsync and ledger row side by side.
// When it resolves, the file is safe and owed; when it throws, neither file nor row is left.
import { existsSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '#domain/error.ts';
import type { Queue } from '#engines/queue.ts';
import type { Clock } from '#runtime/clock.ts';
import type { FolderSync } from '#runtime/files.ts';
import type { Log } from '#runtime/log.ts';
import { discard, spoolFolder } from './home.ts';
import type { ByteName } from './intake.ts';
import { deleteItem, insertItem, type NewItem } from './ledger/items.ts';
import type { Ledger, SubmitMode } from './ledger/schema.ts';
import { originalName } from './names.ts';
import { digestFile, spoolName, syncBytes } from './spool.ts';

export interface TakeParts {
  readonly data: string;
  readonly ledger: Ledger;
  readonly folders: FolderSync;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly log: Log;
}

export interface Complete {
  readonly home: string;
  /** Null when it came by folder. */
  readonly login: string | null;
  readonly name: ByteName;
  readonly mode: SubmitMode;
  /** The item that it sends again. */
  readonly resends?: string;
  /** The service may have the document: it is looked for first. */
  readonly doubtful?: boolean;
  /** Where the bytes lie now: on the spool's file system, and in nobody's hands. */
  readonly path: string;
  readonly size: number;
  /** Null: not known yet, the file is read for it. */
  readonly sha256: string | null;
  /** What a failure does with the bytes: an upload is gone (the client was told so), a file from a folder goes back to where it lay. */
  readonly onFailure: 'discard' | 'give-back';
}

/** Makes a complete file an item. Throws `storage`. */
export async function takeFile(parts: TakeParts, file: Complete): Promise<{ item: string; path: string }> {
  const { data, ledger, folders, queue, clock, newId, log } = parts;
  const receivedAt = clock.now();
  const item = newId();
  const { home, login, name: fileName, mode, size } = file;
  const spooled = spoolName({ item, mode, name: fileName });
  const path = join(spoolFolder(data, home), spooled);
  try {
    const [sha256] = await Promise.all([file.sha256 ?? digestFile(file.path), syncBytes(file.path)]);
    renameSync(file.path, path);
    // In a home of several accounts its sender will tell whose it is.
    const row: NewItem = {
      item,
      accountRegNo: home,
      home,
      login,
      fileName,
      spoolName: spooled,
      mode,
      sha256,
      size,
      receivedAt,
      recovered: file.doubtful === true,
      resends: file.resends ?? null,
    };
    await bothOrNeither(
      folders.sync(spoolFolder(data, home)),
      ledger.write((rows) => insertItem(rows, row)),
    );
  } catch (error) {
    log.error({ event: 'spool.failed', item, home, err: error });
    undoFile(item, path, file);
    await ledger
      .write((rows) => deleteItem(rows, item))
      .catch((failed: unknown) => log.error({ event: 'spool.undo-failed', item, err: failed }));
    throw new AppError('storage', 'the file could not be stored safely, and nothing was kept of it; send it again later', { cause: error });
  }
  log.info({ event: 'spool.taken', item, home, login, size });
  queue.ring('submit', item);
  return { item, path };
}

function undoFile(item: string, path: string, file: Complete): void {
  if (file.onFailure === 'discard') {
    discard(path);
    discard(file.path);
  } else if (existsSync(path)) {
    // Another file may have its name by now.
    const back = existsSync(file.path) ? join(dirname(file.path), originalName(file.name, item)) : file.path;
    renameSync(path, back);
  }
}

/** Waits for both even when one fails, so that nothing is still under way when the failure is cleaned up. */
export async function bothOrNeither(...works: Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}
