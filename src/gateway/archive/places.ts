// Where the archive lies: `archive/ACCOUNT/DAY/` below the data folder, where no login sees it. Received documents stand in the folder of the day itself.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { endOfDay } from '#domain/day.ts';
import { nullIf } from '#runtime/files/system-code.ts';

/** Below a day: originals that the service took, and receipts, those of the network among them. */
const PARTS = ['sent', 'receipts'] as const;
export type Part = (typeof PARTS)[number];

export const ENDS = '.json';
export const MANIFEST = 'manifest.json';
export const SIGNATURE = 'manifest.sig';

export function archiveFolder(data: string, accountRegNo: string): string {
  return join(data, 'archive', accountRegNo);
}

/** The days of an account, the oldest first. */
export async function daysOf(data: string, accountRegNo: string): Promise<string[]> {
  return (await namesIn(archiveFolder(data, accountRegNo))).filter((name) => endOfDay(name) !== undefined);
}

/** Where it stands how far the chains of accounts go, in a file for each. */
export function endsFolder(data: string): string {
  return join(data, 'keys', 'archive');
}

/** Accounts that have an archive, or had one: of which the folder is gone the ends of the chain tell. */
export async function archivedAccounts(data: string): Promise<string[]> {
  const ends = (await namesIn(endsFolder(data))).filter((name) => name.endsWith(ENDS)).map((name) => name.slice(0, -ENDS.length));
  return [...new Set([...(await namesIn(join(data, 'archive'))), ...ends])].sort();
}

/** All files of a day, as its manifest names them: `sent/invoice.3k9x2m7q.xml`. Links are none: nothing behind one is of the archive. */
export async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return names.filter((name) => name !== MANIFEST && name !== SIGNATURE).sort();
}

/** A folder of the archive itself, not a link to another one. */
export async function isPlainFolder(folder: string): Promise<boolean> {
  return (await lstat(folder)).isDirectory();
}

async function namesIn(folder: string): Promise<string[]> {
  return ((await readdir(folder).catch(nullIf('ENOENT'))) ?? []).sort();
}
