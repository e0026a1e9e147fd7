// What the system refuses to this user: which file or folder it is, whose, and how to mend that.
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '#domain/error.ts';
import { systemCode } from './system-code.ts';
import { userName } from './users.ts';

/** What this user wants: files are used by reading and writing, folders by passing them as well. */
const RIGHTS = { pass: constants.X_OK, read: constants.R_OK, use: constants.R_OK | constants.W_OK } as const;
type Right = keyof typeof RIGHTS;

const READ_ONLY = 'see how its file system is mounted, and what ReadWritePaths= of the unit names';

/** A sentence where this user may not use what is there; undefined where it may, and where nothing is there. */
export function refusalOf(path: string, right: Right = 'use'): string | undefined {
  const shut = foldersAbove(path).find((folder) => refusedWith(folder, RIGHTS.pass) !== undefined);
  if (shut === undefined) return refusalAt(path, right, (user) => `chown -R ${user} ${path}`);
  // Folders further up are shared with others.
  return refusalAt(shut, 'pass', (user) => (shut === dirname(path) ? `chown ${user} ${shut}` : `chmod o+x ${shut}`));
}

/** Whether something is there. Throws `usage` where this user may not look: what cannot be seen may be there. */
export function isThere(path: string): boolean {
  return allowed(() => statSync(path, { throwIfNoEntry: false }) !== undefined);
}

/** Returns what `work` does. Throws `usage` with a sentence where the system refuses a path. */
export function allowed<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw inWords(error);
  }
}

/** `usage` with a sentence where the system has refused a path; any other error as it is. */
export function inWords(error: unknown): unknown {
  if (!(error instanceof Error && 'path' in error && typeof error.path === 'string' && isRefusal(systemCode(error)))) return error;
  // What is to be made is refused by its folder.
  const refusal = refusalOf(error.path) ?? refusalOf(dirname(error.path));
  return refusal === undefined ? error : new AppError('usage', refusal, { cause: error });
}

/** `giveTo`: what makes it this user's. */
function refusalAt(path: string, right: Right, giveTo: (user: string) => string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return undefined;
  const isFolder = stats.isDirectory();
  const refused = refusedWith(path, RIGHTS[right] | (isFolder ? RIGHTS.pass : 0));
  if (refused === undefined) return undefined;
  const id = process.geteuid?.() ?? stats.uid;
  const mend = stats.uid === id ? `chmod -R u+rwX ${path}` : giveTo(userName(id).replace('uid ', ''));
  const sentence = `The ${isFolder ? 'folder' : 'file'} ${path} belongs to ${userName(stats.uid)}, and ${userName(id)} may not ${right} it`;
  return `${sentence}: ${refused === 'EROFS' ? READ_ONLY : mend}`;
}

/** What the system says; undefined where it allows that, and where it says anything else, as where nothing is there. */
function refusedWith(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    const code = systemCode(error);
    return isRefusal(code) ? code : undefined;
  }
}

function isRefusal(code: string | undefined): boolean {
  return code === 'EACCES' || code === 'EPERM' || code === 'EROFS';
}

/** From the root on. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersAbove(above), above];
}
