// Renames on a file system that is reached over a network: one that was answered with an error may have been done. The error is ENOENT where the request
// was sent again, EIO where the answer was lost, ESTALE where the file has moved (Node does not know that name). So after an error both names are looked at.
import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, type Stats } from 'node:fs';
import { systemCode } from './system-code.ts';

type Path = string | Buffer;

/** Said before anything is done, and usual, or for a client to bring about: not worth a look into two folders, which may be long. */
const NOT_DONE: ReadonlySet<string | undefined> = new Set(['EXDEV', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'EROFS']);

/** Renames a file that is only ours to move, to a name that nothing has. Throws what the system says, and then it is not known to be done. */
export function renameOurs(from: Path, to: Path): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!wasRenamed(error, from, to)) throw error;
  }
}

/** Whether a rename that was answered with an error was done. `before`: the file, where something else may have had the new name. */
export function wasRenamed(error: unknown, from: Path, to: Path, before?: Pick<Stats, 'ino' | 'dev'>): boolean {
  if (NOT_DONE.has(systemCode(error))) return false;
  try {
    if (look(from) && isListed(from)) return false;
    const there = look(to) ?? lookAgain(to);
    if (before) return there !== undefined && there.ino === before.ino && there.dev === before.dev;
    return there !== undefined;
  } catch {
    // What cannot be looked at is not known to be done.
    return false;
  }
}

function look(path: Path): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Where a listing has what was not found: asked to make something of that name the file server says that it is there, and the system believes it from then on. */
function lookAgain(path: Path): Stats | undefined {
  if (!isListed(path)) return undefined;
  try {
    mkdirSync(path);
  } catch {
    return look(path);
  }
  rmdirSync(path);
  return undefined;
}

/** What the system has looked for it may believe for seconds to be there, or not to be: a listing is newer. */
function isListed(path: Path): boolean {
  const bytes = Buffer.from(path);
  const slash = bytes.lastIndexOf('/');
  const name = bytes.subarray(slash + 1);
  return readdirSync(bytes.subarray(0, slash), { encoding: 'buffer' }).some((each) => each.equals(name));
}
