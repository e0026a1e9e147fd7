// Checkpoints of a database: what was committed moves from its write-ahead log into its file, in a thread that all databases of whoever
// opened them share. SQLite would do it at the end of a commit, and hold up the event loop for as long as that takes.
import { openThread } from '#runtime/threads/thread.ts';

/** Between two checkpoints: a few megabytes of log. */
const ROWS_MAX = 4_000;

/** Pages of the log, 80 MB, from which on it is to begin anew. That holds up who commits, so it is not done more often. */
const LONG_PAGES = 20_000;

/** Pages of the log, 200 MB, with which SQLite helps itself: where a few rows are very long, or the thread was lost. */
export const LOG_PAGES_MAX = 50_000;

interface CheckpointTasks {
  /** Of the database at this path; finds the pages that its log has. */
  checkpoint: { readonly asked: string; readonly found: number };
}

const thread = openThread<CheckpointTasks>({ entry: new URL('./checkpoint-worker.mjs', import.meta.url) });

export interface Checkpoints {
  /** So many rows more have been committed. */
  committed(rows: number): void;
  /**
   * Asked before each commit; null when it may begin at once. Where the log has become long, what was committed during a checkpoint is moved while
   * nobody commits, so that it begins anew.
   */
  remainder(): Promise<unknown> | null;
  /** Resolves when no checkpoint is under way: one that came after the files have gone would make an empty database in their place. */
  ended(): Promise<void>;
}

export function openCheckpoints(path: string): Checkpoints {
  let rows = 0;
  let state: 'idle' | 'running' | 'remainder' = 'idle';
  let running = Promise.resolve();

  // One that fails is made up for by the next, or by SQLite itself.
  const run = (): Promise<number> => thread.ask('checkpoint', path).catch(() => 0);

  async function checkpoint(): Promise<void> {
    const isLong = (await run()) >= LONG_PAGES;
    // The less is left to be moved while nobody commits, the sooner all go on.
    if (isLong) await run();
    state = isLong ? 'remainder' : 'idle';
  }

  return {
    committed(more) {
      rows += more;
      if (rows < ROWS_MAX || state !== 'idle') return;
      rows = 0;
      state = 'running';
      running = checkpoint();
    },
    remainder() {
      if (state !== 'remainder') return null;
      state = 'idle';
      return run();
    },
    ended: () => running,
  };
}
