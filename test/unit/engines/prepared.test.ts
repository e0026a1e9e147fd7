import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { prepared } from '#engines/prepared.ts';
import { openSqlite } from '#engines/sqlite.ts';

interface Tables {
  pairs: { name: string; value: number | null };
}

const create = async (database: Kysely<unknown>) => {
  await database.schema.createTable('pairs').addColumn('name', 'text').addColumn('value', 'integer').execute();
};

it('is compiled once, and takes new values at every run', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-prepared-'));
  const database = await openSqlite<Tables>(join(folder, 'a.db'), { '001': { up: create } });
  onTestFinished(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });
  let built = 0;
  const insert = prepared((rows: Kysely<Tables>, slot) => {
    built++;
    return rows.insertInto('pairs').values({ name: slot<string>('name'), value: slot<number | null>('value') });
  });
  const named = prepared((rows: Kysely<Tables>, slot) =>
    rows.selectFrom('pairs').selectAll().where('name', '=', slot<string>('name')).where('name', '!=', 'x').limit(1),
  );
  await database.write(async (rows) => {
    await insert(rows, { name: 'a', value: 1 });
    await insert(rows, { value: null, name: 'b' });
  });
  expect(built).toBe(1);
  expect(await named(database.read, { name: 'a' })).toEqual([{ name: 'a', value: 1 }]);
  expect(await named(database.read, { name: 'b' })).toEqual([{ name: 'b', value: null }]);
  await expect(named(database.read, { nome: 'a' })).rejects.toThrow('the query needs a value for name');
});
