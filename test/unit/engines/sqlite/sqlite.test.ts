// What the SQLite engine does beyond the promises of the database seam (test/engines): commits that are shared, plans that are kept, a log that is bounded.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '#engines/database.ts';
import { prepared } from '#engines/prepared.ts';
import { blob, key, nullable, type TablesOf, text } from '#engines/schema.ts';
import { openSqlite } from '#engines/sqlite/sqlite.ts';
import { manualClock } from '../../../support/clock.ts';
import { LONG_MS } from '../../../support/patience.ts';

const schema = {
  version: 1,
  tables: { things: { columns: { id: key(), name: text(), bytes: nullable(blob()) }, uniques: { things_name: '(name)' } } },
} as const;

let folder: string;
let database: Database<TablesOf<typeof schema>>;
/** Not in memory (temporary.ts): there rows are written quicker than another thread copies the log. */
const ON_DISK = '/var/tmp';

beforeEach(async () => {
  folder = mkdtempSync(join(ON_DISK, 'dropgate-sqlite-'));
  database = await openSqlite(join(folder, 'test.db'), schema);
  onTestFinished(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

const add = (name: string) => database.write([], (rows) => rows.insertInto('things').values({ name }).execute());
const names = async (): Promise<string[]> =>
  (await database.read.selectFrom('things').select('name').orderBy('id').execute()).map(({ name }) => name);

it('leaves one file when it is closed, though nothing was asked', async () => {
  await (await openSqlite(join(folder, 'unasked.db'), schema)).close();
  expect(readdirSync(folder).filter((name) => name.startsWith('unasked'))).toEqual(['unasked.db']);
});

describe('writes', () => {
  it('that wait together share one commit', async () => {
    const before = database.commits;
    await Promise.all(Array.from({ length: 20 }, (_, index) => add(`n${index}`)));
    expect(database.commits - before).toBe(1);
  });

  it('that throw are no commit when they are alone', async () => {
    const before = database.commits;
    await expect(database.write([], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(database.commits).toBe(before);
  });

  it('that are alone wait for no clock: somebody waits for the answer to CLOSE', async () => {
    const alone = await openSqlite(join(folder, 'alone.db'), schema, { clock: manualClock() });
    await alone.write([], (rows) => rows.insertInto('things').values({ name: 'alone' }).execute());
    await alone.close();
  });

  it('that may wait go with the next commit of others', async () => {
    const before = database.commits;
    const patient = database.write([], (rows) => rows.insertInto('things').values({ name: 'patient' }).execute(), 'soon');
    await new Promise((turn) => setImmediate(turn));
    expect(database.commits).toBe(before);
    await Promise.all([add('hasty'), patient]);
    expect(database.commits).toBe(before + 1);
    expect(await names()).toEqual(['hasty', 'patient']);
  });
});

it('the log begins anew while rows are written, when it has become long and not before', { timeout: LONG_MS }, async () => {
  const names = Array.from({ length: 500 }, (_, at) => `${at}`);
  await Promise.all(names.map(add));
  for (let round = 0; round < 80; round++) {
    // What does not differ is not written.
    const bytes = new Uint8Array(6_000).fill(round);
    await Promise.all(
      names.map((name) => database.write([], (rows) => rows.updateTable('things').set({ bytes }).where('name', '=', name).execute())),
    );
  }
  // 330 MB were written, and at 200 SQLite would help itself.
  const { size } = statSync(join(folder, 'test.db-wal'));
  expect(size).toBeGreaterThan(80_000_000);
  expect(size).toBeLessThan(180_000_000);
});

it('limits are part of the statement, so that it is planned once', async () => {
  const query = database.read.selectFrom('things').select('id').where('name', '=', 'a').limit(3);
  expect(query.compile()).toMatchObject({ sql: 'select "id" from "things" where "name" = ? limit 3', parameters: ['a'] });
  const some = prepared((rows: typeof database.read, slot) => rows.selectFrom('things').selectAll().limit(slot<number>('limit')));
  await expect(some(database.read, { limit: 1 })).rejects.toThrow('a limit is a number, known when the query is built');
});

it('processes that open a new file at once make its tables once', async () => {
  const open = `
    import { openSqlite } from '#engines/sqlite/sqlite.ts';
    import { text } from '#engines/schema.ts';
    const things = { columns: { name: text() }, primaryKey: '(name)' };
    await (await openSqlite(process.argv[1], { version: 1, tables: { things } })).close();`;
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', open, join(folder, 'other.db')]);
  await Promise.all([run(), run(), run()]);
});

it('a file with tables and no version is one that an earlier version made', async () => {
  const path = join(folder, 'earlier.db');
  new DatabaseSync(path).exec('create table kysely_migration (name text)');
  await expect(openSqlite(path, schema)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining(`${path} was made by an earlier version`),
  });
});
