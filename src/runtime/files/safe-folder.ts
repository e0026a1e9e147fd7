// Folders on disk in which outsiders name things: every name is one component, opened below an open descriptor, and no link is followed.
//
// Linux: `/proc/self/fd/<folder>/<name>` behaves like openat(2), so nobody can swap a folder for a link between check and use.
// Elsewhere: the folder's real path is compared with the one asked for and names are joined to it. That is weaker: a local program with
// write access to the folder's parents could swap it in between.
import { close, constants, fstat, lstat, open, readdir, readlinkSync, rename, type Stats, unlink } from 'node:fs';
import { promisify } from 'node:util';
import { AppError } from '#domain/error.ts';
import { BY_DESCRIPTOR, below, FOLDER, inOurWords, notAFile, refuseDetour, selfOf } from './held-folder.ts';
import { wasRenamed } from './rename.ts';
import { nullIf, systemCode } from './system-code.ts';

const openAsync = promisify(open);
const closeAsync = promisify(close);
const fstatAsync = promisify(fstat);
const lstatAsync = promisify(lstat);
const readdirAsync = promisify(readdir);
const renameAsync = promisify(rename);
const unlinkAsync = promisify(unlink);

/** What may be known of a file. */
export interface FileFacts {
  readonly size: number;
  readonly mtimeMs: number;
}

export interface OpenFile extends FileFacts {
  /** The caller closes it. */
  readonly descriptor: number;
}

/** A folder held open. Names are byte strings, one character per byte (latin1), and always one component. */
export interface SafeFolder {
  /** Its own path while it is held open, wherever it may be moved. */
  readonly self: Buffer;
  /** What the folder itself is. */
  stats(): Promise<Stats>;
  /** The names of everything in it, whatever it is. */
  list(): Promise<string[]>;
  /** A regular file with one link; null when there is none of this name, or something else than that. */
  stat(name: string): Promise<FileFacts | null>;
  /** Whatever has this name, a link as itself; null when nothing has. Throws `name`, `storage`. */
  look(name: string): Promise<Stats | null>;
  /** For system calls while the folder is held open: the path of what has this name in it, wherever the folder itself may be moved. Throws `name`. */
  path(name: string): Buffer;
  /** Opens a regular file with one link for reading. Throws `missing`, `name`, `storage`. */
  open(name: string): Promise<OpenFile>;
  /** Renames a regular file over whatever has the new name. `check` is called right before, and may throw. Throws `missing`, `name`, `storage`. */
  rename(from: string, to: string, check?: () => void): Promise<void>;
  /** Removes a regular file. `check` is called right before, and may throw. Throws `missing`, `name`, `storage`. */
  remove(name: string, check?: () => void): Promise<void>;
}

/**
 * Opens `root` (a path of ours) and walks down `components` (names that may come from outside), hands the folder to `use`, and closes it
 * when that has ended. Throws `missing`, `name`, `storage`.
 */
export async function inFolder<Result>(
  root: string,
  components: readonly string[],
  use: (folder: SafeFolder) => Promise<Result>,
): Promise<Result> {
  let descriptor = await openFolder(root);
  try {
    for (const [at, component] of components.entries()) {
      const inner = await openFolder(below(selfOf(descriptor, root, components.slice(0, at)), component));
      await closeAsync(descriptor);
      descriptor = inner;
    }
    if (!BY_DESCRIPTOR) refuseDetour(root, components);
    return await use(safeFolder(descriptor, selfOf(descriptor, root, components)));
  } finally {
    await closeAsync(descriptor);
  }
}

/** The same; null where there is no such folder, or a link or a file in its place. */
export function inFolderIfThere<Result>(...given: Parameters<typeof inFolder<Result>>): Promise<Result | null> {
  return inFolder(...given).catch(nullIf('missing', 'name'));
}

function safeFolder(descriptor: number, way: string): SafeFolder {
  const self = Buffer.from(way, 'latin1');
  const at = (name: string): Buffer => below(way, name);
  const look = (name: string): Promise<Stats | null> => said(() => lstatAsync(at(name))).catch(nullIf('missing'));
  const mustBeFile = async (name: string): Promise<Stats> => {
    const stats = await lstatAsync(at(name));
    if (!isPlainFile(stats)) throw notAFile();
    return stats;
  };
  return {
    list: () =>
      said(async () => {
        const names = await readdirAsync(self, { encoding: 'buffer' });
        return names.map((name) => name.toString('latin1'));
      }),
    self,
    stats: () => said(() => fstatAsync(descriptor)),
    look,
    path: at,
    async stat(name) {
      const stats = await look(name).catch(nullIf('name'));
      return stats && isPlainFile(stats) ? { size: stats.size, mtimeMs: stats.mtimeMs } : null;
    },
    open: (name) => said(() => openFile(descriptor, at(name), name)),
    rename: (from, to, check) =>
      said(async () => {
        const before = await mustBeFile(from);
        check?.();
        try {
          await renameAsync(at(from), at(to));
        } catch (error) {
          if (!wasRenamed(error, at(from), at(to), before)) throw error;
        }
      }),
    remove: (name, check) =>
      said(async () => {
        await mustBeFile(name);
        check?.();
        await unlinkAsync(at(name));
      }),
  };
}

async function openFile(folder: number, path: Buffer, name: string): Promise<OpenFile> {
  // O_NONBLOCK: opening a FIFO that nobody writes to would otherwise wait for ever.
  const descriptor = await openAsync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await fstatAsync(descriptor);
    if (!isPlainFile(stats)) throw notAFile();
    if (!(await isStillNamed(descriptor, folder, path, name, stats))) throw new AppError('missing', 'there is no such file any more');
    return { descriptor, size: stats.size, mtimeMs: stats.mtimeMs };
  } catch (error) {
    await closeAsync(descriptor);
    throw error;
  }
}

/**
 * Whether the link by which it was opened has been there until now: then it was the only one when `stats` counted one. A link to a file
 * elsewhere may have been taken away before they were counted, which leaves one link: the other; and may have been made again since.
 * Linux remembers by which link a descriptor was opened, where that is now, and says ' (deleted)' behind its path for ever once it is gone.
 */
async function isStillNamed(descriptor: number, folder: number, path: Buffer, name: string, stats: Stats): Promise<boolean> {
  if (BY_DESCRIPTOR) {
    // A file that has this behind its name cannot be told from one that is gone and had the first part of it.
    if (name.endsWith(GONE)) throw new AppError('name', `a name must not end in '${GONE}'; choose another`);
    await awaitChanges(path);
    return pathOf(descriptor) === `${pathOf(folder)}/${name}`;
  }
  const named = await lstatAsync(path);
  return isPlainFile(named) && named.ino === stats.ino && named.dev === stats.dev;
}

const GONE = ' (deleted)';

/** Where Linux says that an open file is now, as a byte string. */
function pathOf(descriptor: number): string {
  return readlinkSync(`/proc/self/fd/${descriptor}`, { encoding: 'latin1' });
}

/**
 * Waits until a removal that has begun in the folder of `path` is complete: Linux counts the link as gone before it marks it so. A file that is
 * renamed to its own name stays as it is, but for that the folder must be nobody else's for a moment.
 */
async function awaitChanges(path: Buffer): Promise<void> {
  try {
    await renameAsync(path, path);
  } catch (error) {
    // Nothing is removed from a file system that cannot be written to.
    if (systemCode(error) !== 'EROFS') throw error;
  }
}

function openFolder(path: Buffer | string): Promise<number> {
  return said(() => openAsync(path, FOLDER));
}

/** More than one link means that the file has another name somewhere, perhaps outside the home. */
function isPlainFile(stats: Stats): boolean {
  return stats.isFile() && stats.nlink === 1;
}

async function said<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw inOurWords(error);
  }
}
