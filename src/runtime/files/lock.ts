// Locks of the data folder: one daemon and one backup at a time, and no command beside its start. The kernel releases them when the process dies,
// however it dies.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { AppError } from '#domain/error.ts';

/** The lock that a start holds. */
export const START = 'lock.start';
const BACKUP = 'lock.backup';
const REMEDY = 'stop it first, or give this one another data folder';
const REMEDY_OF_NODE = 'stop it first, or give this one another name (node)';

/** SQLite's code for 'somebody else has it'. */
const SQLITE_BUSY = 5;

/** Of the daemon on this folder; each node that shares it has its own. */
export function lockOf(folder: string, node: string | null): string {
  return join(folder, node === null ? 'lock' : `lock-${node}`);
}

const IS_LOCK = /^lock(?:-[a-z0-9-]+)?$/;

/** Whether the name of a file in a data folder is that of a lock. */
export function isLock(name: string): boolean {
  return IS_LOCK.test(name) || name === START || name === BACKUP;
}

/** Takes the lock of the daemon, or throws `locked`. Dispose to release. */
export function lockFolder(folder: string): Disposable {
  return takeLock(lockOf(folder, null), `Another dropgate runs on ${folder}; ${REMEDY}.`);
}

/**
 * The same of a node. It may stand in for a machine that has crashed, whose locks a file server keeps for a while: it waits for that long. `waits` is told
 * every ten seconds.
 */
export function lockNode(folder: string, node: string, waits: () => void): Promise<Disposable> {
  let leftMs = NODE_WAIT_MS_MAX;
  return waitFor(
    () => tryLockFile(lockOf(folder, node)),
    TOLD_EVERY_MS,
    () => {
      leftMs -= TOLD_EVERY_MS;
      if (leftMs <= 0) throw new AppError('locked', `Another dropgate runs on ${folder} as node ${node}; ${REMEDY_OF_NODE}.`);
      waits();
    },
  );
}

/** The same, of all nodes that have run on the folder, too: nothing works on it then, as far as locks of files reach. */
export function lockAlone(folder: string): Disposable {
  using taken = new DisposableStack();
  const names = new Set(['lock', ...readdirSync(folder).filter((name) => IS_LOCK.test(name))]);
  for (const name of names) {
    // Of nodes all have this one folder.
    const remedy = name === 'lock' ? REMEDY : 'stop it first';
    taken.use(takeLock(join(folder, name), `Another dropgate runs on ${folder} (${name}); ${remedy}.`));
  }
  return taken.move();
}

const WAIT_MS_MAX = 30_000;
const TOLD_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 20;
/** A server of NFS 4.1 keeps the locks of a machine that is gone for 90 s as a rule; the unit gives a start 120 s. */
const NODE_WAIT_MS_MAX = 100_000;

/**
 * Held while a start brings ledger, spool and homes together, and by a command for each change that spans them: a start would take the half
 * of it for the leftovers of a crash. Waits for its turn, without holding up this process; throws `locked`. Dispose to release.
 */
export function lockStart(folder: string): Promise<Disposable> {
  return waitFor(() => tryLockStart(folder), WAIT_MS_MAX, refusing(`The daemon on ${folder} is starting; try again in a moment.`));
}

/**
 * The same for a start itself. It waits for as long as the other lives: how long that needs is a matter of homes and of the file system, and a node that
 * ended here would stay down. `waits` is told every ten seconds.
 */
export function lockOwnStart(folder: string, waits: () => void): Promise<Disposable> {
  return waitFor(() => tryLockStart(folder), TOLD_EVERY_MS, waits);
}

/** Held while a backup is made. Throws `locked`. Dispose to release. */
export function lockBackup(folder: string): Disposable {
  return takeLock(join(folder, BACKUP), `A backup of ${folder} is being made already: run this again when it is done.`);
}

/** Held while a line is written to the audit trail in this folder. Waits for its turn; throws `locked`. Dispose to release. */
export function lockTrail(folder: string): Promise<Disposable> {
  const refusal = `The audit trail in ${folder} is being written; try again in a moment.`;
  return waitFor(() => tryLockFile(join(folder, 'lock')), WAIT_MS_MAX, refusing(refusal));
}

/** `late` is called each time that so long has passed. */
async function waitFor(tryLock: () => Disposable | null, lateMs: number, late: () => void): Promise<Disposable> {
  for (let next = performance.now() + lateMs; ; await setTimeout(LOOK_EVERY_MS)) {
    const lock = tryLock();
    if (lock) return lock;
    if (performance.now() <= next) continue;
    late();
    next += lateMs;
  }
}

function refusing(refusal: string): () => never {
  return () => {
    throw new AppError('locked', refusal);
  };
}

/** As `lockStart` without waiting; null while a start or a command has it. */
export function tryLockStart(folder: string): Disposable | null {
  return tryLockFile(join(folder, START));
}

/** Takes the lock of a file, which is made when it is not there; null while somebody else has it. No process may open the file otherwise. */
export function tryLockFile(path: string): Disposable | null {
  try {
    return takeLock(path, 'busy');
  } catch (error) {
    if (error instanceof AppError && error.code === 'locked') return null;
    throw error;
  }
}

function takeLock(path: string, refusal: string): Disposable {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is written, so no journal need lie beside the file.
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new AppError('locked', refusal, { cause: error });
  }
  return { [Symbol.dispose]: () => lock.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
