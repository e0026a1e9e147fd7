// A ledger of a version that noted running tries becomes one of this version.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { openCoreLedger } from '#core/ledger/open.ts';
import { migrations, type Tables } from '#core/ledger/schema.ts';
import { openSqlite } from '#engines/sqlite/sqlite.ts';

it('a try that was running is made again and does not count; what waits or was given up stays as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-leases-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'core.db');
  const earlier = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '008'));
  const before = await openSqlite<Tables>(path, earlier);
  await before.write(async (rows) => {
    await sql`insert into webhooks (id, scope, partner_reg_no, account_reg_no, url, types, enabled, created_at, updated_at)
      values ('w', 'account', '', 'a', 'https://a.test/', '[]', 1, 0, 0)`.execute(rows);
    await sql`insert into webhook_events (event_id, webhook_id, type, body, created_at, attempts, next_attempt_at, leased, dead_at)
      values ('runs', 'w', 't', '', 0, 3, 999, 1, null), ('waits', 'w', 't', '', 0, 2, 500, 0, null), ('dead', 'w', 't', '', 0, 10, null, 0, 7)`.execute(
      rows,
    );
  });
  await before.close();
  const ledger = await openCoreLedger(path);
  onTestFinished(() => ledger.close());
  expect(await ledger.read.selectFrom('webhook_events').select(['event_id', 'attempts', 'next_attempt_at', 'dead_at']).execute()).toEqual([
    { event_id: 'runs', attempts: 2, next_attempt_at: 0, dead_at: null },
    { event_id: 'waits', attempts: 2, next_attempt_at: 500, dead_at: null },
    { event_id: 'dead', attempts: 10, next_attempt_at: null, dead_at: 7 },
  ]);
});
