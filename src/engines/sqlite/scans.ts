// Scans of a database: queries that go through many rows, in one thread for all databases of this one, each by a connection of its own.
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
} from 'kysely';
import { toValue } from '#engines/values.ts';
import { openThread } from '#runtime/threads/thread.ts';
import { Compiler } from './rows.ts';
import type { WriteAheadLog } from './write-ahead-log.ts';

interface ScanTasks {
  /** Finds rows, of which only who asked knows the columns. */
  scan: {
    readonly asked: { readonly path: string; readonly sql: string; readonly parameters: readonly unknown[] };
    readonly found: never[];
  };
}

const thread = openThread<ScanTasks>({ entry: new URL('./scan-worker.mjs', import.meta.url) });

export interface Scans<Tables> {
  /** Committed rows, as soon as they are durable. */
  readonly rows: Kysely<Tables>;
  /** Resolves when no scan is under way: one after the files have gone would make an empty database in their place. */
  ended(): Promise<unknown>;
}

export function openScans<Tables>(path: string, log: Pick<WriteAheadLog, 'settled'>): Scans<Tables> {
  const underWay = new Set<Promise<unknown>>();
  const connection: DatabaseConnection = {
    async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
      const asked = thread.ask('scan', { path, sql, parameters: parameters.map(toValue) });
      const settled = asked.catch(() => {}).finally(() => underWay.delete(settled));
      underWay.add(settled);
      const rows = await asked;
      return log.settled({ rows });
    },
    // biome-ignore lint/correctness/useYield: Kysely wants it, and nothing is read in streams
    async *streamQuery(): AsyncGenerator<never> {
      throw new TypeError('rows are read in pages');
    },
  };
  return { rows: new Kysely<Tables>({ dialect: dialectOf(connection) }), ended: () => Promise.all(underWay) };
}

function dialectOf(connection: DatabaseConnection): Dialect {
  const refuse = (): Promise<never> => Promise.reject(new TypeError('a scan writes nothing'));
  const driver: Driver = {
    init: async () => {},
    destroy: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
  };
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (rows) => new SqliteIntrospector(rows),
    createQueryCompiler: () => new Compiler(),
  };
}
