// The seam between the ways in (SFTP, folders) and the rest of the gateway: a few asynchronous calls with plain data.
// The part that answers them owns spool and ledger; the parts that call them own sockets and descriptors.

/** A name as bytes, one character per byte (latin1): what the client sent is what the client sees again. Never a path. */
export type ByteName = string;

/** Folders below the inbox. Behind `tmp`, where a file waits for a rename out of it, and `test`, where it is judged and not sent, nothing stands on disk. */
export const INBOX_FOLDERS = ['overwrite', 'tmp', 'test'] as const;

/** Where something is dropped: the home, and which of the inbox's folders. */
export interface DropFolder {
  readonly home: string;
  readonly folder: 'inbox' | (typeof INBOX_FOLDERS)[number];
}

/** A file of a place. */
export interface Named extends DropFolder {
  readonly name: ByteName;
}

export interface Renamer {
  readonly login: string;
  readonly session: string;
}

export interface UploadRequest extends DropFolder {
  readonly name: ByteName;
  readonly login: string;
  /** The SFTP session: what it uploaded stays visible to it while it lives. */
  readonly session: string;
  /** The client did not ask to truncate: go on with a broken upload of this name, if there is one. */
  readonly resume: boolean;
}

export interface ResendRequest extends DropFolder {
  readonly name: ByteName;
  readonly login: string;
  readonly session: string;
  /** Its name in the home's folder `refused`. */
  readonly kept: string;
}

export interface Upload {
  readonly upload: string;
  /** The file to write to: it exists, is empty or holds `size` bytes of a broken upload, and is open nowhere else. */
  readonly path: string;
  readonly size: number;
  /** `grow` is asked before there are more bytes in it; without it any size will do. */
  readonly isJudged?: boolean;
}

/** A file that its client has closed. */
export interface ClosedFile {
  readonly size: number;
  /** The digest of its bytes in hex; null when the caller does not know it. */
  readonly sha256: string | null;
  /** The time that the client gave it. */
  readonly setMs?: number;
  /** When its first byte came, as far as is known. */
  readonly begunAt?: number;
  /** Its client may not look at the answer. */
  readonly isAnswerIgnored?: boolean;
}

export type Taken =
  /** Durable and ours to deliver, or tested and its report durable: the client may be told OK. */
  | { readonly state: 'taken'; readonly item: string }
  /** A temporary name: complete, but not ours until it is renamed to a real one. */
  | { readonly state: 'waiting' };

export type EntryState =
  | 'open' // a client is writing it
  | 'broken' // the connection was lost before CLOSE; can be resumed
  | 'waiting' // closed under a temporary name; a rename commits it
  | 'taken' // ours: pending, or ended and lingering; or tested, and lingering
  | 'found'; // a local program has put it into the folder

/** What a session may know of a dropped file. */
export interface Entry {
  readonly state: EntryState;
  readonly name: ByteName;
  readonly size: number;
  /** As the client set it; without that since when it is as it is. */
  readonly mtimeMs: number;
}

/** A file on disk: its name, and the way to its folder from a folder of ours. */
export interface Whereabouts {
  readonly root: string;
  readonly components: readonly string[];
  readonly name: ByteName;
}

/** A file in a folder, as it was when it was found complete. */
export interface FoundFile {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  /** The digest of its bytes in hex; null when they were not read. */
  readonly sha256: string | null;
}

export interface Intake {
  /** Begins an upload. Throws `quota`, `name`, `storage`. */
  open(request: UploadRequest): Promise<Upload>;
  /** Whether an upload may have so many bytes. Asked while it is written, because there are clients that do not look at the answer to CLOSE. Throws `quota`. */
  grow(upload: string, bytes: number): Promise<void>;
  /**
   * The client closed the file. Resolves when the bytes are durable and the item is in the ledger, or when the name is a temporary one.
   * Throws `storage`, and `invalid` where a verdict refuses it; then the upload is gone.
   */
  commit(upload: string, file: ClosedFile): Promise<Taken>;
  /** The connection was lost before the file was closed: it is never committed, and kept for `partialsKept` so that it can be resumed. */
  abandon(upload: string): Promise<void>;
  /** The upload failed for good (too large): the file is removed. */
  cancel(upload: string): Promise<void>;
  /** Everything that is to be seen at a place: uploads, waiting and pending files, files that linger after CLOSE, files on disk. Names that are not UTF-8 are escaped for sessions that did not send them; by that form they are found, too. */
  view(place: DropFolder, session: string): Promise<Entry[]>;
  /** One entry of the view, or null. */
  find(place: DropFolder, name: ByteName, session: string): Promise<Entry | null>;
  /** Where the bytes of a file in sight may be, in the order in which they move on. */
  where(place: DropFolder, name: ByteName, session: string): Promise<Whereabouts[]>;
  /** The client sets another time for a file in sight, by which it knows the file again. */
  touch(place: DropFolder, name: ByteName, session: string, setMs: number): Promise<void>;
  /** Renames a file in sight; from a temporary to a real name it is the commit. Throws `missing`, `exists`, `quota`, `storage`, and as `commit` does. */
  rename(from: Named, to: Named, by: Renamer): Promise<void>;
  /** REMOVE: hides a committed file (it never cancels one), and discards an upload that is not committed. Throws `missing`. */
  remove(place: DropFolder, name: ByteName, session: string): Promise<void>;
  /**
   * Takes a complete file that lies in the account's home, as if it had been dropped at `place`; without `found`, as it is now. Throws
   * `quota`, `storage`, and `in-flight` when it is not the file that was found, or is being written; then it stays where it is.
   */
  take(place: DropFolder, name: ByteName, path: string | Buffer, found?: FoundFile): Promise<Taken>;
  /** A crash has left a file half taken at `place`, under a name of ours: it is removed when it is an item already, and gets its name back otherwise. */
  reclaim(place: DropFolder, name: ByteName, path: string | Buffer): Promise<void>;
  /** Sends a refused original of the home again, under a new name. Throws `missing`, `quota`, `storage`; then it stays where it is. */
  resend(request: ResendRequest): Promise<Taken>;
  /** The session has ended. */
  leave(session: string): void;
}

/** Text as a byte name, in UTF-8. */
export function toByteName(text: string): ByteName {
  return Buffer.from(text).toString('latin1');
}

/** How names end that say 'not finished yet', in any case. */
export const TEMPORARY_ENDINGS = [
  '~',
  '.part',
  '.partial',
  '.filepart',
  '.tmp',
  '.temp',
  '.writing',
  '.uploading',
  '.downloading',
  '.crdownload',
  '.swp',
  '.lock',
  '.camellock',
] as const;

/** Whether a name says 'not finished yet' (submit-and-poll.md, step 1). */
export function isTemporaryName(name: ByteName): boolean {
  const lower = name.toLowerCase();
  return name.startsWith('.') || TEMPORARY_ENDINGS.some((ending) => lower.endsWith(ending));
}

/** What a temporary name becomes, as most clients rename it. */
export function finishedName(name: ByteName): ByteName {
  const ending = TEMPORARY_ENDINGS.find((each) => name.toLowerCase().endsWith(each)) ?? '';
  return name.slice(name.startsWith('.') ? 1 : 0, name.length - ending.length);
}

/** Whether a file of this name is sent, or tested, when it is complete. */
export function isReal({ folder, name }: Named): boolean {
  return folder !== 'tmp' && !isTemporaryName(name);
}

/** Whether a file of this name is only judged. */
export function isTest({ folder }: Pick<DropFolder, 'folder'>): boolean {
  return folder === 'test';
}
