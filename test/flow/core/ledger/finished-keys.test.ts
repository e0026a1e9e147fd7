import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CompiledQuery } from 'kysely';
import { expect, it } from 'vitest';
import { openCoreLedger } from '#core/ledger/open.ts';
import { migrations } from '#core/ledger/schema.ts';
import { openSqlite } from '#engines/sqlite/sqlite.ts';

it('the migration keeps the finished idempotency keys of an older ledger', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-keys-'));
  const path = join(folder, 'older.db');
  const older = await openSqlite<never>(path, Object.fromEntries(Object.entries(migrations).slice(0, 6)));
  await older.write((rows) =>
    rows.executeQuery(
      CompiledQuery.raw(`insert into idempotency_keys values
        ('one', 'finished', '/p', 'f', 'o', 1, 2, 3, 'application/json', 'id', x'7b7d'), ('one', 'in flight', '/p', 'f', 'o', 1, 2, null, null, null, null)`),
    ),
  );
  await older.close();
  const now = await openCoreLedger(path);
  const rows = await now.read.selectFrom('idempotency_keys').selectAll().execute();
  await now.close();
  rmSync(folder, { recursive: true });
  const response = { content_type: 'application/json', integration_id: 'id', response: new Uint8Array([0x7b, 0x7d]) };
  expect(rows).toEqual([{ account_reg_no: 'one', key: 'finished', path: '/p', fingerprint: 'f', started_at: 1, ...response }]);
});
