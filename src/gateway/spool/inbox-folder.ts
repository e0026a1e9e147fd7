// The inbox on disk, as local programs know it: the folders behind its places, and the files that lie in them.
import { homeFolder } from '#gateway/home/home.ts';
import { nameShownAs } from '#gateway/home/names.ts';
import type { ByteName, Entry, Place } from '#gateway/intake.ts';
import { type HeldFolder, ifThere } from '#runtime/held-folder.ts';
import { parseCarried } from './carry.ts';

/** The folder on disk that stands behind a place: the way to it from the home. */
export function inboxComponents({ folder }: Place): string[] {
  return folder === 'overwrite' ? ['inbox', 'overwrite'] : ['inbox'];
}

export function filesIn(data: string, place: Place): Entry[] {
  const filesOf = (folder: HeldFolder): Entry[] =>
    folder.list().flatMap((name) => (parseCarried(name) ? [] : (entryIn(folder, name) ?? [])));
  return onDisk(data, place, filesOf) ?? [];
}

/** By its name, or by the one that is shown for it. */
export function fileAt(data: string, place: Place, name: ByteName): Entry | null {
  const shown = nameShownAs(name);
  return onDisk(data, place, (folder) => entryIn(folder, name) ?? (shown === undefined ? null : entryIn(folder, shown))) ?? null;
}

/** Hands `use` the folder on disk; undefined where there is none, or a link in its place, which the watcher logs. */
function onDisk<Result>(data: string, place: Place, use: (folder: HeldFolder) => Result): Result | undefined {
  return place.folder === 'tmp' ? undefined : ifThere(homeFolder(data, place.home), inboxComponents(place), use);
}

function entryIn(folder: HeldFolder, name: ByteName): Entry | null {
  const stat = folder.look(name);
  return stat?.isFile() ? { state: 'found', name, size: stat.size, mtimeMs: stat.mtimeMs } : null;
}
