// Connections to SQLite: node:sqlite under Kysely, WAL, statements kept.
import { DatabaseSync } from 'node:sqlite';
import {
  Kysely,
  type KyselyPlugin,
  type LimitNode,
  type SqliteDatabase,
  SqliteDialect,
  SqliteQueryCompiler,
  type SqliteStatement,
  ValueNode,
} from 'kysely';
import { offerShortcut, type PreparedStatement, type Settled, toValue, type Value } from '#engines/prepared.ts';
import { LruCache } from '#runtime/cache.ts';
import { LOG_PAGES_MAX } from './checkpoints.ts';
import type { TableChanges } from './table-changes.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

/** For another process to end its commit, a command's or the daemon's: disks of shared machines stand still for seconds. */
const BUSY_TIMEOUT_MS = 20_000;
const STATEMENTS_MAX = 500;

export function openConnection(path: string, readOnly: boolean): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  connection.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000');
  connection.exec(`pragma wal_autocheckpoint = ${LOG_PAGES_MAX}`);
  // Pages as they were before a savepoint; in files, they take more of the system's time than the commit.
  connection.exec('pragma temp_store = memory');
  if (readOnly) connection.exec('pragma query_only = on');
  return connection;
}

/** Connections of one database, and what is written by them. */
export interface Connections {
  readonly writer: DatabaseSync;
  readonly changes: TableChanges;
  readonly log: WriteAheadLog;
}

/** Rows as the writer sees them, the changes of its open transaction included. */
export async function writtenRows<Tables>(writer: DatabaseSync, changes: TableChanges): Promise<Kysely<Tables>> {
  const prepare = (sql: string): Statement => {
    const statement = statementOf(writer, sql);
    const notice = changes.noticing(sql);
    return notice ? noticed(statement, notice) : statement;
  };
  return kyselyOver(writer, changes, prepare, (result) => result);
}

/**
 * Committed rows, as soon as they are durable. The writer is asked for them in place of `reader` while it has no transaction open: a connection forgets its pages at
 * each commit of another one.
 */
export async function committedRows<Tables>(reader: DatabaseSync, { writer, changes, log }: Connections): Promise<Kysely<Tables>> {
  const prepare = (sql: string): Statement => {
    const statement = statementOf(reader, sql);
    return IS_SELECT.test(sql) ? whileIdle(writer, statementOf(writer, sql), statement) : statement;
  };
  return kyselyOver(reader, changes, prepare, log.settled);
}

/** Kysely's own SQLite dialect speaks to a better-sqlite3 object; this is its shape over node:sqlite, with statements kept. */
async function kyselyOver<Tables>(
  connection: DatabaseSync,
  changes: TableChanges,
  prepare: (sql: string) => Statement,
  settled: Settled,
): Promise<Kysely<Tables>> {
  const statements = new LruCache<SqliteStatement>(STATEMENTS_MAX);
  const database: SqliteDatabase = {
    close: () => connection.close(),
    prepare: (sql) => statements.get(sql) ?? statements.put(sql, adapt(prepare(sql))),
  };
  const settling: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => settled(result),
  };
  const rows = new Kysely<Tables>({ dialect: new Dialect({ database }), plugins: [settling] });
  offerShortcut(rows, { changes, settled, prepare });
  return rows;
}

class Dialect extends SqliteDialect {
  override createQueryCompiler(): SqliteQueryCompiler {
    return new Compiler();
  }
}

/** A limit is part of the statement: one that is a value has SQLite plan the query again at each run, which takes longer than most queries. */
class Compiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (!ValueNode.is(limit) || !Number.isSafeInteger(limit.value)) {
      throw new TypeError('a limit is a number, known when the query is built');
    }
    this.append(`limit ${limit.value}`);
  }
}

const IS_SELECT = /^\s*select\b/i;

/** A statement as Kysely asks for it. */
interface Statement extends PreparedStatement {
  readonly reader: boolean;
  readonly run: (parameters: readonly Value[]) => ReturnType<SqliteStatement['run']>;
  readonly iterate: (parameters: readonly Value[]) => IterableIterator<unknown>;
}

function statementOf(connection: DatabaseSync, sql: string): Statement {
  const statement = connection.prepare(sql);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters),
    run: (parameters) => statement.run(...parameters),
    iterate: (parameters) => statement.iterate(...parameters),
  };
}

/** Rows of `warm`, which is the writer's; of `cold` while the writer has changes that are not committed. */
function whileIdle(writer: DatabaseSync, warm: Statement, cold: Statement): Statement {
  return { ...cold, all: (parameters) => (writer.isTransaction ? cold : warm).all(parameters) };
}

function noticed({ all, run, ...statement }: Statement, notice: () => void): Statement {
  return {
    ...statement,
    all: (parameters) => {
      notice();
      return all(parameters);
    },
    run: (parameters) => {
      notice();
      return run(parameters);
    },
  };
}

function adapt({ reader, all, run, iterate }: Statement): SqliteStatement {
  return {
    reader,
    all: (parameters) => all(parameters.map(toValue)),
    run: (parameters) => run(parameters.map(toValue)),
    iterate: (parameters) => iterate(parameters.map(toValue)),
  };
}
