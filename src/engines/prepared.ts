// Queries of hot paths, compiled to SQL once: a run only fills in its values.
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';

export type Value = string | number | null | Uint8Array;

/** Where a query takes a value when it is run; its type is that of the column. */
export type Slot = <Type extends Value>(name: string) => RawBuilder<Type>;

type Values = Readonly<Record<string, Value>>;

/** Runs the query with its values, and resolves with its rows. */
export type Prepared<Tables, Row> = (rows: Kysely<Tables>, values: Values) => Promise<Row[]>;

/** Runs the change, and resolves with the number of rows that it inserted, updated or deleted. */
export type PreparedChange<Tables> = (rows: Kysely<Tables>, values: Values) => Promise<number>;

/** A query with its slots; `rows` is only there to build with. */
type Build<Tables, Row> = (rows: Kysely<Tables>, slot: Slot) => { compile(): CompiledQuery<Row> };

/** A query whose slots are named. */
export function prepared<Tables, Row>(build: Build<Tables, Row>): Prepared<Tables, Row> {
  return onEach((rows) => {
    const { query, filled } = compiled(build, rows);
    const direct = directs.get(rows);
    if (!direct) return async (values) => (await rows.executeQuery<Row>({ ...query, parameters: filled(values) })).rows;
    const statement = direct.prepare(query.sql);
    return (values) => direct.settled(checked<Row>(statement.all(filled(values))));
  });
}

/** A change that asks for no rows: what `returning` costs is saved. */
export function preparedChange<Tables>(build: Build<Tables, unknown>): PreparedChange<Tables> {
  return onEach((rows) => {
    const { query, filled } = compiled(build, rows);
    const statement = directs.get(rows)?.prepare(query.sql);
    if (statement) return (values) => Number(statement.run(filled(values)).changes);
    return async (values) => Number((await rows.executeQuery({ ...query, parameters: filled(values) })).numAffectedRows ?? 0);
  });
}

type Run<Result> = (values: Values) => Result | Promise<Result>;

/** Compiled once for each database. */
function onEach<Tables, Result>(runOf: (rows: Kysely<Tables>) => Run<Result>) {
  const runs = new WeakMap<Kysely<Tables>, Run<Result>>();
  return async (rows: Kysely<Tables>, values: Values): Promise<Result> => {
    let run = runs.get(rows);
    if (!run) {
      run = runOf(rows);
      runs.set(rows, run);
    }
    return run(values);
  };
}

function compiled<Tables, Row>(build: Build<Tables, Row>, rows: Kysely<Tables>) {
  const query = build(rows, (name) => sql`${new SlotName(name)}`).compile();
  return { query, filled: fillerOf(query.parameters) };
}

function checked<Row>(rows: unknown): Row[] {
  if (areRows<Row>(rows)) return rows;
  throw new TypeError('a query was answered by something else than rows');
}

/** What is in the rows was checked when the query was built, against the types of the tables. */
function areRows<Row>(rows: unknown): rows is Row[] {
  return Array.isArray(rows);
}

/** A statement that runs at once. */
export interface PreparedStatement {
  readonly all: (parameters: readonly Value[]) => unknown[];
  readonly run: (parameters: readonly Value[]) => { readonly changes: number | bigint };
}

/** The result, as soon as what it was read from is durable. */
export type Settled = <Result>(result: Result) => Result | Promise<Result>;

/** Statements of an engine beside Kysely, whose way to the database takes as long as most queries. */
export interface Direct {
  readonly prepare: (sql: string) => PreparedStatement;
  readonly settled: Settled;
}

const directs = new WeakMap<object, Direct>();

/** Has prepared queries on `rows` take the direct way; without it they take Kysely's. */
export function offerDirect(rows: object, direct: Direct): void {
  directs.set(rows, direct);
}

class SlotName {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

function fillerOf(parameters: readonly unknown[]): (values: Values) => Value[] {
  const places = parameters.map((parameter) => (parameter instanceof SlotName ? parameter : toValue(parameter)));
  return (values) => places.map((place) => (place instanceof SlotName ? filled(place, values) : place));
}

function filled({ name }: SlotName, values: Values): Value {
  const value = values[name];
  if (value === undefined) throw new RangeError(`the query needs a value for ${name}`);
  return value;
}

/** Throws for what no column holds. */
export function toValue(value: unknown): Value {
  if (value === null || typeof value === 'number' || typeof value === 'string' || value instanceof Uint8Array) return value;
  throw new TypeError(`a ${typeof value} does not fit a portable column: use text, integer or blob`);
}
