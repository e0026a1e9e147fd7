// Queries of hot paths, compiled to SQL once: a run only fills in its values. To compile one takes several times as long as to run it.
import { type CompiledQuery, type Kysely, type QueryResult, type RawBuilder, sql } from 'kysely';

export type Value = string | number | null | Uint8Array;

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

/** Once for each database. */
function compiledOnce<Tables, Row>(build: Build<Tables, Row>): Prepared<Tables, QueryResult<Row>> {
  const known = new WeakMap<Kysely<Tables>, CompiledQuery<Row>>();
  return async (rows, values) => {
    let query = known.get(rows);
    if (!query) {
      query = build(rows, (name) => sql`${new SlotName(name)}`).compile();
      known.set(rows, query);
    }
    return rows.executeQuery<Row>({
      ...query,
      parameters: query.parameters.map((each) => (each instanceof SlotName ? filled(each, values) : each)),
    });
  };
}

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
