// One visit to a watched folder: it is listed, and its files are looked at; the next ones are left for another visit when there are many,
// so that no folder keeps the others waiting.
import { lstatSync, type Stats } from 'node:fs';
import { parseCarried } from '#gateway/carry.ts';
import { type ByteName, isTemporaryName } from '#gateway/intake.ts';
import { nameText } from '#gateway/names.ts';
import { ensureFolder } from '#runtime/files.ts';
import { inFolder, type SafeFolder } from '#runtime/safe-folder.ts';
import { doneFileFor, isDoneFile } from './done-file.ts';
import { type FileParts, lookAtFile } from './file.ts';
import { type Folder, firstTold, listingOf } from './folder.ts';
import { isDue } from './settle.ts';

export interface VisitParts extends FileParts {
  /** Watches the folder, and finds out what its file system is. */
  readonly attend: (folder: Folder, stats: Stats) => Promise<void>;
}

/** Files that are taken in one visit. */
const TAKES_MAX = 64;
/** Files of one folder that are looked at together. */
const AT_ONCE = 8;
/** A home that is full, and a folder of which nothing can be taken, are visited again so much later. */
const FULL_MS = 10_000;
const FAILING_MS = 60_000;
const FAILURES_MAX = 10;
/** Between two visits, so that files that come one by one are listed together; and more where a listing is long. */
const PAUSE_MS = 100;
const NAMES_PER_MS = 20;
/** Documents without their done-file that are remembered. */
const UNDONE_MAX = 10_000;
/** Folders that stand in an inbox by right. */
const OURS = new Set(['overwrite', 'tmp']);

/** Resolves with the time at which it wants to be visited again, whatever is reported until then; undefined when it has nothing that waits. Does not throw. */
export async function visit(parts: VisitParts, folder: Folder): Promise<number | undefined> {
  const { clock, log, settings } = parts;
  const { home, folder: which, root, components } = folder.place;
  try {
    const stats = present(parts, folder);
    await parts.attend(folder, stats);
    const next = await inFolder(root, components, async (at) => {
      if (folder.left.length === 0) await list(parts, folder, at, stats);
      return walk(parts, folder, at);
    });
    if (folder.trouble !== null) log.info({ event: 'watch.healed', home, folder: which });
    folder.trouble = null;
    return next;
  } catch (error) {
    const trouble = String(error);
    if (folder.trouble !== trouble) log.warn({ event: 'watch.failed', home, folder: which, err: error });
    folder.trouble = trouble;
    return clock.now() + settings.rescan;
  }
}

/** A folder that somebody removed is made again: an ERP that finds none cannot write. */
function present({ log }: VisitParts, { place, path, listing }: Folder): Stats {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats) return stats;
  ensureFolder(path);
  if (listing) log.warn({ event: 'watch.made', home: place.home, folder: place.folder });
  return lstatSync(path);
}

async function list({ intake, clock }: VisitParts, folder: Folder, at: SafeFolder, stats: Stats): Promise<void> {
  const { place, candidates, awaited, undone, told } = folder;
  const { doneFile } = place;
  folder.listing = listingOf(folder.listing, stats, clock.now());
  const names = await at.list();
  const there = new Set(names);
  candidates.keepOnly(there);
  for (const name of undone.keys()) if (!there.has(name)) undone.delete(name);
  for (const name of told) if (!there.has(name)) told.delete(name);
  awaited.clear();
  for (const name of names) {
    if (parseCarried(name)) await intake.reclaim(place, name, at.path(name));
    if (isTemporaryName(name) || (place.folder === 'inbox' && OURS.has(name)) || (doneFile !== null && isDoneFile(name, doneFile)))
      continue;
    folder.left.push(name);
    const done = doneFile !== null && doneFileFor(name, doneFile);
    if (done && there.has(done)) awaited.set(done, (awaited.get(done) ?? 0) + 1);
  }
  folder.names = names.length;
}

/** Looks at what is left of the listing. Resolves with the time of the next visit. */
async function walk(parts: VisitParts, folder: Folder, at: SafeFolder): Promise<number | undefined> {
  const { clock, log, settings } = parts;
  const { left, place, candidates } = folder;
  const tally = { taken: 0, failed: 0, full: false, skipped: false };
  let next = 0;
  const goesOn = (): boolean => next < left.length && !tally.full && tally.taken < TAKES_MAX && tally.failed < FAILURES_MAX;

  async function look(): Promise<void> {
    while (goesOn()) {
      const name = left[next++] ?? '';
      const candidate = candidates.get(name);
      if (candidate ? isDue(candidate, clock.now()) : candidates.hasRoom()) await lookAt(name);
      else tally.skipped ||= !candidate;
    }
  }
  async function lookAt(name: ByteName): Promise<void> {
    const done = place.doneFile === null ? null : doneFileFor(name, place.doneFile);
    if (done !== null && !folder.awaited.has(done)) return waitForDone(name);
    const outcome = await lookAtFile(parts, folder, at, name, done);
    if (outcome === 'taken') tally.taken++;
    if (outcome === 'failed') tally.failed++;
    if (outcome === 'full') tally.full = true;
    if (outcome === 'taken' && done !== null) await released(done);
  }
  /** The last of the documents that it spoke for takes the done-file with it. */
  async function released(done: ByteName): Promise<void> {
    const others = (folder.awaited.get(done) ?? 1) - 1;
    folder.awaited.set(done, others);
    if (others === 0)
      await at.remove(done).catch((error: unknown) => log.warn({ event: 'watch.done-file-left', home: place.home, err: error }));
  }
  function waitForDone(name: ByteName): void {
    const now = clock.now();
    const sinceMs = folder.undone.get(name) ?? now;
    if (folder.undone.size < UNDONE_MAX) folder.undone.set(name, sinceMs);
    if (now - sinceMs >= settings.incomplete && firstTold(folder, name)) {
      log.warn({ event: 'watch.no-done-file', home: place.home, file: nameText(name) });
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, look));
  folder.left = left.slice(next);
  const now = clock.now();
  if (tally.full && !folder.full) log.warn({ event: 'watch.full', home: place.home, folder: place.folder, againMs: FULL_MS });
  if (tally.full || tally.taken > 0) folder.full = tally.full;
  if (tally.full || tally.failed >= FAILURES_MAX) {
    folder.left = [];
    return now + (tally.full ? FULL_MS : FAILING_MS);
  }
  if (folder.left.length > 0) return now;
  const dueMs = candidates.nextMs() ?? (tally.skipped ? now + settings.rescan : undefined);
  return dueMs === undefined ? undefined : Math.max(dueMs, pausedUntilMs(folder, now));
}

/** Not to be visited before, whatever was reported. */
export function pausedUntilMs({ names }: Pick<Folder, 'names'>, nowMs: number): number {
  return nowMs + PAUSE_MS + names / NAMES_PER_MS;
}
