// The SQLite engine keeps the promises of the database seam.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Generated, Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database, Migrations } from '#engines/database.ts';
import { openSqlite } from '#engines/sqlite/sqlite.ts';
import { manualClock } from '../../../support/clock.ts';
import { LONG_MS } from '../../../support/patience.ts';

interface Tables {
  things: { id: Generated<number>; name: string; bytes: Uint8Array | null };
}

const migrations: Migrations = {
  '0001-things': {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable('things')
        .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
        .addColumn('name', 'text', (c) => c.notNull().unique())
        .addColumn('bytes', 'blob')
        .execute();
    },
  },
};

let folder: string;
let database: Database<Tables>;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-sqlite-'));
  database = await openSqlite<Tables>(join(folder, 'test.db'), migrations);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

const add = (name: string) => database.write((rows) => rows.insertInto('things').values({ name, bytes: null }).execute());
const names = async (): Promise<string[]> =>
  (await database.read.selectFrom('things').select('name').orderBy('id').execute()).map(({ name }) => name);

describe('write', () => {
  test('resolves with the result of the work', async () => {
    const row = await database.write((rows) =>
      rows
        .insertInto('things')
        .values({ name: 'a', bytes: new Uint8Array([0, 255]) })
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
    expect(row).toMatchObject({ id: 1, name: 'a' });
    expect(row.bytes).toEqual(new Uint8Array([0, 255]));
  });

  test('shares one commit among all that wait', async () => {
    const before = database.commits;
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(`n${index}`)));
    expect(database.commits - before).toBe(1);
    expect(await names()).toHaveLength(20);
  });

  test('undoes only the work that throws', async () => {
    const results = await Promise.allSettled([
      add('one'),
      database.write(async (rows) => {
        await rows.insertInto('things').values({ name: 'two', bytes: null }).execute();
        throw new Error('changed my mind');
      }),
      add('three'),
      add('one'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(await names()).toEqual(['one', 'three']);
  });

  test('undoes work that throws when it is alone, too', async () => {
    const before = database.commits;
    const failing = database.write(async (rows) => {
      await rows.insertInto('things').values({ name: 'alone', bytes: null }).execute();
      throw undefined;
    });
    await expect(failing).rejects.toThrow('a write failed without a reason');
    expect(database.commits).toBe(before);
    await add('next');
    expect(await names()).toEqual(['next']);
  });

  test('runs in the order in which it was asked for', async () => {
    const order: number[] = [];
    await Promise.all([0, 1, 2].map((each) => database.write(async () => void order.push(each))));
    expect(order).toEqual([0, 1, 2]);
  });
});

test('a write that is alone waits for no clock: somebody waits for the answer to CLOSE', async () => {
  const alone = await openSqlite<Tables>(join(folder, 'alone.db'), migrations, manualClock());
  await alone.write((rows) => rows.insertInto('things').values({ name: 'alone', bytes: null }).execute());
  expect(alone.commits).toBe(1);
  await alone.close();
});

describe('a write that may wait', () => {
  test('goes with the next commit of others', async () => {
    const before = database.commits;
    const patient = database.write((rows) => rows.insertInto('things').values({ name: 'patient', bytes: null }).execute(), 'soon');
    await new Promise((turn) => setImmediate(turn));
    expect(database.commits).toBe(before);
    await Promise.all([add('hasty'), patient]);
    expect(database.commits).toBe(before + 1);
    expect(await names()).toEqual(['hasty', 'patient']);
  });

  test('waits a second at the most, and close does not forget it', async () => {
    const clock = manualClock();
    const path = join(folder, 'patient.db');
    const patient = await openSqlite<Tables>(path, migrations, clock);
    const one = patient.write((rows) => rows.insertInto('things').values({ name: 'one', bytes: null }).execute(), 'soon');
    clock.advance(1_000);
    await one;
    const two = patient.write((rows) => rows.insertInto('things').values({ name: 'two', bytes: null }).execute(), 'soon');
    await patient.close();
    await two;
    const again = await openSqlite<Tables>(path, migrations);
    expect(await again.read.selectFrom('things').select('name').execute()).toHaveLength(2);
    await again.close();
  });
});

test('the log begins anew while rows are written, when it has become long and not before', { timeout: LONG_MS }, async () => {
  const names = Array.from({ length: 500 }, (_, at) => `${at}`);
  await Promise.all(names.map(add));
  for (let round = 0; round < 80; round++) {
    // What does not differ is not written.
    const bytes = new Uint8Array(6_000).fill(round);
    await Promise.all(
      names.map((name) => database.write((rows) => rows.updateTable('things').set({ bytes }).where('name', '=', name).execute())),
    );
  }
  // 330 MB were written, and at 200 SQLite would help itself.
  const { size } = statSync(join(folder, 'test.db-wal'));
  expect(size).toBeGreaterThan(80_000_000);
  expect(size).toBeLessThan(180_000_000);
});

test('read sees nothing that is not committed', async () => {
  let during: string[] = [];
  await database.write(async (rows) => {
    await rows.insertInto('things').values({ name: 'a', bytes: null }).execute();
    during = await names();
  });
  expect(during).toEqual([]);
  expect(await names()).toEqual(['a']);
});

test('limits are part of the statement, so that it is planned once', async () => {
  const query = database.read.selectFrom('things').select('id').where('name', '=', 'a').limit(3);
  expect(query.compile()).toMatchObject({ sql: 'select "id" from "things" where "name" = ? limit 3', parameters: ['a'] });
});

test('read cannot write', async () => {
  await expect(database.read.insertInto('things').values({ name: 'a', bytes: null }).execute()).rejects.toThrow();
});

test('close commits what waits', async () => {
  const written = add('late');
  await database.close();
  await written;
  database = await openSqlite<Tables>(join(folder, 'test.db'), migrations);
  expect(await names()).toEqual(['late']);
});

test('a write that comes after the end is refused, and takes nothing else down', async () => {
  await database.close();
  await expect(add('late')).rejects.toThrow();
  database = await openSqlite<Tables>(join(folder, 'test.db'), migrations);
  expect(await names()).toEqual([]);
});

test('processes that open a new file at once migrate it once', async () => {
  const path = join(folder, 'other.db');
  const open = `
    import { openSqlite } from '#engines/sqlite/sqlite.ts';
    const up = async (db) => { await db.schema.createTable('things').addColumn('id', 'integer').execute(); };
    await (await openSqlite(process.argv[1], { '0001-things': { up } })).close();`;
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', open, path]);
  await Promise.all([run(), run(), run()]);
});
