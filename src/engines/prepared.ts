// Queries of hot paths, compiled to SQL once: a run only fills in its values. Answers that hardly ever change can be kept.
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import { LruCache } from '#runtime/cache.ts';

export type Value = string | number | null | Uint8Array;

/** Where a query takes a value when it is run; its type is that of the column. */
export type Slot = <Type extends Value>(name: string) => RawBuilder<Type>;

type Values = Readonly<Record<string, Value>>;

/** Runs the query and resolves with its rows, which belong to whoever else asks, too: they are only read. */
export type Prepared<Tables, Row> = (rows: Kysely<Tables>, values: Values) => Promise<readonly Row[]>;

export interface PreparedOptions<Tables> {
  /** The answers are kept as long as nobody writes to these tables, all that the query reads: for what is asked with every request. */
  readonly keptFrom?: readonly (keyof Tables & string)[];
}

/** Answers of one query that are kept: those of whoever is busy. Ten thousand accounts at rest would hold a dozen MiB for a question in hours. */
const KEPT_MAX = 2_000;

/** A query with its slots; `rows` is only there to build with. */
type Build<Tables, Row> = (rows: Kysely<Tables>, slot: Slot) => { compile(): CompiledQuery<Row> };

/** A query whose slots are named. */
export function prepared<Tables, Row>(build: Build<Tables, Row>, { keptFrom = [] }: PreparedOptions<Tables> = {}): Prepared<Tables, Row> {
  const kept = new WeakMap<Changes, LruCache<Answer<Row>>>();
  return onEach((rows: Kysely<Tables>) => {
    const { query, filled } = compiled(build, rows);
    const shortcut = shortcuts.get(rows);
    // Rows that somebody watches, say: with a plugin of Kysely's between them and the engine.
    if (!shortcut) return async (values) => (await rows.executeQuery<Row>({ ...query, parameters: filled(values) })).rows;
    const { changes, settled } = shortcut;
    const statement = shortcut.prepare(query.sql);
    const run = (values: Values): Row[] => checked(statement.all(filled(values)));
    if (keptFrom.length === 0) return (values) => settled(run(values));
    const answers = kept.get(changes) ?? new LruCache<Answer<Row>>(KEPT_MAX);
    kept.set(changes, answers);
    return (values) => settled(answered(answers, changes.of(keptFrom), JSON.stringify(filled(values)), () => run(values)));
  });
}

/** Runs the change, and resolves with the number of rows that it inserted, updated or deleted. */
export type PreparedChange<Tables> = (rows: Kysely<Tables>, values: Values) => Promise<number>;

/** A change that asks for no rows: what `returning` costs is saved. */
export function preparedChange<Tables>(build: Build<Tables, unknown>): PreparedChange<Tables> {
  return onEach((rows: Kysely<Tables>) => {
    const { query, filled } = compiled(build, rows);
    const statement = shortcuts.get(rows)?.prepare(query.sql);
    if (statement) return (values) => Number(statement.run(filled(values)).changes);
    return async (values) => Number((await rows.executeQuery({ ...query, parameters: filled(values) })).numAffectedRows ?? 0);
  });
}

type Run<Result> = (values: Values) => Result | Promise<Result>;

/** Made once for each database. */
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

interface Answer<Row> {
  /** How often the tables had been changed when it was read. */
  readonly count: number;
  readonly rows: readonly Row[];
}

function answered<Row>(answers: LruCache<Answer<Row>>, count: number | null, key: string, read: () => readonly Row[]): readonly Row[] {
  if (count === null) return read();
  const known = answers.get(key);
  if (known?.count === count) return known.rows;
  const rows = read();
  answers.put(key, { count, rows });
  return rows;
}

/** See `TableChanges`. */
export interface Changes {
  of(tables: readonly string[]): number | null;
}

/** The result, as soon as what it was read from is durable. */
export type Settled = <Result>(result: Result) => Result | Promise<Result>;

/** A statement of SQLite; it runs at once. */
export interface PreparedStatement {
  readonly all: (parameters: readonly Value[]) => unknown[];
  readonly run: (parameters: readonly Value[]) => { readonly changes: number | bigint };
}

export interface Shortcut {
  readonly settled: Settled;
  readonly prepare: (sql: string) => PreparedStatement;
  /** One for each database, whichever its rows are. */
  readonly changes: Changes;
}

const shortcuts = new WeakMap<object, Shortcut>();

/** Prepared queries on `rows` need not pass through Kysely, which takes as long as the query itself: the database runs them at once. */
export function offerShortcut(rows: object, shortcut: Shortcut): void {
  shortcuts.set(rows, shortcut);
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
