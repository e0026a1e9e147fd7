// Queries of hot paths, compiled to SQL once: a run only fills in its values. To compile one takes several times as long as to run it.
import { type CompiledQuery, type DialectAdapter, type Kysely, type QueryResult, type RawBuilder, sql } from 'kysely';
import type { Value } from './values.ts';

/** Where a query takes a value when it is run; its type is that of the column. */
export type Slot = <Type extends Value>(name: string) => RawBuilder<Type>;

type Values = Readonly<Record<string, Value>>;

type Prepared<Tables, Result> = (rows: Kysely<Tables>, values: Values) => Promise<Result>;

/** A query with its slots; `rows` is only there to build with. */
type Build<Tables, Row> = (rows: Kysely<Tables>, slot: Slot) => { compile(): CompiledQuery<Row> };

/** A query whose slots are named: runs it with their values, and resolves with its rows. */
export function prepared<Tables, Row>(build: Build<Tables, Row>): Prepared<Tables, Row[]> {
  const run = compiledOnce(build);
  return async (rows, values) => (await run(rows, values)).rows;
}

/** A change that asks for no rows, which would cost as much again: resolves with how many it inserted, updated or deleted. */
export function preparedChange<Tables>(build: Build<Tables, unknown>): Prepared<Tables, number> {
  const run = compiledOnce(build);
  return async (rows, values) => Number((await run(rows, values)).numAffectedRows ?? 0);
}

/** Once for each dialect of SQL. */
function compiledOnce<Tables, Row>(build: Build<Tables, Row>): Prepared<Tables, QueryResult<Row>> {
  const known = new WeakMap<DialectAdapter, CompiledQuery<Row>>();
  const name = `q${++count}`;
  return async (rows, values) => {
    const { adapter } = rows.getExecutor();
    let query = known.get(adapter);
    if (!query) {
      query = build(rows, (name) => sql`${new SlotName(name)}`).compile();
      known.set(adapter, query);
    }
    const parameters = query.parameters.map((each) => (each instanceof SlotName ? filled(each, values) : each));
    const direct = directs.get(rows);
    return direct ? direct<Row>(query.sql, parameters, name) : rows.executeQuery<Row>({ ...query, parameters });
  };
}

/** Runs a compiled query at once; its answer is a promise where its rows are not there, or not durable, yet. */
type Direct = <Row>(sql: string, parameters: readonly unknown[], name: string) => QueryResult<Row> | Promise<QueryResult<Row>>;

const directs = new WeakMap<object, Direct>();

/** Has prepared queries on `rows` run without Kysely, whose way to the database takes as long as most queries. */
export function offerDirect(rows: object, direct: Direct): void {
  directs.set(rows, direct);
}

let count = 0;

class SlotName {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function filled({ name }: SlotName, values: Values): Value {
  const value = values[name];
  if (value === undefined) throw new RangeError(`the query needs a value for ${name}`);
  return value;
}
