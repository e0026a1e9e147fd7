// The inbox on disk, as local programs know it: the folders behind its places, and the files that lie in them.
import { setImmediate as turn } from 'node:timers/promises';
import { nameShownAs } from '#gateway/model/file-names.ts';
import type { ByteName, DropFolder, Entry } from '#gateway/model/intake.ts';
import { type HeldFolder, holdFolder, ifThere, isNotThere } from '#runtime/files/held-folder.ts';
import { parseCarried } from './carry.ts';
import { homeFolder } from './paths.ts';

const INBOX: readonly string[] = ['inbox'];
const OVERWRITE: readonly string[] = ['inbox', 'overwrite'];

/** The folder on disk that stands behind a place: the way to it from the home. */
export function inboxComponents({ folder }: DropFolder): readonly string[] {
  return folder === 'overwrite' ? OVERWRITE : INBOX;
}

/** Files that are looked at before others have their turn: a program may put any number of them there. */
const AT_ONCE = 500;

/** Places behind which nothing stands on disk. */
const NOT_ON_DISK: ReadonlySet<DropFolder['folder']> = new Set(['tmp', 'test']);

/** None where there is no folder, or a link in its place, which the watcher reports. */
export async function filesIn(data: string, place: DropFolder): Promise<Entry[]> {
  if (NOT_ON_DISK.has(place.folder)) return [];
  try {
    using folder = holdFolder(homeFolder(data, place.home), inboxComponents(place));
    const found: Entry[] = [];
    for (const [at, name] of folder.list().entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) await turn();
      const entry = parseCarried(name) ? null : entryIn(folder, name);
      if (entry) found.push(entry);
    }
    return found;
  } catch (error) {
    if (isNotThere(error)) return [];
    throw error;
  }
}

/** By its name, or by the name that is shown for it. */
export function fileAt(data: string, place: DropFolder, name: ByteName): Entry | null {
  const shown = nameShownAs(name);
  return onDisk(data, place, (folder) => entryIn(folder, name) ?? (shown === undefined ? null : entryIn(folder, shown))) ?? null;
}

/** Hands `use` the folder on disk; undefined where there is none, or a link in its place, which the watcher reports. */
function onDisk<Result>(data: string, place: DropFolder, use: (folder: HeldFolder) => Result): Result | undefined {
  return NOT_ON_DISK.has(place.folder) ? undefined : ifThere(homeFolder(data, place.home), inboxComponents(place), use);
}

function entryIn(folder: HeldFolder, name: ByteName): Entry | null {
  const stat = folder.look(name);
  return stat?.isFile() ? { state: 'found', name, size: stat.size, mtimeMs: stat.mtimeMs } : null;
}
