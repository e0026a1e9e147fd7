// Incarnations: each process that works on the data folder has an id from its start to its end, and under it folders of its own for what is not
// finished: `staged/ID` and `spool/receiving/ID`, with one for each home. It lives as long as it holds the lock `incarnations/ID`, which the kernel releases when the
// process dies, however it dies.
import { existsSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { incarnationId, isIncarnationId, type Random } from '#domain/id.ts';
import { ensureFolder, FolderSync } from '#runtime/files/durable.ts';
import { tryLockFile } from '#runtime/files/lock.ts';
import { systemCode } from '#runtime/files/system-code.ts';
import { receivingFolder, stagingFolder } from './paths.ts';

/** Folders of homes that a process removes as it ends, while nothing else goes on; over a network each takes a millisecond and more. */
const REMOVED_MAX = 1_000;

/** Dispose at the end: what is left in its folders is cleaned by the next start. */
export interface Incarnation extends Disposable {
  readonly id: string;
}

/** Durable, so that also after a power loss it is known to have ended. */
export async function beginIncarnation(data: string, random: Random): Promise<Incarnation> {
  const folder = ensureFolder(data, 'incarnations');
  for (;;) {
    const id = incarnationId(random);
    const lock = tryLockFile(lockPath(data, id));
    // Before it was locked another process may have taken it for one that had ended, and removed it.
    if (!lock || !existsSync(lockPath(data, id))) {
      lock?.[Symbol.dispose]();
      continue;
    }
    await new FolderSync().sync(folder);
    return {
      id,
      [Symbol.dispose]() {
        removeFoldersIn(receivingFolder(data, id));
        forget(data, id);
        lock[Symbol.dispose]();
      },
    };
  }
}

/**
 * Those that live now. What is to be judged by it must be listed before: an incarnation that begins later has nothing in the list, and what one
 * that has ended has committed is read after.
 */
export function livingIncarnations(data: string): Set<string> {
  const living = new Set<string>();
  for (const id of knownIncarnations(data)) {
    using lock = tryLock(data, id);
    if (!lock) living.add(id);
  }
  return living;
}

/** Those of this data folder that have left something: all that live, and some that have ended. */
export function knownIncarnations(data: string): Set<string> {
  // A file server keeps what was removed while it was open under a name of its own (`.nfs…`).
  return new Set(readdirSync(ensureFolder(data, 'incarnations')).filter(isIncarnationId));
}

/** What asks which incarnations live, where locks of files alone do not tell. */
export interface Living {
  readonly data: string;
  readonly living?: () => Promise<ReadonlySet<string>>;
}

/** Those that live now; to be asked as `livingIncarnations`. */
export async function livingOf({ data, living }: Living): Promise<Set<string>> {
  return living ? new Set(await living()) : livingIncarnations(data);
}

/** Removes the empty folders of those that have ended, and their locks where nothing of them is left. */
export async function forgetEnded(parts: Living): Promise<void> {
  const { data } = parts;
  const known = [...knownIncarnations(data), ...foldersOf(data, 'staged'), ...foldersOf(data, 'spool', 'receiving')];
  const living = parts.living && (await parts.living());
  for (const id of new Set(known)) {
    if (living?.has(id)) continue;
    // Locked while it is removed, so that no process begins under this id meanwhile.
    using lock = tryLock(data, id);
    if (lock) forget(data, id);
  }
}

/** Null while another process has it. Over a network one may still be found, and not be opened, that another node has removed: nobody has that. */
function tryLock(data: string, id: string): Disposable | null {
  try {
    return tryLockFile(lockPath(data, id));
  } catch (error) {
    if (knownIncarnations(data).has(id)) throw error;
    return new DisposableStack();
  }
}

/** To be called with its lock. What cannot be removed now, as a file server may say also of what it has removed, is for the next start. */
function forget(data: string, id: string): void {
  const gone = [stagingFolder(data, id), receivingFolder(data, id)].map((folder) => isRemoved(() => rmdirSync(folder)));
  if (gone.every(Boolean)) isRemoved(() => unlinkSync(lockPath(data, id)));
}

/** Those that are empty. Of more than a process that ends has time for, all are left for the next start. */
function removeFoldersIn(folder: string): void {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  if (names.length > REMOVED_MAX) return;
  for (const name of names) isRemoved(() => rmdirSync(join(folder, name)));
}

function isRemoved(remove: () => void): boolean {
  try {
    remove();
    return true;
  } catch (error) {
    return systemCode(error) === 'ENOENT';
  }
}

function lockPath(data: string, id: string): string {
  return join(data, 'incarnations', id);
}

function foldersOf(...parts: string[]): string[] {
  return readdirSync(ensureFolder(...parts), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}
