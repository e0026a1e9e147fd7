// All rows of one database into another, of whatever engine, and whether both then hold the same.
import { createHash, type Hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { AppError } from '#domain/error.ts';
import type { Copying } from './copying.ts';
import type { Database } from './database.ts';
import { copyingOf, type DatabasePlace, openDatabase, openSnapshot } from './open.ts';
import type { Schema, Table, TablesOf } from './schema.ts';
import { toValue, type Value } from './values.ts';

/** What is read at once, and what a statement inserts: as many rows, and as many bytes unless one row has more. */
const ROWS_MAX = 200;
const BYTES_MAX = 4 * 1024 * 1024;

/** A table, as it is in the first of two databases. */
export interface Compared {
  readonly table: string;
  readonly rows: number;
  /** Of all rows in the order of their key, and of the number that is given next. */
  readonly sha256: string;
  readonly isEqual: boolean;
}

type Tables = TablesOf<Schema>;
type Rows = Kysely<Tables>;
type Row = Readonly<Record<string, Value>>;

interface Side {
  readonly read: Rows;
  readonly engine: Copying;
}

interface OpenSide extends Side, AsyncDisposable {
  readonly database: Database<Tables>;
}

/** An interrupted copy leaves nothing. Throws `exists` when the target, which `name` names, holds rows. */
export async function copyDatabase(from: DatabasePlace, to: DatabasePlace, schema: Schema, name: string): Promise<void> {
  await using source = await openSide(from, schema);
  await using target = await openSide(to, schema);
  if (!(await isEmpty(target.read, schema))) throw new AppError('exists', `There are rows in ${name} already.`);
  await fillAll(source, target, schema);
}

/** Into a database that is made for it, and compared: the rows as of one moment, also while others write. */
export async function copySnapshot(from: DatabasePlace, to: DatabasePlace, schema: Schema): Promise<Compared[]> {
  const snapshot = await openSnapshot<Tables>(from);
  try {
    const source = { read: snapshot.read, engine: remembering(copyingOf(from)) };
    await using target = await openSide(to, schema);
    await fillAll(source, target, schema);
    return await compare(source, target, schema);
  } finally {
    await snapshot.close();
  }
}

/** PostgreSQL's numbers go on while others write, whatever a transaction sees: they are asked for once. */
function remembering(engine: Copying): Copying {
  const known = new Map<string, Promise<number>>();
  return {
    ...engine,
    lastKey(rows, table, key) {
      const last = known.get(table) ?? engine.lastKey(rows, table, key);
      known.set(table, last);
      return last;
    },
  };
}

/** In one transaction: an interrupted copy leaves nothing. */
async function fillAll(source: Side, target: OpenSide, { tables }: Schema): Promise<void> {
  await target.database.write([], async (rows) => {
    for (const [table, declared] of Object.entries(tables)) await fill(source, { rows, engine: target.engine }, table, declared);
  });
}

/** Reads all rows of both, and tells of each table. */
export async function compareDatabases(one: DatabasePlace, other: DatabasePlace, schema: Schema): Promise<Compared[]> {
  await using here = await openSide(one, schema);
  await using there = await openSide(other, schema);
  return await compare(here, there, schema);
}

async function compare(here: Side, there: Side, schema: Schema): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const [table, declared] of Object.entries(schema.tables)) {
    const [found, expected] = [await digest(there, table, declared), await digest(here, table, declared)];
    compared.push({ table, ...expected, isEqual: isDeepStrictEqual(found, expected) });
  }
  return compared;
}

async function openSide(place: DatabasePlace, schema: Schema): Promise<OpenSide> {
  const database = await openDatabase(place, schema);
  return { database, read: database.read, engine: copyingOf(place), [Symbol.asyncDispose]: () => database.close() };
}

async function isEmpty(rows: Rows, { tables }: Schema): Promise<boolean> {
  for (const table of Object.keys(tables)) {
    const found = await sql`select 1 from ${sql.table(table)} limit 1`.execute(rows);
    if (found.rows.length > 0) return false;
  }
  return true;
}

async function fill(source: Side, { rows, engine }: { rows: Rows; engine: Copying }, table: string, declared: Table): Promise<void> {
  for await (const page of pagesOf(source.read, table, declared)) await rows.insertInto(table).values(page).execute();
  await engine.filled(rows, table);
  const key = numberedBy(declared);
  if (key === undefined) return;
  const last = await source.engine.lastKey(source.read, table, key);
  if (last > 0) await engine.goOn(rows, table, key, last);
}

async function digest({ read, engine }: Side, table: string, declared: Table): Promise<Pick<Compared, 'rows' | 'sha256'>> {
  const hash = createHash('sha256');
  const columns = Object.keys(declared.columns);
  let rows = 0;
  for await (const page of pagesOf(read, table, declared)) {
    rows += page.length;
    for (const row of page) for (const column of columns) add(hash, toValue(row[column]));
  }
  const key = numberedBy(declared);
  if (key !== undefined) add(hash, await engine.lastKey(read, table, key));
  return { rows, sha256: hash.digest('hex') };
}

/** Each value ends where it says: no two rows look alike. */
function add(hash: Hash, value: Value): void {
  if (value instanceof Uint8Array) hash.update(`bytes ${value.length}\n`).update(value);
  else hash.update(`${JSON.stringify(value)}\n`);
}

/** All rows in the order of their key. */
async function* pagesOf(rows: Rows, table: string, declared: Table): AsyncGenerator<readonly Row[]> {
  const key = keyOf(declared);
  const keys = sql.join(key.map((column) => sql.ref(column)));
  const from = sql.table(table);
  let after = sql<boolean>`1 = 1`;
  for (;;) {
    const next =
      await sql<Row>`select ${keys}, ${sizeOf(declared)} as size from ${from} where ${after} order by ${keys} limit ${sql.lit(ROWS_MAX)}`.execute(
        rows,
      );
    const last = lastThatFits(next.rows);
    if (last === undefined) return;
    const upTo = sql`(${sql.join(key.map((column) => toValue(last[column])))})`;
    const page = await sql<Row>`select * from ${from} where ${after} and (${keys}) <= ${upTo} order by ${keys}`.execute(rows);
    yield page.rows;
    after = sql<boolean>`(${keys}) > ${upTo}`;
  }
}

function keyOf({ columns, primaryKey }: Table): string[] {
  if (primaryKey !== undefined) return primaryKey.slice(1, -1).split(', ');
  return Object.keys(columns).filter((column) => columns[column]?.kind === 'key');
}

function numberedBy({ columns }: Table): string | undefined {
  return Object.keys(columns).find((column) => columns[column]?.kind === 'key');
}

/** The bytes of a row's texts and blobs, which the database knows without reading them. */
function sizeOf({ columns }: Table) {
  const sized = Object.keys(columns).filter((column) => columns[column]?.kind === 'text' || columns[column]?.kind === 'blob');
  return sized.reduce((sum, column) => sql<number>`${sum} + coalesce(octet_length(${sql.ref(column)}), 0)`, sql<number>`0`);
}

/** One row at least. */
function lastThatFits(rows: readonly Row[]): Row | undefined {
  let bytes = 0;
  let last: Row | undefined;
  for (const row of rows) {
    bytes += Number(row.size);
    if (last !== undefined && bytes > BYTES_MAX) break;
    last = row;
  }
  return last;
}
