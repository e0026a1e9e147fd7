// Where things lie in the data folder: homes, spool and keys, as absolute paths.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolders } from '#runtime/files.ts';

export const HOME_FOLDERS = ['inbox', 'outbox', 'receipts', 'accepted', 'refused'] as const;
export type HomeFolder = (typeof HOME_FOLDERS)[number];

/**
 * A home on disk: named like its account or, when it is the home of a partner's children, like the partner; checked when that was added. Not
 * normalized, for there is nothing to be: paths are made in every step of a document, and kept for each home.
 */
export function homeFolder(data: string, home: string): string {
  return `${data}/homes/${home}`;
}

/** Files on their way into a home are written here first. */
export function commonStaging(data: string): string {
  return join(data, 'staged');
}

/** The same for homes on another file system: a rename must not leave it. */
export function stagingFolder(data: string, home: string): string {
  return join(homeFolder(data, home), '.staged');
}

/** Complete files that are ours and unfinished. */
export function spoolFolder(data: string, home: string): string {
  return join(data, 'spool', home);
}

/** Uploads that are not committed yet. On one file system with the spool. */
export function receivingFolder(data: string): string {
  return join(data, 'spool', 'receiving');
}

export function sealPath(data: string): string {
  return join(data, 'keys', 'secret.key');
}

/** Makes the folders of a home and of its spool. */
export function ensureHome(data: string, home: string): void {
  const root = homeFolder(data, home);
  ensureFolders([
    ...HOME_FOLDERS.map((folder) => join(root, folder)),
    join(root, 'inbox', 'overwrite'),
    stagingFolder(data, home),
    spoolFolder(data, home),
  ]);
}

/** Removes a file that is nobody's any more; one that has gone already is fine. */
export function discard(path: string | Buffer): void {
  rmSync(path, { force: true });
}
