// The data folder as a command finds it, before it opens anything: whether it is there, for this user to work on, and where its files are.
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, messageOf } from '#domain/error.ts';
import { callerName } from '#runtime/audit/caller.ts';
import type { Config } from '#runtime/config/config.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import { isLock } from '#runtime/files/lock.ts';

export const LEDGER_FILES = ['core.db', 'gateway.db'] as const;
/** A backup is unpacked here before it takes its place. Where it is, the data folder holds a part of one. */
export const RESTORING = 'restoring';
/** What a restore that was refused or not finished leaves. */
const isHarmless = (name: string): boolean => name === RESTORING || isLock(name);
/** A gateway that has lost its ledger has its spool. */
const MARKS = [...LEDGER_FILES, 'spool'] as const;

/**
 * Whether a daemon or a command has worked on this data folder. A folder that cannot be used counts, too: opening it names the fault; and so does
 * PostgreSQL.
 */
export function isInstalled({ data, database }: Pick<Config, 'data' | 'database'>): boolean {
  if (database.url !== null) return true;
  try {
    const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
    return isThere(data) && (!statSync(data).isDirectory() || MARKS.some((name) => isThere(join(data, name))));
  } catch {
    return true;
  }
}

/** What stands in the way of a restore into the folder; nothing where it is not there. */
export function contentsOf(data: string): string[] {
  return existsSync(data) ? readdirSync(data).filter((name) => !isHarmless(name)) : [];
}

export function coreLedgerPath(data: string): string {
  return join(data, 'core.db');
}

/** The same as `prepareFolder`, for what works on the data in it. Throws `usage` also where a restore was not finished. */
export function prepareData(data: string): void {
  prepareFolder(data);
  if (existsSync(join(data, RESTORING)))
    throw new AppError('usage', `A restore into ${data} was not finished: run dropgate restore again, which begins anew.`);
}

/**
 * Makes the data folder. When root works on a folder that belongs to somebody else, the process becomes that user first: a file of
 * root's among the others would stop the daemon. Throws `usage` when this user may not write there.
 */
export function prepareFolder(data: string): void {
  try {
    ensureFolder(data);
    becomeOwner(data);
    accessSync(data, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new AppError(
      'usage',
      `The data folder ${data} cannot be used (${messageOf(error)}): run this as its owner or as root, or name another one as 'data' in the configuration.`,
      { cause: error },
    );
  }
}

function becomeOwner(data: string): void {
  const { uid, gid } = statSync(data);
  if (process.getuid?.() !== 0 || uid === 0) return;
  // For the audit trail: afterwards nobody knows.
  callerName();
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}
