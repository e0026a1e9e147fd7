// A file that is taken from another file system is copied, and only then removed. Until then it waits in its folder, under a name with its
// item's id, by which a start after a crash knows whether it is ours already.
//
//   .ITEM~name, no row    the take was not finished: it gets its name back, and is taken once more
//   .ITEM~name, row       it is ours, and is removed
import { createHash } from 'node:crypto';
import { createWriteStream, lstatSync, rmSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '#domain/error.ts';
import { originalName } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { type ByteName, toByteName } from '#gateway/model/intake.ts';
import { type FolderSync, openPlain } from '#runtime/files/durable.ts';
import { renameOurs } from '#runtime/files/rename.ts';
import { discard } from './paths.ts';

/** A path; as bytes where another program has given the name. */
export type FilePath = string | Buffer;

interface Carriage {
  readonly item: string;
  readonly name: ByteName;
  readonly from: FilePath;
  /** The folder in which it waits, which is looked through after a crash. */
  readonly waitsIn: string;
  /** Where the copy is made: on the spool's file system, and swept at each start. */
  readonly copy: string;
  /** Its name in the spool. */
  readonly to: string;
  /** What the bytes must be. */
  readonly sha256: string;
  /** Whether what has the name now is the file that was found complete. */
  readonly isSame: (path: FilePath) => boolean;
}

interface CarryParts {
  readonly folders: FolderSync;
  readonly inHand: Pick<HomesInHand, 'check'>;
}

/** Each does nothing, and throws, where this process has lost its homes. */
export interface Carried {
  /** The row is there: the original is removed. If a program has written on, it is a new file, under its old name. */
  end(): void;
  /** Nothing was taken: it gets its name back. */
  undo(): void;
}

/** When it resolves, the copy lies in the spool, and is durable there. Throws `in-flight` when it was written meanwhile; then it has its name back. */
export async function carry({ folders, inHand }: CarryParts, carriage: Carriage): Promise<Carried> {
  const { item, name, from, waitsIn, copy, to, sha256, isSame } = carriage;
  const waiting = fileIn(waitsIn, carriedName(item, name));
  const giveBack = (): void => giveName(waiting, from, name, item);
  renameOurs(from, waiting);
  try {
    // Otherwise a power loss could bring back the name, beside the item.
    await folders.sync(waitsIn);
    const digest = await copyDurable((await openPlain(waiting)).createReadStream(), copy);
    if (digest !== sha256 || !isSame(waiting)) throw stillWritten();
    inHand.check();
    renameOurs(copy, to);
    await folders.sync(folderOf(to));
  } catch (error) {
    inHand.check();
    discard(copy);
    discard(to);
    giveBack();
    throw error;
  }
  return {
    end() {
      inHand.check();
      if (isSame(waiting)) rmSync(waiting);
      else giveBack();
    },
    undo() {
      inHand.check();
      discard(to);
      giveBack();
    },
  };
}

/** Gives a file its name (back), or one beside it when another file has it by now. */
export function giveName(path: FilePath, to: FilePath, name: ByteName, item: string): void {
  renameOurs(path, isThere(to) ? fileIn(folderOf(to), toByteName(originalName(name, item))) : to);
}

/** Whether anything has this name, also a link to nothing. */
export function isThere(path: FilePath): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

export function stillWritten(): AppError {
  return new AppError('in-flight', 'the file is still being written; try again when it is complete');
}

const CARRIED = /^\.([0-9A-HJKMNP-TV-Z]{26})~(.+)$/s;
const NAME_BYTES_MAX = 255;

/** The name of a file while it is copied; too long a one loses its beginning. */
export function carriedName(item: string, name: ByteName): ByteName {
  const start = `.${item}~`;
  return start + name.slice(Math.max(0, name.length - NAME_BYTES_MAX + start.length));
}

/** What a file is that waits, or has waited, to be copied; undefined for any other. */
export function parseCarried(name: ByteName): { readonly item: string; readonly name: ByteName } | undefined {
  const [, item, original] = CARRIED.exec(name) ?? [];
  return item !== undefined && original !== undefined ? { item, name: original } : undefined;
}

export function fileIn(folder: string, name: ByteName): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')]);
}

export function folderOf(path: FilePath): string {
  const bytes = Buffer.from(path);
  return bytes.toString('utf8', 0, bytes.lastIndexOf('/'));
}

/** Copies a stream into a new file, makes its bytes durable, and resolves with their SHA-256 in hex. */
export async function copyDurable(source: Readable, to: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(
    source,
    async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    },
    createWriteStream(to, { flags: 'wx', mode: 0o640, flush: true }),
  );
  return hash.digest('hex');
}
