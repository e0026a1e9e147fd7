// Lists a watched folder, and finds the names of documents in it.
import { readdirSync, type Stats } from 'node:fs';
import { parseCarried } from '#gateway/disk/carry.ts';
import { doneFileFor, isDoneFile } from '#gateway/model/done-file.ts';
import { type ByteName, isTemporaryName } from '#gateway/model/intake.ts';
import type { SafeFolder } from '#runtime/files/safe-folder.ts';
import { type CandidateCount, Candidates } from './candidates.ts';
import { type Contents, type Folder, listingOf, type WatchedFolder } from './folder.ts';

/** A folder of this machine with no more names is listed at once, which takes less time than asking another thread for it. */
const NAMES_AT_ONCE = 1_000;
/** The gateway's own folders in an inbox. */
const OURS: ReadonlySet<ByteName> = new Set(['overwrite', 'tmp']);

/** `stats`: of the folder, from just before. Afterwards the folder has contents when a document is in it. */
export async function list(folder: Folder, at: SafeFolder, stats: Stats, count: CandidateCount, nowMs: number): Promise<void> {
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
  folder.contents ??= emptyContents(count);
  fill(folder.contents, place, new Set(names), { left, carried });
}

/** The folder holds no documents any more. */
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

function emptyContents(count: CandidateCount): Contents {
  return { candidates: new Candidates(count), left: [], carried: [], awaited: new Map(), undone: new Map(), told: new Set() };
}
