// One folder that is followed: what is kept of it between two visits.
import type { Stats } from 'node:fs';
import { inboxComponents } from '#gateway/disk/inbox-folder.ts';
import { homeFolder } from '#gateway/disk/paths.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { DoneFile } from '#gateway/model/done-file.ts';
import type { ByteName, DropFolder } from '#gateway/model/intake.ts';
import type { Candidates } from './candidates.ts';

export interface WatchedFolder extends DropFolder {
  /** The path of the home, and the folders to go down from there, none of which may be a link. */
  readonly root: string;
  readonly components: readonly string[];
  /** Documents wait for a file that says that they are complete. */
  readonly doneFile: DoneFile | null;
}

/** An inbox with the folder in it: one walk leads to both. */
export interface Inbox<Each = Folder> {
  readonly inbox: Each;
  readonly overwrite: Each;
}

/** The inboxes of all homes that are looked into. */
export function watchedInboxes(data: string, accounts: Pick<Accounts, 'inboxes' | 'doneFile'>): Inbox<WatchedFolder>[] {
  return accounts.inboxes().map((home) => {
    const doneFile = accounts.doneFile(home);
    const root = homeFolder(data, home);
    const watched = (folder: WatchedFolder['folder']): WatchedFolder => ({
      home,
      folder,
      root,
      components: inboxComponents({ home, folder }),
      doneFile,
    });
    return { inbox: watched('inbox'), overwrite: watched('overwrite') };
  });
}

/** A listing, and what the folder was like just before it. */
export interface Listing extends Pick<Stats, 'dev' | 'ino' | 'mtimeMs'> {
  readonly atMs: number;
  /** When a look at the folder first found this time of its last change. */
  readonly sinceMs: number;
}

/** The documents in a folder; most folders hold none most of the time. */
export interface Contents {
  readonly candidates: Candidates;
  /** Documents of the last listing that are still to be looked at. */
  left: ByteName[];
  /** Files that a take from another file system has left behind. */
  carried: ByteName[];
  /** For how many documents of the last listing each done-file still speaks. */
  readonly awaited: Map<ByteName, number>;
  /** Documents without their done-file, and when they were first met. */
  readonly undone: Map<ByteName, number>;
  /** Names that were logged. */
  readonly told: Set<ByteName>;
}

/** By which the system reports the changes of a folder. */
export interface Watch {
  close(): void;
}

export interface Folder {
  place: WatchedFolder;
  listing: Listing | null;
  /** How many names that listing had. */
  names: number;
  contents: Contents | null;
  /** The error of the folder as a whole, which was logged once. */
  trouble: string | null;
  /** The home has as many documents waiting for the service as it may, which was logged. */
  full: boolean;
  /** While it is one of the hot folders. */
  watch: { readonly of: Watch; readonly dev: number; readonly ino: number } | null;
  /** Other machines may change it, which this system does not report. */
  shared: boolean;
  /** A shared folder that had files lately is visited more often until then. */
  activeUntilMs: number;
}

export function openFolder(place: WatchedFolder, shared: boolean): Folder {
  return { place, listing: null, names: 0, contents: null, trouble: null, full: false, watch: null, shared, activeUntilMs: 0 };
}

/** A second change within the resolution of a file system's times does not show, so a listing soon after a change is repeated. */
const GRAIN_MS = 5_000;
/** How often a folder is listed although its time has not changed: some network file systems do not keep it. Seldom where it is empty, on this machine's own. */
const LIST_EVERY_MS = 10 * 60_000;
const LIST_OWN_EVERY_MS = 60 * 60_000;

/** Whether names may have come since the last listing. */
export function mustList(
  { listing, shared, contents }: Pick<Folder, 'listing' | 'shared' | 'contents'>,
  { dev, ino, mtimeMs }: Pick<Stats, 'dev' | 'ino' | 'mtimeMs'>,
  nowMs: number,
): boolean {
  if (listing?.dev !== dev || listing.ino !== ino || listing.mtimeMs !== mtimeMs) return true;
  const agoMs = nowMs - listing.atMs;
  return listing.atMs < listing.sinceMs + GRAIN_MS || agoMs < 0 || agoMs >= (shared || contents ? LIST_EVERY_MS : LIST_OWN_EVERY_MS);
}

/** The listing that begins now. */
export function listingOf(before: Listing | null, { dev, ino, mtimeMs }: Pick<Stats, 'dev' | 'ino' | 'mtimeMs'>, nowMs: number): Listing {
  const same = before?.dev === dev && before.ino === ino && before.mtimeMs === mtimeMs;
  return { dev, ino, mtimeMs, atMs: nowMs, sinceMs: same ? before.sinceMs : nowMs };
}

/** Whether this name is to be logged: each once, and only so many. */
export function firstTold({ told }: Contents, name: ByteName): boolean {
  if (told.has(name) || told.size >= TOLD_MAX) return false;
  told.add(name);
  return true;
}

const TOLD_MAX = 1_000;
