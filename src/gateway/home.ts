// Where things lie in the data folder: homes, spool and keys, as absolute paths.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolder } from '#runtime/files.ts';

export const HOME_FOLDERS = ['inbox', 'outbox', 'receipts', 'accepted', 'refused'] as const;
export type HomeFolder = (typeof HOME_FOLDERS)[number];

/** The home of an account on disk; `accountRegNo` was checked when the account was added. */
export function homeFolder(data: string, accountRegNo: string): string {
  return join(data, 'homes', accountRegNo);
}

/** Files on their way into a home are written here first, on the home's own file system. */
export function stagingFolder(data: string, accountRegNo: string): string {
  return join(homeFolder(data, accountRegNo), '.staged');
}

/** Complete files that are ours and unfinished. */
export function spoolFolder(data: string, accountRegNo: string): string {
  return join(data, 'spool', accountRegNo);
}

/** Uploads that are not committed yet. On one file system with the spool. */
export function receivingFolder(data: string): string {
  return join(data, 'spool', 'receiving');
}

export function sealPath(data: string): string {
  return join(data, 'keys', 'secret.key');
}

/** Makes the folders of an account's home and spool. */
export function ensureHome(data: string, accountRegNo: string): void {
  for (const folder of HOME_FOLDERS) ensureFolder(homeFolder(data, accountRegNo), folder);
  ensureFolder(homeFolder(data, accountRegNo), 'inbox', 'overwrite');
  ensureFolder(stagingFolder(data, accountRegNo));
  ensureFolder(spoolFolder(data, accountRegNo));
}

/** Removes a file that is nobody's any more; one that has gone already is fine. */
export function discard(path: string): void {
  rmSync(path, { force: true });
}
