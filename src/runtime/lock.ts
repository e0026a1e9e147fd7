// The lock of the data folder: one daemon at a time. The kernel releases it when the process dies, however it dies.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '#domain/error.ts';

/** SQLite's code for 'somebody else has it'. */
const SQLITE_BUSY = 5;

/** Takes the lock, or throws `locked`. Dispose to release. */
export function lockFolder(folder: string): Disposable {
  const lock = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new AppError('locked', `Another dropgate runs on ${folder}; stop it first, or give this one another data folder.`, {
      cause: error,
    });
  }
  return { [Symbol.dispose]: () => lock.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
