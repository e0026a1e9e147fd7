// One visit to a folder: it is listed, and its files are looked at. When there are many, some are left for another visit, so that other folders
// do not wait.
import type { Stats } from 'node:fs';
import { AppError } from '#domain/error.ts';
import { doneFileFor } from '#gateway/model/done-file.ts';
import { nameText } from '#gateway/model/file-names.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { ByteName } from '#gateway/model/intake.ts';
import { forEachLimit } from '#runtime/concurrency.ts';
import { makeFolders } from '#runtime/files/held-folder.ts';
import { inFolder, type SafeFolder } from '#runtime/files/safe-folder.ts';
import type { CandidateCount } from './candidates.ts';
import { type FileParts, type Inside, lookAtFile } from './file.ts';
import { type Folder, firstTold } from './folder.ts';
import { list } from './list.ts';
import { isDue } from './settle.ts';

export interface VisitParts extends FileParts {
  readonly check: HomesInHand['check'];
  readonly count: CandidateCount;
  /** The folder is open, and about to be listed. `path` is valid during the visit only. */
  readonly begun: (folder: Folder, stats: Stats, path: Buffer) => Promise<void>;
}

/** Files that are taken in one visit. */
const TAKES_MAX = 64;
/** Files of one folder that are looked at together. */
const AT_ONCE = 16;
/** When a full home is visited again, and a folder whose files cannot be taken. */
const FULL_MS = 10_000;
const FAILING_MS = 60_000;
const FAILURES_MAX = 10;
/** Between two visits, so that files that come one by one are listed together; longer for long listings. */
const PAUSE_MS = 100;
const NAMES_PER_MS = 20;
/** Documents without their done-file that are remembered. */
const UNDONE_MAX = 10_000;

/** Resolves with the time of the next visit, if none is asked for earlier; undefined when nothing waits in the folder. Does not throw. */
export async function visit(parts: VisitParts, folder: Folder): Promise<number | undefined> {
  const { clock, log, settings } = parts;
  const { home, folder: which } = folder.place;
  try {
    const next = await present(parts, folder, async (at) => {
      const stats = await at.stats();
      await parts.begun(folder, stats, at.self);
      if (!folder.contents?.left.length) await list(folder, at, stats, parts.count, clock.now());
      const { contents } = folder;
      return contents && walk(parts, { folder, contents, at });
    });
    if (folder.trouble !== null) log.info({ event: 'watch.recovered', home, folder: which });
    folder.trouble = null;
    return next ?? undefined;
  } catch (error) {
    const trouble = String(error);
    if (folder.trouble !== trouble) log.warn({ event: 'watch.failed', home, folder: which, err: error });
    folder.trouble = trouble;
    return clock.now() + settings.rescan;
  }
}

/** A folder that was removed is made again: an ERP needs it to write. */
async function present<Result>({ log }: VisitParts, folder: Folder, use: (at: SafeFolder) => Promise<Result>): Promise<Result> {
  const { place, listing } = folder;
  const { root, components } = place;
  try {
    return await inFolder(root, components, use);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'missing')) throw error;
  }
  for (const [at, name] of components.entries()) makeFolders(root, components.slice(0, at), [name]);
  if (listing) log.warn({ event: 'watch.made', home: place.home, folder: place.folder });
  return inFolder(root, components, use);
}

/** Looks at the files that are left of the listing. Resolves with the time of the next visit. */
async function walk(parts: VisitParts, inside: Inside): Promise<number | undefined> {
  const { clock, log, settings } = parts;
  const { folder, contents, at } = inside;
  const { place } = folder;
  const { left, carried, candidates, awaited, undone } = contents;
  for (const name of carried.splice(0)) await parts.intake.reclaim(place, name, at.path(name));
  const tally = { taken: 0, failed: 0, full: false, skipped: false };
  let next = 0;
  const goesOn = (): boolean => next < left.length && !tally.full && tally.taken < TAKES_MAX && tally.failed < FAILURES_MAX;

  function* due(): Generator<ByteName> {
    while (goesOn()) {
      const name = left[next++] ?? '';
      const candidate = candidates.get(name);
      if (candidate ? isDue(candidate, clock.now()) : candidates.hasRoom()) yield name;
      else tally.skipped ||= !candidate;
    }
  }
  async function lookAt(name: ByteName): Promise<void> {
    const done = place.doneFile === null ? null : doneFileFor(name, place.doneFile);
    if (done !== null && !awaited.has(done)) return waitForDone(name);
    const outcome = await lookAtFile(parts, inside, name, done);
    if (outcome === 'taken') tally.taken++;
    if (outcome === 'failed') tally.failed++;
    if (outcome === 'full') tally.full = true;
    if (outcome === 'taken' && done !== null) await released(done);
  }
  /** The done-file is removed with the last of the documents that it spoke for. */
  async function released(done: ByteName): Promise<void> {
    const others = (awaited.get(done) ?? 1) - 1;
    awaited.set(done, others);
    if (others > 0) return;
    // Where another node has the home by now, it is that of the next documents.
    await at.remove(done, parts.check).catch((error: unknown) => log.warn({ event: 'watch.done-file-left', home: place.home, err: error }));
  }
  function waitForDone(name: ByteName): void {
    const now = clock.now();
    const sinceMs = undone.get(name) ?? now;
    if (undone.size < UNDONE_MAX) undone.set(name, sinceMs);
    if (now - sinceMs >= settings.incomplete && firstTold(contents, name)) {
      log.warn({ event: 'watch.no-done-file', home: place.home, file: nameText(name) });
    }
  }

  await forEachLimit(due(), AT_ONCE, lookAt);
  contents.left = left.slice(next);
  const now = clock.now();
  if (tally.full && !folder.full) log.warn({ event: 'watch.full', home: place.home, folder: place.folder, againMs: FULL_MS });
  if (tally.full || tally.taken > 0) folder.full = tally.full;
  if (tally.full || tally.failed >= FAILURES_MAX) {
    contents.left = [];
    return now + (tally.full ? FULL_MS : FAILING_MS);
  }
  if (contents.left.length > 0) return now;
  const dueMs = candidates.nextMs() ?? (tally.skipped ? now + settings.rescan : undefined);
  return dueMs === undefined ? undefined : Math.max(dueMs, pausedUntilMs(folder, now));
}

/** The earliest time of the next visit after a reported change. */
export function pausedUntilMs({ names }: Pick<Folder, 'names'>, nowMs: number): number {
  return nowMs + PAUSE_MS + names / NAMES_PER_MS;
}
