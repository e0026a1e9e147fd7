// The hand-over into our custody: bytes fsynced, renamed into the account's spool, then folder fsync and ledger row side by side.
// When it resolves, the file is safe and owed; when it throws, neither file nor row is left.
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#domain/error.ts';
import { pipelined } from '#engines/pipelined.ts';
import type { Queue, Topic } from '#engines/queue.ts';
import { type Carried, carry, type FilePath, giveName, isThere, stillWritten } from '#gateway/disk/carry.ts';
import { discard, spoolFolder } from '#gateway/disk/paths.ts';
import { copyPath, spoolName, syncBytes } from '#gateway/disk/spool-files.ts';
import { deleteItem, insertItem, type NewItem } from '#gateway/ledger/items.ts';
import { leaveRing } from '#gateway/ledger/rings.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { ByteName, FoundFile } from '#gateway/model/intake.ts';
import type { SubmitMode } from '#gateway/model/item.ts';
import type { Measures } from '#gateway/model/measures.ts';
import type { Clock } from '#runtime/clock.ts';
import { allOrNone, digestFile, type FolderSync } from '#runtime/files/durable.ts';
import { renameOurs } from '#runtime/files/rename.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import type { Log } from '#runtime/log.ts';

export interface CustodyParts {
  readonly data: string;
  /** In whose folder what is copied on its way lies. */
  readonly incarnation: string;
  readonly ledger: Ledger;
  readonly folders: FolderSync;
  readonly inHand: Pick<HomesInHand, 'run' | 'check'>;
  readonly queue: Queue;
  /** Tells the node that owns the home of an item, at once, where it can. */
  readonly ringOwner?: ((home: string, topic: Topic, id: string) => boolean) | undefined;
  readonly measures?: Measures;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Complete {
  /** The id of the item that it becomes. */
  readonly item: string;
  readonly home: string;
  /** Null when it came by folder. */
  readonly login: string | null;
  readonly name: ByteName;
  readonly mode: SubmitMode;
  /** The item that it sends again. */
  readonly resends?: string;
  /** The service may have the document: it is looked for first. */
  readonly doubtful?: boolean;
  /** Where the bytes lie now: on the spool's file system and open nowhere else, unless `found` says otherwise. */
  readonly path: FilePath;
  /** It lies in a folder where others may still write to it; and the folder in which it waits when that is on another file system, if it may. */
  readonly found?: Pick<FoundFile, 'mtimeMs' | 'ino'> & { readonly waitsIn?: string };
  readonly size: number;
  /** When its first byte came by SFTP, as far as is known. */
  readonly begunAt?: number | undefined;
  /** Null: not known yet, the file is read for it. */
  readonly sha256: string | null;
  /** What a failure does with the bytes: an upload is gone (the client was told so), a file from a folder goes back to where it lay. */
  readonly onFailure: 'discard' | 'give-back';
  /** Written in one commit with the item's row. */
  readonly together?: (rows: Rows) => Promise<void>;
}

/**
 * Makes a complete file an item, and resolves with its path in the spool. Throws `storage`, and `in-flight` for a file from a folder that was
 * written meanwhile.
 */
export async function takeIntoCustody(parts: CustodyParts, file: Complete): Promise<string> {
  const { data, ledger, folders, clock, log } = parts;
  const receivedAt = clock.now();
  const { item, home, login, name: fileName, mode, size, begunAt } = file;
  const spooled = spoolName({ item, mode, name: fileName });
  const path = join(spoolFolder(data, home), spooled);
  let carried: Carried | null = null;
  try {
    const [sha256] = await Promise.all([file.sha256 ?? digestFile(file.path), syncBytes(file.path)]);
    parts.inHand.check();
    carried = await moveIn(parts, file, path, sha256);
    // In a home of several accounts its sender decides later whose it is.
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
      begunAt: begunAt ?? null,
      receivedAt,
      recovered: file.doubtful === true,
      resends: file.resends ?? null,
    };
    await owe(parts, row, carried ? undefined : folders.sync(spoolFolder(data, home)), file.together);
  } catch (error) {
    const isWritten = error instanceof AppError && error.code === 'in-flight';
    if (isWritten) log.info({ event: 'spool.still-written', item, home });
    else log.error({ event: 'spool.failed', item, home, login, file: nameText(fileName), size, err: error });
    if (carried) carried.undo();
    else undoMove(parts, path, file);
    if (isWritten) throw error;
    await ledger
      .write([], (rows) => deleteItem(rows, item))
      .catch((failed: unknown) => log.error({ event: 'spool.undo-failed', item, err: failed }));
    throw notStored(error);
  }
  parts.measures?.taken();
  log.info({ event: 'spool.taken', item, home, login, size });
  endCarriage(parts, item, carried);
  return path;
}

/**
 * Writes the row. Whoever takes the home up reads it, for the home is given up after it; where another has the home already, a ring that is written with
 * the row tells that one within a second, and another one through Redis at once; they come when the file is safe, for it may be sent at once.
 */
async function owe(
  { ledger, inHand, queue, ringOwner }: CustodyParts,
  row: NewItem,
  synced: Promise<void> | undefined,
  together: Complete['together'],
): Promise<void> {
  const { home, item: id } = row;
  const isOurs = await inHand.run(home, async () => {
    await allOrNone(
      synced,
      ledger.write([], async (rows) => {
        await pipelined(insertItem(rows, row), together?.(rows));
      }),
    );
    return true;
  });
  if (isOurs) return queue.ring('submit', id);
  await synced;
  await ledger.write([], async (rows) => {
    await pipelined(insertItem(rows, row), together?.(rows), leaveRing(rows, { home, topic: 'submit', id }));
  });
  // This node may be about to take it up.
  if (!ringOwner?.(home, 'submit', id)) queue.ring('submit', id);
}

export function notStored(cause: unknown): AppError {
  return new AppError('storage', 'the file could not be stored safely, and nothing was kept of it; send it again later', { cause });
}

/** Renames the file into the spool; from another file system it is carried. Throws `in-flight`. */
async function moveIn(
  { data, incarnation, folders, inHand }: CustodyParts,
  { item, path: from, name, size, found }: Complete,
  path: string,
  sha256: string,
): Promise<Carried | null> {
  const isSame = (at: FilePath): boolean => found === undefined || isStill(at, { ...found, size });
  try {
    renameOurs(from, path);
  } catch (error) {
    const waitsIn = found?.waitsIn;
    if (waitsIn === undefined || !isOtherFileSystem(error)) throw error;
    return carry({ folders, inHand }, { item, name, from, waitsIn, copy: copyPath(data, incarnation, item), to: path, sha256, isSame });
  }
  // A program that has it open may still write to it; only root could see that (/proc), and Node has no leases. What is written after this
  // shows in the digest before anything is sent.
  if (!isSame(path)) throw stillWritten();
  return null;
}

function isStill(path: FilePath, { size, mtimeMs, ino }: Pick<FoundFile, 'size' | 'mtimeMs' | 'ino'>): boolean {
  const now = lstatSync(path, { throwIfNoEntry: false });
  return now?.isFile() === true && now.nlink === 1 && now.size === size && now.mtimeMs === mtimeMs && now.ino === ino;
}

function isOtherFileSystem(error: unknown): boolean {
  return systemCode(error) === 'EXDEV';
}

/** The item is safe, whatever becomes of the file that it was copied from: a rest of it is reclaimed later. */
function endCarriage({ log }: CustodyParts, item: string, carried: Carried | null): void {
  try {
    carried?.end();
  } catch (error) {
    log.warn({ event: 'spool.left-behind', item, err: error });
  }
}

function undoMove({ inHand }: CustodyParts, path: string, file: Complete): void {
  // Another node that has the home by now may have adopted the file.
  inHand.check();
  if (file.onFailure === 'discard') {
    discard(path);
    discard(file.path);
  } else if (isThere(path)) {
    giveName(path, file.path, file.name, file.item);
  }
}
