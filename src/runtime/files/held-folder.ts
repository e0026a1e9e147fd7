// The steps of a walk through folders in which outsiders name things, and the walk itself as synchronous calls, where another thread would take
// longer than the calls. The rules for names and links stand in safe-folder.ts.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { AppError, type ErrorCode } from '#domain/error.ts';
import { systemCode } from './system-code.ts';

/** Whether folders are walked by descriptor; without `/proc/self/fd` they are only looked at before each step. */
export const BY_DESCRIPTOR = existsSync('/proc/self/fd');
/** For opening folders. */
export const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const NAME_BYTES_MAX = 255;

/** A folder held open for calls that are made in the same turn. Names are byte strings as in `SafeFolder`. */
export interface HeldFolder extends Disposable {
  readonly stats: Stats;
  /** Its own path while it is held open, wherever it may be moved. */
  readonly self: Buffer;
  /** The path of what has this name in it. `open` must be told to follow no link. Throws `name`. */
  path(name: string): Buffer;
  /** The names of everything in it, whatever it is. */
  list(): string[];
  /** Whatever has this name, a link as itself. */
  look(name: string): Stats | undefined;
  /** Makes durable what was changed in it. */
  sync(): void;
}

/** Walks from `root` (a path of ours) down `components`, and opens the folder there. The caller disposes of it. Throws `missing`, `name`, `storage`. */
export function holdFolder(root: string, components: readonly string[]): HeldFolder {
  const descriptor = openFolderBelow(root, components);
  const self = selfOf(descriptor, root, components);
  const at = (name: string): Buffer => below(self, name);
  return {
    get stats() {
      return fstatSync(descriptor);
    },
    get self() {
      return Buffer.from(self, 'latin1');
    },
    path: at,
    list: () => readdirSync(Buffer.from(self, 'latin1'), { encoding: 'buffer' }).map((name) => name.toString('latin1')),
    look: (name) => lstatSync(at(name), { throwIfNoEntry: false }),
    sync: () => fsyncSync(descriptor),
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}

/** The same as a descriptor, which the caller closes. */
export function openFolderBelow(root: string, components: readonly string[]): number {
  try {
    if (!BY_DESCRIPTOR) refuseDetour(root, components);
    let descriptor = openSync(root, FOLDER);
    for (const [at, component] of components.entries()) {
      const outer = descriptor;
      try {
        descriptor = openSync(below(selfOf(outer, root, components.slice(0, at)), component), FOLDER);
      } finally {
        closeSync(outer);
      }
    }
    return descriptor;
  } catch (error) {
    throw inOurWords(error);
  }
}

/** Returns the result of `use`; undefined where there is no such folder, or a link or a file in its place. Throws `storage`, and what `use` throws. */
export function ifThere<Result>(root: string, components: readonly string[], use: (folder: HeldFolder) => Result): Result | undefined {
  try {
    using folder = holdFolder(root, components);
    return use(folder);
  } catch (error) {
    if (isNotThere(error)) return undefined;
    throw error;
  }
}

/** Whether it says that there is no such folder, or that something else has its name. */
export function isNotThere(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'missing' || error.code === 'name');
}

/** Makes folders of these names where nothing has the name, durably. Throws `name` where something else than a folder has it; `missing`, `storage`. */
export function makeFolders(root: string, components: readonly string[], names: readonly string[]): void {
  using parent = holdFolder(root, components);
  const missing = names.filter((name) => parent.look(name) === undefined);
  for (const name of missing) makeFolder(parent.path(name));
  if (missing.length > 0) parent.sync();
  if (names.some((name) => parent.look(name)?.isDirectory() !== true)) {
    throw new AppError('name', 'this is not a folder, and a link is not followed');
  }
}

function makeFolder(path: Buffer): void {
  try {
    mkdirSync(path, 0o750);
  } catch (error) {
    // Somebody else was quicker.
    if (systemCode(error) !== 'EEXIST') throw inOurWords(error);
  }
}

/** Whether `name` is one component that may be looked for: no path, no NUL, neither '.' nor '..', not too long. */
function isSafeName(name: string): boolean {
  return name.length > 0 && name.length <= NAME_BYTES_MAX && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0');
}

/** The path for a system call on what has this name in an open folder, whose own is `self`. Throws `name`. */
export function below(self: string, name: string): Buffer {
  if (!isSafeName(name)) throw new AppError('name', 'this name cannot be used; choose another');
  return Buffer.from(`${self}/${name}`, 'latin1');
}

/** The path of an open folder, as a byte string: text costs less than bytes where folders are looked at all the time. */
export function selfOf(descriptor: number, root: string, components: readonly string[]): string {
  return BY_DESCRIPTOR ? `/proc/self/fd/${descriptor}` : walked(Buffer.from(root), components);
}

/** For systems without descriptors as paths: a link on the way would lead elsewhere. Throws `name`. */
export function refuseDetour(root: string, components: readonly string[]): void {
  const real = (path: Buffer): Buffer => realpathSync.native(path, { encoding: 'buffer' });
  const path = Buffer.from(walked(Buffer.from(root), components), 'latin1');
  if (real(path).toString('latin1') !== walked(real(Buffer.from(root)), components)) throw notAFile();
}

function walked(root: Buffer, components: readonly string[]): string {
  return [root.toString('latin1'), ...components].join('/');
}

export function notAFile(): AppError {
  return new AppError('name', 'this is not an ordinary file; ask the administrator of the server to look at it');
}

/** What the system's refusals mean here; everything else is `storage`. */
const CODES: Readonly<Record<string, { code: ErrorCode; sentence: string }>> = {
  ENOENT: { code: 'missing', sentence: 'there is no such file or folder' },
  ELOOP: { code: 'name', sentence: 'links are not followed' },
  ENOTDIR: { code: 'name', sentence: 'this is not a folder' },
  // Somebody has put a folder of another user in the place of one of ours.
  EACCES: { code: 'name', sentence: 'the server may not look into this; ask its administrator to give it the right' },
  EISDIR: { code: 'name', sentence: 'this is a folder' },
  ENXIO: { code: 'name', sentence: 'this is not an ordinary file; ask the administrator of the server to look at it' },
  ENAMETOOLONG: { code: 'name', sentence: 'the name is too long' },
};

export function inOurWords(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const known = CODES[systemCode(error) ?? ''];
  return new AppError(known?.code ?? 'storage', known?.sentence ?? 'the disk refused; try again later', { cause: error });
}
