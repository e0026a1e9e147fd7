// Rows of SQLite: node:sqlite under Kysely, with statements kept.
import type { DatabaseSync } from 'node:sqlite';
import { Kysely, type KyselyPlugin, type LimitNode, SqliteDialect, SqliteQueryCompiler, type SqliteStatement, ValueNode } from 'kysely';
import { offerDirect } from '#engines/prepared.ts';
import { toValue } from '#engines/values.ts';
import { LruCache } from '#runtime/cache.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

const STATEMENTS_MAX = 500;

/** Rows as the writer sees them, the changes of its open transaction included. */
export function writtenRows<Tables>(writer: DatabaseSync): Kysely<Tables> {
  return rowsOf(
    (sql) => statementOf(writer, sql),
    (result) => result,
  );
}

/**
 * Committed rows, as soon as they are durable. The writer is asked for them in place of `reader` while it has no transaction open: a connection
 * forgets its pages at each commit of another one.
 */
export function committedRows<Tables>(reader: DatabaseSync, writer: DatabaseSync, log: WriteAheadLog): Kysely<Tables> {
  const prepare = (sql: string): SqliteStatement => {
    const statement = statementOf(reader, sql);
    return IS_SELECT.test(sql) ? whileIdle(writer, statementOf(writer, sql), statement) : statement;
  };
  return rowsOf(prepare, log.settled);
}

/** Kysely's own SQLite dialect speaks to a better-sqlite3 object; this is its shape over node:sqlite. */
function rowsOf<Tables>(statementFor: (sql: string) => SqliteStatement, settled: WriteAheadLog['settled']): Kysely<Tables> {
  const statements = new LruCache<SqliteStatement>(STATEMENTS_MAX);
  const prepare = (sql: string): SqliteStatement => statements.get(sql) ?? statements.put(sql, statementFor(sql));
  const settling: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => settled(result),
  };
  const rows = new Kysely<Tables>({
    // The engine closes the connections that it has opened: Kysely would leave one open that was never asked.
    dialect: new Dialect({ database: { prepare, close: () => undefined } }),
    plugins: [settling],
  });
  offerDirect(rows, <Row>(sql: string, parameters: readonly unknown[]) => {
    const { reader, all, run } = prepare(sql);
    return reader ? settled({ rows: asked<Row>(all(parameters)) }) : { rows: [], numAffectedRows: BigInt(run(parameters).changes) };
  });
  return rows;
}

/** The columns were checked when the query was built, against the types of the tables. */
function asked<Row>(rows: unknown[]): Row[] {
  if (areRows<Row>(rows)) return rows;
  throw new TypeError('a query was answered by something else than rows');
}

function areRows<Row>(rows: unknown): rows is Row[] {
  return Array.isArray(rows);
}

class Dialect extends SqliteDialect {
  override createQueryCompiler(): SqliteQueryCompiler {
    return new Compiler();
  }
}

/** A limit is part of the statement: one that is a value has SQLite plan the query again at each run, which takes longer than most queries. */
export class Compiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node;
    if (!ValueNode.is(limit) || !Number.isSafeInteger(limit.value)) {
      throw new TypeError('a limit is a number, known when the query is built');
    }
    this.append(`limit ${limit.value}`);
  }
}

const IS_SELECT = /^\s*select\b/i;

function statementOf(connection: DatabaseSync, sql: string): SqliteStatement {
  const statement = connection.prepare(sql);
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => statement.all(...parameters.map(toValue)),
    run: (parameters) => statement.run(...parameters.map(toValue)),
    iterate: (parameters) => statement.iterate(...parameters.map(toValue)),
  };
}

/** Rows of `warm`, which is the writer's; of `cold` while the writer has changes that are not committed. */
function whileIdle(writer: DatabaseSync, warm: SqliteStatement, cold: SqliteStatement): SqliteStatement {
  return { ...cold, all: (parameters) => (writer.isTransaction ? cold : warm).all(parameters) };
}
