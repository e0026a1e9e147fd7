// What became of the files of a session, for those who look for them afterwards. Told, never waited for.
import type { ByteName } from '#gateway/model/intake.ts';
import type { LruCache } from '#runtime/cache.ts';
import type { OpenFile } from '#runtime/files/safe-folder.ts';
import type { PublishedFolder } from './tree.ts';

/** A published file, and what its login did with it. */
interface Fetched {
  readonly at: PublishedFolder;
  readonly name: ByteName;
  readonly action: 'downloaded' | 'removed' | 'renamed';
  readonly bytes: number;
  readonly sha256: string | null;
  /** Of a file that was renamed. */
  readonly newName?: ByteName;
}

/** An upload that came to nothing. */
interface Failed {
  readonly home: string;
  readonly name: ByteName;
  /** The most that it had or would have had. */
  readonly size: number;
  readonly reason: string;
}

export interface Transfers {
  fetched(file: Fetched): void;
  failed(upload: Failed): void;
  /** How far files have been read from their start that were not read to their end, by `resumeKey`: a later session may go on there. */
  readonly partlyRead: LruCache<{ readonly upTo: number }>;
}

/** Files of all logins that may be read on. */
export const PARTLY_READ_MAX = 1_000;

/** The same login goes on with the same file, unchanged. */
export function resumeKey(login: string, { home, folder }: PublishedFolder, name: ByteName, { size, mtimeMs }: OpenFile): string {
  return JSON.stringify([login, home, folder, name, size, mtimeMs]);
}
