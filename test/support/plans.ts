// How an engine would run a query: which indexes it takes, and what it does beside that.
import { CompiledQuery, type Kysely, type KyselyPlugin, PostgresAdapter, sql } from 'kysely';
import type { Database } from '#engines/database.ts';

export interface Plan {
  /** In the order in which the engine tells them. */
  readonly indexes: readonly string[];
  /** Steps that walk over a table or over a whole index. */
  readonly walks: readonly string[];
  readonly sorts: readonly string[];
}

/** All that is asked of the rows by some work, but for what is prepared. */
export async function asked<Tables>(rows: Kysely<Tables>, work: (rows: Kysely<Tables>) => Promise<unknown>): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = [];
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      queries.push(rows.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await work(rows.withPlugin(plugin));
  return queries;
}

const analysed = new WeakSet<object>();

/** The plan for any values; on PostgreSQL as if its tables were large, unless they are. */
export async function planOf<Tables>(database: Database<Tables>, query: string, areLarge = false): Promise<Plan> {
  if (!(database.read.getExecutor().adapter instanceof PostgresAdapter)) return onSqlite(database.read, query);
  if (!analysed.has(database)) await database.write([], (rows) => sql`analyze`.execute(rows));
  analysed.add(database);
  return database.write([], (rows) => onPostgres(rows, query, areLarge));
}

async function onSqlite<Tables>(rows: Kysely<Tables>, query: string): Promise<Plan> {
  const { rows: found } = await rows.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${query}`));
  const steps = found.map(({ detail }) => detail);
  return {
    indexes: steps.flatMap((step) => /INDEX (\w+)/.exec(step)?.[1] ?? []),
    walks: steps.filter((step) => step.startsWith('SCAN')),
    sorts: steps.filter((step) => step.includes('TEMP B-TREE')),
  };
}

/** PostgreSQL walks over small tables, since that is cheaper there: it is asked what it would do otherwise. */
const AS_IF_LARGE = 'set local enable_seqscan = off';
const FOR_ANY_VALUES = 'set local plan_cache_mode = force_generic_plan';

async function onPostgres<Tables>(rows: Kysely<Tables>, query: string, areLarge: boolean): Promise<Plan> {
  for (const statement of areLarge ? [FOR_ANY_VALUES] : [AS_IF_LARGE, FOR_ANY_VALUES]) await sql.raw(statement).execute(rows);
  let places = 0;
  const numbered = query.replaceAll('?', () => `$${++places}`);
  await sql.raw(`prepare asked as ${numbered}`).execute(rows);
  const values = new Set(numbered.match(/\$\d+/g)).size;
  const given = values === 0 ? '' : `(${Array(values).fill('null').join(', ')})`;
  const { rows: found } = await sql.raw<{ 'QUERY PLAN': string }>(`explain (costs off) execute asked${given}`).execute(rows);
  await sql`deallocate asked`.execute(rows);
  const steps = found.map((row) => row['QUERY PLAN']);
  return {
    indexes: steps.flatMap((step) => /(?:Scan(?: Backward)? using|Bitmap Index Scan on) (\w+)/.exec(step)?.[1] ?? []),
    walks: steps.filter(
      (step, at) => /Seq Scan/.test(step) || (/Index.* Scan/.test(step) && !/Index Cond|Order By/.test(steps[at + 1] ?? '')),
    ),
    sorts: steps.filter((step) => /\bSort$/.test(step)),
  };
}
