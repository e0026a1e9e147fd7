// Rows are copied between databases of any engine: all of them, in the order of references, and the numbers go on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { compareDatabases, copyDatabase } from '#engines/copy.ts';
import { type DatabasePlace, openDatabase } from '#engines/open.ts';
import { blob, integer, key, nullable, refers, text } from '#engines/schema.ts';
import { hasPostgres, newPostgresDatabase } from '../support/postgres.ts';

const SCHEMA = {
  version: 1,
  tables: {
    letters: { columns: { letter: key(), title: text(), body: nullable(blob()) } },
    pages: {
      columns: { letter: refers(integer(), 'letters (letter)'), side: text(), words: nullable(integer()) },
      primaryKey: '(letter, side)',
    },
    empty: { columns: { number: key(), name: text() } },
  },
} as const;

const MIB = 1024 * 1024;

const PLACES: Readonly<Record<string, () => Promise<DatabasePlace>>> = {
  SQLite: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dropgate-copy-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return join(folder, 'ledger.db');
  },
  ...(hasPostgres && {
    PostgreSQL: async () => {
      const held = await newPostgresDatabase();
      onTestFinished(() => held[Symbol.asyncDispose]());
      return held.place;
    },
  }),
};
const WAYS = Object.keys(PLACES).flatMap((from) => Object.keys(PLACES).map((to) => [from, to] as const));
const newPlace = async (engine: string): Promise<DatabasePlace> => (await PLACES[engine]?.()) ?? '';

function bodyOf(at: number): Uint8Array | null {
  if (at % 100 === 0) return new Uint8Array(3 * MIB).fill(at);
  return at % 2 === 0 ? null : new Uint8Array([0, at % 256]);
}

/** More than one statement of a copy takes, in rows and in bytes; the last number has gone. */
async function filled(place: DatabasePlace, title = (at: number) => `Å ${at}`): Promise<void> {
  const database = await openDatabase(place, SCHEMA);
  try {
    await database.write([], async (rows) => {
      const numbers = Array.from({ length: 450 }, (_, at) => at + 1);
      const letters = numbers.map((at) => ({ title: title(at), body: bodyOf(at) }));
      const pages = numbers.flatMap((at) => ['b', 'a', 'Z', 'ä'].map((side) => ({ letter: at, side, words: at % 3 || null })));
      await rows.insertInto('letters').values(letters).execute();
      await rows.insertInto('pages').values(pages).execute();
      const { letter } = await rows
        .insertInto('letters')
        .values({ title: 'gone', body: null })
        .returning('letter')
        .executeTakeFirstOrThrow();
      await rows.deleteFrom('letters').where('letter', '=', letter).execute();
    });
  } finally {
    await database.close();
  }
}

async function nextNumber(place: DatabasePlace): Promise<number> {
  const database = await openDatabase(place, SCHEMA);
  try {
    const row = { title: 'next', body: null };
    return await database.write([], async (rows) => {
      const { letter } = await rows.insertInto('letters').values(row).returning('letter').executeTakeFirstOrThrow();
      return letter;
    });
  } finally {
    await database.close();
  }
}

describe.each(WAYS)('from %s to %s', (engine, other) => {
  it('all rows are the same, and numbers go on', async () => {
    const [from, to] = [await newPlace(engine), await newPlace(other)];
    await filled(from);
    await copyDatabase(from, to, SCHEMA, 'it');
    const compared = await compareDatabases(from, to, SCHEMA);
    expect(compared.map(({ table, rows, isEqual }) => [table, rows, isEqual])).toEqual([
      ['letters', 450, true],
      ['pages', 1_800, true],
      ['empty', 0, true],
    ]);
    expect(await nextNumber(to)).toBe(452);
    expect((await compareDatabases(from, to, SCHEMA)).map(({ isEqual }) => isEqual)).toEqual([false, true, true]);
    await expect(copyDatabase(from, to, SCHEMA, 'it')).rejects.toMatchObject({ code: 'exists', message: 'There are rows in it already.' });
  });
});

it.runIf(hasPostgres)('PostgreSQL plans by the rows that came, as soon as they are there', async () => {
  const [from, to] = [await newPlace('SQLite'), await newPlace('PostgreSQL')];
  await filled(from);
  await copyDatabase(from, to, SCHEMA, 'it');
  const database = await openDatabase(to, SCHEMA);
  try {
    const pages = sql<{ known: number }>`select reltuples::integer as known from pg_class where oid = 'pages'::regclass`;
    expect((await pages.execute(database.read)).rows).toEqual([{ known: 1_800 }]);
  } finally {
    await database.close();
  }
});

it.runIf(hasPostgres)('a copy that fails leaves nothing', async () => {
  const [from, to] = [await newPlace('SQLite'), await newPlace('PostgreSQL')];
  await filled(from, (at) => (at === 449 ? 'U+0000 \0' : `${at}`));
  await expect(copyDatabase(from, to, SCHEMA, 'it')).rejects.toThrow('0x00');
  expect((await compareDatabases(to, to, SCHEMA)).map(({ rows }) => rows)).toEqual([0, 0, 0]);
});
