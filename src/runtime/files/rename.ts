// Renames on a file system that is reached over a network: one that was answered with an error may have been done. A request that was sent again finds the file
// gone (ENOENT), an answer may be lost (EIO), or speak of a file that has moved (ESTALE, of which Node does not know the name). So after any error both names are looked at.
import { lstatSync, renameSync, type Stats } from 'node:fs';

type Path = string | Buffer;

/** Renames a file that is only ours to move, to a name that nothing has. Throws what the system says, and then it was not done. */
export function renameOurs(from: Path, to: Path): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!wasRenamed(from, to)) throw error;
  }
}

/** Whether a rename that was answered with an error was done. `before`: the file, where something else may have had the new name. */
export function wasRenamed(from: Path, to: Path, before?: Pick<Stats, 'ino' | 'dev'>): boolean {
  try {
    if (look(from)) return false;
    const there = look(to);
    return there !== undefined && (before === undefined || (there.ino === before.ino && there.dev === before.dev));
  } catch {
    // What cannot be looked at is not known to be done.
    return false;
  }
}

function look(path: Path): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}
