// Two cores as processes on one database, each with a name: where one is killed in the middle, its clients repeat at the other what they had asked for.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { request } from '../support/core.ts';
import { SELLER_AND_BUYER, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { invoice } from '../support/documents.ts';
import { connectedTo, hasPostgres, newPostgresDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const COUNT = 40;

it.runIf(hasPostgres)('S137 what is repeated at the other core is there once, whatever the killed one had done of it', async () => {
  await using database = await newPostgresDatabase();
  const { config, env } = connectedTo(database.place);
  const accounts = SELLER_AND_BUYER.map(({ accountRegNo, participants }) => ({ accountRegNo, participants }));
  await using one = await startDaemon({ role: 'core', accounts, env, config, node: { name: 'one' } });
  const data = join(one.folder, 'two');
  cpSync(join(one.data, 'keys'), join(data, 'keys'), { recursive: true });
  await using two = await startDaemon({ role: 'core', accounts: [], env, config, node: { name: 'two', data } });
  const key = one.apiKey('seller');

  const send = (at: TestDaemon, count: number) =>
    request(at.coreUrl + OUT, {
      key,
      body: invoice({ id: `C-${count}` }),
      idempotencyKey: `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`,
    });
  let answered = 0;
  const sending = Array.from({ length: COUNT }, async (_, count) => {
    const first = await send(one, count).catch(() => null);
    answered++;
    if (first?.status === 200) return first.json.data.integrationId;
    return until(`document ${count} at the other`, async () => {
      const { status, json } = await send(two, count);
      return status === 200 && json.data.integrationId;
    });
  });
  await until('some answers', () => answered > 0);
  await one.kill();
  const ids = await Promise.all(sending);
  expect(new Set(ids).size).toBe(COUNT);
  const list = `${two.coreUrl}/transaction/buyer/invoices/incoming?limit=100&includeRead=true`;
  const { json } = await request(list, { key: one.apiKey('buyer'), accept: 'application/json' });
  expect(json.data.map((each: { Invoice: { ID: { _: string } } }) => each.Invoice.ID._).sort()).toEqual(
    Array.from({ length: COUNT }, (_, count) => `C-${count}`).sort(),
  );
  // It comes back under its name.
  await one.start();
  expect((await send(one, 0)).json.data.integrationId).toBe(ids[0]);
});
