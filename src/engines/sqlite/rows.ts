// Rows of SQLite: node:sqlite under Kysely, with statements kept.
import type { DatabaseSync } from 'node:sqlite';
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
import { type Direct, offerDirect, type PreparedStatement, toValue, type Value } from '#engines/prepared.ts';
import { LruCache } from '#runtime/cache.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

const STATEMENTS_MAX = 500;

/** Rows as the writer sees them, the changes of its open transaction included. */
export function writtenRows<Tables>(writer: DatabaseSync): Kysely<Tables> {
  return rowsOf(writer, { prepare: (sql) => statementOf(writer, sql), settled: (result) => result });
}

/**
 * Committed rows, as soon as they are durable. The writer is asked for them in place of `reader` while it has no transaction open: a connection
 * forgets its pages at each commit of another one.
 */
export function committedRows<Tables>(reader: DatabaseSync, writer: DatabaseSync, log: WriteAheadLog): Kysely<Tables> {
  const prepare = (sql: string): Statement => {
    const statement = statementOf(reader, sql);
    return IS_SELECT.test(sql) ? whileIdle(writer, statementOf(writer, sql), statement) : statement;
  };
  return rowsOf(reader, { prepare, settled: log.settled });
}

interface Way extends Direct {
  readonly prepare: (sql: string) => Statement;
}

/** Kysely's own SQLite dialect speaks to a better-sqlite3 object; this is its shape over node:sqlite. */
function rowsOf<Tables>(connection: DatabaseSync, way: Way): Kysely<Tables> {
  const statements = new LruCache<SqliteStatement>(STATEMENTS_MAX);
  const database: SqliteDatabase = {
    close: () => connection.close(),
    prepare: (sql) => statements.get(sql) ?? statements.put(sql, checked(way.prepare(sql))),
  };
  const settling: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => way.settled(result),
  };
  const rows = new Kysely<Tables>({ dialect: new Dialect({ database }), plugins: [settling] });
  offerDirect(rows, way);
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

/** Takes values of portable columns only. */
function checked({ reader, all, run, iterate }: Statement): SqliteStatement {
  return {
    reader,
    all: (parameters) => all(parameters.map(toValue)),
    run: (parameters) => run(parameters.map(toValue)),
    iterate: (parameters) => iterate(parameters.map(toValue)),
  };
}
