// Connections to SQLite: node:sqlite under Kysely, WAL, synchronous=FULL, statements kept.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, type LimitNode, type SqliteDatabase, SqliteDialect, SqliteQueryCompiler, type SqliteStatement, ValueNode } from 'kysely';
import { keepRecent } from '#runtime/recent.ts';
import { offerShortcut } from './prepared.ts';

/** For another process to end its commit, a command's or the daemon's: disks of shared machines stand still for seconds. */
const BUSY_TIMEOUT_MS = 20_000;
const STATEMENTS_MAX = 500;

export function openConnection(path: string, readOnly: boolean): DatabaseSync {
  const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  connection.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -16000');
  // Pages as they were before a savepoint; in files, they take more of the system's time than the commit.
  connection.exec('pragma temp_store = memory');
  if (readOnly) connection.exec('pragma query_only = on');
  return connection;
}

/**
 * Kysely's own SQLite dialect speaks to a better-sqlite3 object; this is its shape over node:sqlite, with statements kept. `writer` is
 * asked for rows in place of `connection` while it has no transaction open: a connection forgets its pages at each commit of another one.
 */
export async function kyselyOver<Tables>(connection: DatabaseSync, writer?: DatabaseSync): Promise<Kysely<Tables>> {
  const statements = keepRecent<SqliteStatement>(STATEMENTS_MAX);
  const prepare = (sql: string): SqliteStatement => {
    const statement = adapt(connection.prepare(sql));
    return writer && IS_SELECT.test(sql) ? whileIdle(writer, adapt(writer.prepare(sql)), statement) : statement;
  };
  const database: SqliteDatabase = {
    close: () => connection.close(),
    prepare: (sql) => statements.get(sql) ?? statements.put(sql, prepare(sql)),
  };
  const dialect = new Dialect({ database });
  const rows = new Kysely<Tables>({ dialect });
  const driver = dialect.createDriver();
  await driver.init();
  offerShortcut(rows, await driver.acquireConnection());
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
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${limit.value}`);
    else super.visitLimit(node);
  }
}

const IS_SELECT = /^\s*select\b/i;

/** Rows of `warm`, which is the writer's; of `cold` while the writer has changes that are not committed. */
function whileIdle(writer: DatabaseSync, warm: SqliteStatement, cold: SqliteStatement): SqliteStatement {
  return { ...cold, all: (parameters) => (writer.isTransaction ? cold : warm).all(parameters) };
}

function adapt(statement: StatementSync): SqliteStatement {
  const values = (parameters: readonly unknown[]): SQLInputValue[] => parameters.map(toSqlite);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...values(parameters)),
    run: (parameters) => {
      const { changes, lastInsertRowid } = statement.run(...values(parameters));
      return { changes, lastInsertRowid };
    },
    iterate: (parameters) => statement.iterate(...values(parameters)),
  };
}

function toSqlite(value: unknown): SQLInputValue {
  if (value === null || typeof value === 'number' || typeof value === 'string' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a ${typeof value} does not fit a portable column: use text, integer or blob`);
}
