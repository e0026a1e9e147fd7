// SQLite as a database engine: writes that wait together share one commit. While a commit becomes durable the event loop goes on, and new
// writes gather for the next one.
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Kysely } from 'kysely';

import type { Database, Scope, Timed } from '#engines/database.ts';
import { NO_REASON } from '#engines/failures.ts';

import type { Schema, TablesOf } from '#engines/schema.ts';
import { type Clock, systemClock } from '#runtime/clock.ts';
import { Checkpoints } from './checkpoints.ts';
import { openConnection } from './connection.ts';
import { committedRows, writtenRows } from './rows.ts';
import { openScans, type Scans } from './scans.ts';
import { ensureTables } from './tables.ts';
import { openWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts';

/** Writes that one commit takes at the most, so that the event loop gets its turn. */
const GROUP_MAX = 64;

/** How long a write that may wait for others does. */
const PATIENCE_MS = 1_000;

/** How often, and how soon, the log is tried to be emptied again while others read it. */
const WIPE_TRIES = 20;
const WIPE_AGAIN_MS = 100;

type Work<Tables> = (rows: Kysely<Tables>) => Promise<void>;

interface Write<Tables> {
  readonly work: Work<Tables>;
  /** Without an error: it is committed. */
  readonly settle: (error?: unknown) => void;
}

interface SqliteOptions {
  readonly clock?: Clock;
  readonly timed?: Timed | undefined;
}

/** Opens the file, and makes it with its tables when it is not there. Throws `usage` when it was made with another version of the schema. */
export async function openSqlite<Declared extends Schema>(
  path: string,
  schema: Declared,
  { clock = systemClock, timed }: SqliteOptions = {},
): Promise<Database<TablesOf<Declared>>> {
  const writer = openConnection(path, false);
  try {
    ensureTables(writer, path, schema);
  } catch (error) {
    writer.close();
    throw error;
  }
  // From here on the engine itself syncs what it commits.
  writer.exec('pragma synchronous = normal');
  const log = openWriteAheadLog(path);
  const reader = openConnection(path, true);
  const read = committedRows<TablesOf<Declared>>(reader, writer, log);
  const scans = openScans<TablesOf<Declared>>(path, log);
  return new SqliteDatabase({
    writer,
    reader,
    log,
    read,
    scans,
    rows: writtenRows(writer),
    checkpoints: new Checkpoints(path),
    clock,
    timed,
  });
}

interface Parts<Tables> {
  readonly writer: DatabaseSync;
  readonly reader: DatabaseSync;
  readonly log: WriteAheadLog;
  readonly read: Kysely<Tables>;
  readonly scans: Scans<Tables>;
  /** The writer's. */
  readonly rows: Kysely<Tables>;
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
  readonly timed?: Timed | undefined;
}

/** What each commit needs, parsed once. */
type Statements = Readonly<Record<'begin' | 'commit' | 'savepoint' | 'release' | 'countRows', StatementSync>>;

function statementsOf(writer: DatabaseSync): Statements {
  return {
    begin: writer.prepare('begin immediate'),
    commit: writer.prepare('commit'),
    savepoint: writer.prepare('savepoint work'),
    release: writer.prepare('release work'),
    countRows: writer.prepare('select total_changes() as rows'),
  };
}

class SqliteDatabase<Tables> implements Database<Tables> {
  readonly connections = null;
  readonly read: Kysely<Tables>;
  readonly scan: Kysely<Tables>;
  readonly #parts: Parts<Tables>;
  readonly #statements: Statements;
  #waiting: Write<Tables>[] = [];
  /** Writes that may wait for a commit of others, and the end of their patience. */
  #patient: Write<Tables>[] = [];
  #patience: Disposable | null = null;
  #flushing: Promise<void> | null = null;
  #closing: Promise<void> | null = null;
  #commits = 0;

  constructor(parts: Parts<Tables>) {
    this.#parts = parts;
    this.#statements = statementsOf(parts.writer);
    this.read = parts.read;
    this.scan = parts.scans.rows;
  }

  get commits(): number {
    return this.#commits;
  }

  /** There is one writer, so a write is alone with everything. */
  write<Result>(_scopes: readonly Scope[], work: (rows: Kysely<Tables>) => Promise<Result>, when: 'now' | 'soon' = 'now'): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let result: Result;
      const write: Write<Tables> = {
        work: async (rows) => {
          result = await work(rows);
        },
        settle: (error) => (error === undefined ? resolve(result) : reject(error)),
      };
      if (when === 'now') {
        this.#waiting.push(write);
        this.#flushing ??= this.#flush();
      } else {
        this.#patient.push(write);
        this.#patience ??= this.#parts.clock.after(PATIENCE_MS, () => this.#endPatience());
      }
    });
  }

  /** Deleted rows are overwritten with their pages (connection.ts), so it is the log that is emptied, and must not be as it was after a power loss. */
  async wipe(): Promise<boolean> {
    for (let tries = 0; tries < WIPE_TRIES; tries++) {
      await this.#flushing;
      await this.#parts.checkpoints.ended();
      if (!this.#flushing && this.#parts.writer.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0) {
        await this.#parts.log.sync();
        return true;
      }
      await new Promise<void>((resolve) => void this.#parts.clock.after(WIPE_AGAIN_MS, resolve));
    }
    return false;
  }

  /** The lock of the data folder keeps daemons apart. */
  async claim(): Promise<boolean> {
    return true;
  }

  async outlive(): Promise<boolean> {
    return true;
  }

  async isConnected(): Promise<boolean> {
    return false;
  }

  async isFirst(): Promise<boolean> {
    return true;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#endPatience();
    await this.#flushing;
    await Promise.all([this.#parts.checkpoints.ended(), this.#parts.scans.ended()]);
    await this.read.destroy();
    await this.#parts.rows.destroy();
    this.#parts.reader.close();
    this.#parts.writer.close();
    this.#parts.log.close();
  }

  /** One turn of the event loop gathers, then everything that waits goes into one commit. */
  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      await new Promise((turn) => setImmediate(turn));
      const group = this.#waiting.splice(0, GROUP_MAX);
      if (group.length < GROUP_MAX) group.push(...this.#patient.splice(0, GROUP_MAX - group.length));
      await this.#parts.checkpoints.remainder();
      await this.#commit(group);
    }
    this.#flushing = null;
  }

  /** Writes that waited for a commit of others get one of their own. */
  #endPatience(): void {
    this.#patience?.[Symbol.dispose]();
    this.#patience = null;
    this.#waiting.push(...this.#patient.splice(0));
    if (this.#waiting.length > 0) this.#flushing ??= this.#flush();
  }

  async #commit(group: readonly Write<Tables>[]): Promise<void> {
    const settled: (() => void)[] = [];
    const begunMs = performance.now();
    let changed = 0;
    try {
      this.#statements.begin.run();
      const before = this.#changedRows();
      for (const { work, settle } of group) {
        // A write that is alone needs no savepoint: the transaction is rolled back with it.
        const failed = group.length > 1 ? await this.#runInSavepoint(work) : await work(this.#parts.rows);
        settled.push(() => settle(failed?.error));
      }
      changed = this.#changedRows() - before;
      this.#statements.commit.run();
      this.#commits++;
    } catch (error) {
      this.#rollBack();
      for (const { settle } of group) settle(error ?? new Error(NO_REASON));
      return;
    }
    if (changed > 0) await this.#sync(begunMs);
    this.#parts.checkpoints.committed(changed);
    for (const settle of settled) settle();
  }

  async #sync(begunMs: number): Promise<void> {
    const { log, timed } = this.#parts;
    const syncedMs = performance.now();
    await log.sync();
    timed?.('fsync', (performance.now() - syncedMs) / 1_000);
    timed?.('commit', (performance.now() - begunMs) / 1_000);
  }

  /** Rows that were inserted, updated or deleted since the connection was opened. */
  #changedRows(): number {
    return Number(this.#statements.countRows.get()?.rows);
  }

  /** A transaction that cannot be rolled back (the disk is gone, the database closed) is not committed either; its writers hear of the first failure. */
  #rollBack(): void {
    try {
      if (this.#parts.writer.isTransaction) this.#parts.writer.exec('rollback');
    } catch {
      // The next 'begin' says it again.
    }
  }

  async #runInSavepoint(work: Work<Tables>): Promise<{ error: unknown } | null> {
    this.#statements.savepoint.run();
    try {
      await work(this.#parts.rows);
      this.#statements.release.run();
      return null;
    } catch (error) {
      this.#parts.writer.exec('rollback to work; release work');
      return { error: error ?? new Error(NO_REASON) };
    }
  }
}
