import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { prepared } from '#engines/prepared.ts';
import { integer, nullable, type TablesOf, text } from '#engines/schema.ts';
import { openSqlite } from '#engines/sqlite/sqlite.ts';

const schema = {
  version: 1,
  tables: {
    pairs: { columns: { name: text(), value: nullable(integer()) }, primaryKey: '(name)' },
    others: { columns: { name: text() }, primaryKey: '(name)' },
  },
} as const;
type Tables = TablesOf<typeof schema>;

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-prepared-'));
  const path = join(folder, 'a.db');
  const database = await openSqlite(path, schema);
  onTestFinished(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });
  return { path, database };
}

it('has its limit in itself: a limit that is a value is refused', async () => {
  const { database } = await open();
  const some = prepared((rows: Kysely<Tables>, slot) => rows.selectFrom('pairs').selectAll().limit(slot<number>('limit')));
  await expect(some(database.read, { limit: 1 })).rejects.toThrow('a limit is a number, known when the query is built');
});

describe('answers that are kept', () => {
  const pairNamed = prepared(
    (rows: Kysely<Tables>, slot) => rows.selectFrom('pairs').select('value').where('name', '=', slot<string>('name')),
    { keptFrom: ['pairs'] },
  );
  const change = (rows: Kysely<Tables>, value: number) => rows.updateTable('pairs').set({ value }).where('name', '=', 'a').execute();

  async function withPair() {
    const { path, database } = await open();
    await database.write((rows) => rows.insertInto('pairs').values({ name: 'a', value: 1 }).execute());
    const asked = () => pairNamed(database.read, { name: 'a' });
    expect(await asked()).toEqual([{ value: 1 }]);
    return { path, database, asked };
  }

  it('are the same rows as long as nothing is written', async () => {
    const { database, asked } = await withPair();
    const before = await asked();
    await database.write((rows) => rows.insertInto('others').values({ name: 'a' }).execute());
    expect(await asked()).toBe(before);
  });

  it('are those of their own values', async () => {
    const { database } = await withPair();
    expect(await pairNamed(database.read, { name: 'b' })).toEqual([]);
  });

  it('are forgotten when this process writes', async () => {
    const { database, asked } = await withPair();
    await database.write((rows) => change(rows, 2));
    expect(await asked()).toEqual([{ value: 2 }]);
    await database.write((rows) => sql`update pairs set value = 3`.execute(rows));
    expect(await asked()).toEqual([{ value: 3 }]);
  });

  it('are forgotten when another process writes', async () => {
    const { path, asked } = await withPair();
    const other = await openSqlite(path, schema);
    await other.write((rows) => change(rows, 2));
    await other.close();
    expect(await asked()).toEqual([{ value: 2 }]);
  });

  it('are forgotten by a transaction that begins after another process has written', async () => {
    const { path, database, asked } = await withPair();
    await new Promise((turn) => setImmediate(turn));
    const written = database.write((rows) => pairNamed(rows, { name: 'a' }));
    // All this within one turn of the event loop, at whose end the transaction begins.
    await asked();
    const other = new DatabaseSync(path);
    other.exec('update pairs set value = 2');
    other.close();
    expect(await written).toEqual([{ value: 2 }]);
  });

  it('are the changed ones to the transaction, and the committed ones to everybody else, until it has ended', async () => {
    const { database, asked } = await withPair();
    const failing = database.write(async (rows) => {
      await change(rows, 2);
      expect(await pairNamed(rows, { name: 'a' })).toEqual([{ value: 2 }]);
      expect(await asked()).toEqual([{ value: 1 }]);
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    expect(await asked()).toEqual([{ value: 1 }]);
    await database.write(async (rows) => {
      await change(rows, 3);
      expect(await pairNamed(rows, { name: 'a' })).toEqual([{ value: 3 }]);
      expect(await asked()).toEqual([{ value: 1 }]);
    });
    expect(await asked()).toEqual([{ value: 3 }]);
  });
});
