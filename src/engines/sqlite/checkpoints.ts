// Checkpoints of a database: committed pages move from its write-ahead log into its file, in one thread for all databases of this one. SQLite
// would do it at the end of a commit, and hold up the event loop for as long as that takes.
import { openThread } from '#runtime/threads/thread.ts';

/** Between two checkpoints: a few megabytes of log. */
const ROWS_MAX = 4_000;

/** Pages of the log, 80 MB, from which on it is to begin anew. Commits wait for that, so it is not done more often. */
const LONG_PAGES = 20_000;

/** Pages of the log, 200 MB, with which SQLite helps itself: where a few rows are very long, or the thread was lost. */
export const LOG_PAGES_MAX = 50_000;

interface CheckpointTasks {
  /** Of the database at this path; finds the pages that its log has. */
  checkpoint: { readonly asked: string; readonly found: number };
}

const thread = openThread<CheckpointTasks>({ entry: new URL('./checkpoint-worker.mjs', import.meta.url) });

export class Checkpoints {
  readonly #path: string;
  /** Committed since the last checkpoint began. */
  #rows = 0;
  /** `remainder`: the log is long, and the next commit waits until all of it has been moved. */
  #state: 'idle' | 'running' | 'remainder' = 'idle';
  #running = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** So many rows more have been committed. */
  committed(rows: number): void {
    this.#rows += rows;
    if (this.#rows < ROWS_MAX || this.#state !== 'idle') return;
    this.#rows = 0;
    this.#state = 'running';
    this.#running = this.#checkpoint();
  }

  /**
   * Asked before each commit; null when it may begin at once. Where the log has become long, the pages committed during a checkpoint are moved
   * before the next commit, so that the log begins anew.
   */
  remainder(): Promise<unknown> | null {
    if (this.#state !== 'remainder') return null;
    this.#state = 'idle';
    return this.#run();
  }

  /** Resolves when no checkpoint is under way: a checkpoint after the files have gone would make an empty database in their place. */
  ended(): Promise<void> {
    return this.#running;
  }

  async #checkpoint(): Promise<void> {
    const isLong = (await this.#run()) >= LONG_PAGES;
    // The second one leaves less to be moved while commits wait.
    if (isLong) await this.#run();
    this.#state = isLong ? 'remainder' : 'idle';
  }

  /** A failed checkpoint is made up for by the next, or by SQLite itself. */
  #run(): Promise<number> {
    return thread.ask('checkpoint', this.#path).catch(() => 0);
  }
}
