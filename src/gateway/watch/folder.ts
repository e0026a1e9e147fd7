// One watched folder: what is remembered of it between two visits.
import type { Stats } from 'node:fs';
import type { DoneFile } from '#gateway/model/done-file.ts';
import type { ByteName, Place } from '#gateway/model/intake.ts';
import type { Candidates } from './candidates.ts';
import type { Watch } from './events.ts';

export interface WatchedFolder extends Place {
  /** The path of the home, and the folders to go down from there, none of which may be a link. */
  readonly root: string;
  readonly components: readonly string[];
  /** Documents wait for a file that says that they are complete. */
  readonly doneFile: DoneFile | null;
}

/** A listing, and what the folder was like just before it. */
export interface Listing extends Pick<Stats, 'dev' | 'ino' | 'mtimeMs'> {
  readonly atMs: number;
  /** When a look at the folder first found this time of its last change. */
  readonly sinceMs: number;
}

/** What a folder holds that is of interest; most hold nothing, most of the time. */
export interface Contents {
  readonly candidates: Candidates;
  /** Documents of the last listing that nobody has looked at yet. */
  left: ByteName[];
  /** Files that a take from another file system has left behind. */
  carried: ByteName[];
  /** How many documents of the last listing each done-file still speaks for. */
  readonly awaited: Map<ByteName, number>;
  /** Documents without their done-file, and when they were first met. */
  readonly undone: Map<ByteName, number>;
  /** Names that somebody was told of. */
  readonly told: Set<ByteName>;
}

export interface Folder {
  place: WatchedFolder;
  /** By which it is known; nothing is opened by it. */
  readonly key: string;
  listing: Listing | null;
  /** How many names that listing had. */
  names: number;
  contents: Contents | null;
  /** What is wrong with the folder as a whole, and was said once. */
  trouble: string | null;
  /** The home may have no more that wait for the service, and somebody was told. */
  full: boolean;
  watch: { readonly of: Watch; readonly dev: number; readonly ino: number } | null;
  /** Others may change it behind our back. */
  shared: boolean;
  /** A shared folder is looked at more often until then: there were files lately. */
  activeUntilMs: number;
}

/** A change that comes within the grain of a file system's time does not show: so soon after a change a listing is not the last word. */
const GRAIN_MS = 5_000;
/**
 * How often a folder is listed, whatever its time says: not every file system on a network keeps it. Of a watched one changes are heard, too,
 * so it is left in peace while it holds nothing.
 */
const LIST_EVERY_MS = 10 * 60_000;
const LIST_PEACEFUL_EVERY_MS = 60 * 60_000;

/** Whether names may have come since the last listing. */
export function mustList(
  { listing, watch, contents }: Pick<Folder, 'listing' | 'watch' | 'contents'>,
  { dev, ino, mtimeMs }: Pick<Stats, 'dev' | 'ino' | 'mtimeMs'>,
  nowMs: number,
): boolean {
  if (listing?.dev !== dev || listing.ino !== ino || listing.mtimeMs !== mtimeMs) return true;
  const agoMs = nowMs - listing.atMs;
  return listing.atMs < listing.sinceMs + GRAIN_MS || agoMs < 0 || agoMs >= (watch && !contents ? LIST_PEACEFUL_EVERY_MS : LIST_EVERY_MS);
}

/** The listing that begins now. */
export function listingOf(before: Listing | null, { dev, ino, mtimeMs }: Pick<Stats, 'dev' | 'ino' | 'mtimeMs'>, nowMs: number): Listing {
  const same = before?.dev === dev && before.ino === ino && before.mtimeMs === mtimeMs;
  return { dev, ino, mtimeMs, atMs: nowMs, sinceMs: same ? before.sinceMs : nowMs };
}

/** Tells whether somebody should be told of this name: once, and not of any number of them. */
export function firstTold({ told }: Contents, name: ByteName): boolean {
  if (told.has(name) || told.size >= TOLD_MAX) return false;
  told.add(name);
  return true;
}

const TOLD_MAX = 1_000;
