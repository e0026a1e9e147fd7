// The write-ahead log of a database: it is fsynced off the event loop, and reads of rows that are not durable yet wait for that.
import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { AppError } from '#domain/error.ts';
import { endThread } from '#engines/failures.ts';

const fdatasyncAsync = promisify(fdatasync);

export interface WriteAheadLog {
  /**
   * Resolves when all that was committed before is on disk. Where the disk refuses, it cannot be told any more which commits are there, and a second
   * fsync would say that all is well: then it never resolves, and the thread ends at once, to go on from what the next start finds.
   */
  sync(): Promise<void>;
  /** `result` as soon as all commits that it was read from are durable. */
  settled<Result>(result: Result): Result | Promise<Result>;
  close(): void;
}

/** Opens the log of the database at `path`, which has one already. */
export function openWriteAheadLog(path: string): WriteAheadLog {
  const descriptor = openSync(`${path}-wal`, 'r');
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      await fdatasyncAsync(descriptor);
    } catch (cause) {
      await endThread(
        new AppError('storage', `The disk did not take what was written to ${path}. Look after it, and start again.`, { cause }),
      );
    }
  }

  return {
    sync() {
      const mine = run().then(() => {
        if (running === mine) running = null;
      });
      running = mine;
      return mine;
    },
    settled: (result) => running?.then(() => result) ?? result,
    close: () => closeSync(descriptor),
  };
}
