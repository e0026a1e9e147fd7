// Durable files: fsync, atomic rename, and folder fsyncs that are shared by all who wait for them.
import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fsync,
  fsyncSync,
  linkSync,
  mkdirSync,
  open,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open as openHandle, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { notAFile, openFolderBelow } from './held-folder.ts';
import { systemCode } from './system-code.ts';

/** For reading files that others can replace: no link is followed, and opening a FIFO waits for nobody. */
export const READ_PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file that others can replace. Throws `name` where something else has its name, such as a FIFO in which there is no end. */
export async function openPlain(path: string | Buffer): Promise<FileHandle> {
  const file = await openHandle(path, READ_PLAIN);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw notAFile();
}

/** SHA-256 of a file in hex, read in pieces. */
export async function digestFile(path: string | Buffer): Promise<string> {
  const hash = createHash('sha256');
  const file = await openPlain(path);
  for await (const piece of file.createReadStream()) hash.update(piece);
  return hash.digest('hex');
}

const fsyncAsync = promisify(fsync);
const openAsync = promisify(open);

/**
 * Makes the entries of a folder durable. Calls that arrive while an fsync runs share the next one, which begins after them:
 * an fsync serves only what was done before it began.
 */
export class FolderSync {
  readonly #waiting = new Map<string, { next: Promise<void> | null; running: Promise<void> }>();
  #count = 0;

  /** How many fsyncs were really done. */
  get count(): number {
    return this.#count;
  }

  /** Resolves when every change made to `folder` before this call is on disk; with `components`, to the one to which they lead, by no link. */
  sync(folder: string, components: readonly string[] = []): Promise<void> {
    const key = [folder, ...components].join('/');
    const start = (): Promise<void> => this.#start(key, () => this.#fsync(folder, components));
    const state = this.#waiting.get(key);
    if (!state) return start();
    state.next ??= state.running.then(start, start);
    return state.next;
  }

  #start(key: string, fsync: () => Promise<void>): Promise<void> {
    const running = fsync().finally(() => {
      if (this.#waiting.get(key)?.running === running && !this.#waiting.get(key)?.next) this.#waiting.delete(key);
    });
    this.#waiting.set(key, { next: null, running });
    return running;
  }

  async #fsync(folder: string, components: readonly string[]): Promise<void> {
    this.#count++;
    const isOurs = components.length === 0;
    const descriptor = isOurs ? openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY) : openFolderBelow(folder, components);
    try {
      await fsyncAsync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

interface WriteOptions {
  readonly mode?: number;
  /** By which the file's name is made as durable as its bytes, beside them; otherwise the folder is not fsynced. */
  readonly folders?: Pick<FolderSync, 'sync'>;
}

/** Of a file: whole, or piece by piece where they are many. */
export type FileBytes = Uint8Array | AsyncIterable<Uint8Array>;

/** Writes a new file (it must not be there yet) and fsyncs it; on failure nothing is left. */
export async function writeDurable(path: string, bytes: FileBytes, { mode = 0o640, folders }: WriteOptions = {}): Promise<void> {
  const descriptor = await openNew(path, mode);
  try {
    await writeAll(descriptor, bytes);
    // Not before the file is there: an fsync that began earlier does not keep its name.
    await allOrNone(fsyncAsync(descriptor), folders?.sync(dirname(path)));
  } catch (error) {
    closeSync(descriptor);
    rmSync(path, { force: true });
    throw error;
  }
  closeSync(descriptor);
}

/** Makes an empty file (it must not be there yet), which is not durable. */
export async function createEmpty(path: string): Promise<void> {
  closeSync(await openNew(path, 0o640));
}

/** Off the event loop: a file system may look long for a place. */
function openNew(path: string, mode: number): Promise<number> {
  return openAsync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, mode);
}

/** Writes an empty file that is there already, and fsyncs it. What of a failure is left in it is the caller's. */
export async function fillDurable(path: string, bytes: FileBytes): Promise<void> {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    await writeAll(descriptor, bytes);
    await fsyncAsync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeAll(descriptor: number, bytes: FileBytes): Promise<void> | undefined {
  if (!(bytes instanceof Uint8Array)) return writePieces(descriptor, bytes);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
  return undefined;
}

async function writePieces(descriptor: number, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) await writeAll(descriptor, piece);
}

/** Waits for all even when one fails, so that nothing is still under way when the failure is cleaned up. */
export async function allOrNone(...works: (Promise<unknown> | undefined)[]): Promise<void> {
  const failed = (await Promise.allSettled(works)).find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** How often a file is replaced before an error is believed. */
const REPLACED_MAX = 5;

/** Called before each rename or removal: throws where this process may do so no more. */
export type Check = () => void;

export interface ReplaceOptions {
  readonly mode?: number;
  readonly check?: Check;
}

/** Replaces or creates a small file atomically and durably: written beside it, fsynced, renamed, folder fsynced. */
export async function replaceDurable(path: string, bytes: Uint8Array, { mode = 0o600, check }: ReplaceOptions = {}): Promise<void> {
  const replace = async (): Promise<void> => {
    const beside = `${path}.new`;
    check?.();
    rmSync(beside, { force: true });
    await writeDurable(beside, bytes, { mode });
    check?.();
    renameSync(beside, path);
  };
  // Over a network a rename may be done and answered with an error: done once more it comes to the same.
  for (let tries = 1; ; tries++) {
    try {
      await replace();
      break;
    } catch (error) {
      if (tries === REPLACED_MAX) throw error;
    }
  }
  await new FolderSync().sync(dirname(path));
}

/** Creates a small file durably where it is not there yet; of several processes that do so at the same time, the first one's stays, and is whole. */
export async function makeOnce(path: string, bytes: Uint8Array, mode = 0o600): Promise<void> {
  const own = `${path}.${hostname()}.${process.pid}`;
  rmSync(own, { force: true });
  await writeDurable(own, bytes, { mode });
  try {
    linkSync(own, path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  await new FolderSync().sync(dirname(path));
}

/** Removes files and folders of ours with everything in them; those that have gone already are fine. None of them returns after a power loss. */
export async function removeDurable(paths: readonly string[], check?: Check): Promise<void> {
  for (const path of paths) {
    check?.();
    await rm(path, { recursive: true, force: true });
  }
  for (const folder of new Set(paths.map(dirname))) if (isFolder(folder)) await new FolderSync().sync(folder);
}

/** Makes a folder and its parents, only for us and our group, and returns its path. */
export function ensureFolder(...parts: string[]): string {
  const folder = join(...parts);
  ensureFolders([folder]);
  return folder;
}

/** The same for several. What is put into a folder is only as safe as its name, so the names of new ones are made durable, too. */
export function ensureFolders(folders: readonly string[]): void {
  const changed = new Set<string>();
  for (const folder of folders) {
    for (const made of makeMissing(resolve(folder))) changed.add(dirname(made));
  }
  for (const folder of changed) {
    const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

/** Returns what it made. One folder after the other: Node's own recursion never ends below a file system that takes none, such as /proc. */
function makeMissing(path: string): readonly string[] {
  if (isFolder(path)) return [];
  const above = dirname(path) === path ? [] : makeMissing(dirname(path));
  try {
    mkdirSync(path, { mode: 0o750 });
  } catch (error) {
    // Somebody else was faster.
    if (!isFolder(path)) throw error;
    return above;
  }
  return [...above, path];
}

export function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
