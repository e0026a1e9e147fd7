// A listing of a watched folder: which of its names are of interest.
import { readdirSync, type Stats } from 'node:fs';
import { parseCarried } from '#gateway/disk/carry.ts';
import { doneFileFor, isDoneFile } from '#gateway/model/done-file.ts';
import { type ByteName, isTemporaryName } from '#gateway/model/intake.ts';
import type { SafeFolder } from '#runtime/files/safe-folder.ts';
import { Candidates, type Census } from './candidates.ts';
import { type Contents, type Folder, listingOf, type WatchedFolder } from './folder.ts';

/** A folder of this machine with no more names than that is listed in 20 µs, which is less than asking another thread for it. */
const NAMES_AT_ONCE = 1_000;
/** Folders that stand in an inbox by right. */
const OURS: ReadonlySet<ByteName> = new Set(['overwrite', 'tmp']);

/** Lists the folder, which was so just before. Afterwards it has contents when something in it is of interest. */
export async function list(folder: Folder, at: SafeFolder, stats: Stats, census: Census, nowMs: number): Promise<void> {
  const { place, shared } = folder;
  folder.listing = listingOf(folder.listing, stats, nowMs);
  const isQuick = !shared && folder.names <= NAMES_AT_ONCE;
  const names = isQuick ? readdirSync(at.self, { encoding: 'latin1' }) : await at.list();
  folder.names = names.length;
  const left = names.filter((name) => isDocument(name, place));
  const carried = names.filter((name) => parseCarried(name));
  if (left.length === 0 && carried.length === 0) {
    forgetContents(folder);
    return;
  }
  folder.contents ??= emptyContents(census);
  fill(folder.contents, place, new Set(names), { left, carried });
}

/** Nothing in the folder is of interest any more. */
export function forgetContents(folder: Folder): void {
  folder.contents?.candidates.clear();
  folder.contents = null;
}

function isDocument(name: ByteName, { folder, doneFile }: WatchedFolder): boolean {
  if (isTemporaryName(name) || (folder === 'inbox' && OURS.has(name))) return false;
  return doneFile === null || !isDoneFile(name, doneFile);
}

function fill(
  contents: Contents,
  { doneFile }: WatchedFolder,
  names: ReadonlySet<ByteName>,
  { left, carried }: Pick<Contents, 'left' | 'carried'>,
): void {
  const { candidates, undone, told, awaited } = contents;
  contents.left = left;
  contents.carried = carried;
  candidates.keepOnly(names);
  for (const name of undone.keys()) if (!names.has(name)) undone.delete(name);
  for (const name of told) if (!names.has(name)) told.delete(name);
  awaited.clear();
  if (doneFile === null) return;
  for (const name of left) {
    const done = doneFileFor(name, doneFile);
    if (names.has(done)) awaited.set(done, (awaited.get(done) ?? 0) + 1);
  }
}

function emptyContents(census: Census): Contents {
  return { candidates: new Candidates(census), left: [], carried: [], awaited: new Map(), undone: new Map(), told: new Set() };
}
