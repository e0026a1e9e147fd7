// Messages leave the core when their time is over; what is unread or owed stays, numbers stay taken, and lists stay whole.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { insertResponse } from '#core/ledger/receptions.ts';
import { updateCoreAccount } from '#core/operate/administration.ts';
import { eraseFromCore, foreseeErasure } from '#core/operate/erase.ts';
import { exportFromCore } from '#core/operate/export.ts';
import { ensureFolder } from '#runtime/files/durable.ts';
import { calm } from '../../../support/calm.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';
import { coreOfTest, reloadCore, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { isOnPostgres } from '../../../support/engine.ts';
import { dumpTable } from '../../../support/world/ledger-rows.ts';

const DAY_MS = 86_400_000;
const OUT = '/transaction/seller/invoices/outgoing';
const IN = '/transaction/buyer/invoices/incoming';

interface Kept extends TestCore {
  readonly time: ManualClock;
}

async function start(): Promise<Kept> {
  const time = manualClock();
  const core = await coreOfTest({ clock: time, keepMessages: 100 * DAY_MS });
  return Object.assign(core, { time });
}

async function send(core: TestCore, id: string, note = 'Thank you.', query = ''): Promise<string> {
  const { json, status } = await core.call(`${OUT}${query}`, { body: invoice({ id, note }) });
  expect(status).toBe(200);
  return json.data.integrationId;
}

/** The buyer reads all that is unread. */
async function read(core: TestCore): Promise<void> {
  await core.call('/transaction/buyer/invoices/incoming/readinvoices?limit=100', { key: core.buyer.apiKey });
}

async function pass(core: Kept, days: number): Promise<void> {
  core.time.advance(days * DAY_MS);
  // Rounds begin every six hours, and rest behind each step.
  for (let step = 0; step < 60; step++) {
    core.time.advance(step % 20 === 0 ? 6 * 3_600_000 : 100);
    await calm();
  }
}

async function listed(core: TestCore, side: 'seller' | 'buyer', query = ''): Promise<string[]> {
  const path = side === 'seller' ? OUT : IN;
  const { status, json } = await core.call(`${path}?includeRead=true&limit=100${query}`, { key: core[side].apiKey });
  return status === 204 ? [] : json.data.map((each: { integrationId: string }) => each.integrationId);
}

it('what was stored, changed and read longer ago than the period goes, with its bytes, log and responses', async () => {
  const core = await start();
  await send(core, 'old');
  await read(core);
  await pass(core, 50);
  const young = await send(core, 'young');
  await pass(core, 60);
  expect(await listed(core, 'seller')).toEqual([young]);
  expect(await listed(core, 'buyer')).toHaveLength(1);
  const { ledger } = core.administration;
  expect(await dumpTable({ core: ledger }, 'message_contents')).toHaveLength(2);
  expect(await dumpTable({ core: ledger }, 'message_log')).toHaveLength(4);
});

it('responses of the network that belong to no message go as well', async () => {
  const core = await start();
  const { ledger } = core.administration;
  const response = { sequence: null, kind: 'MLS', code: 'AP', reason: null, findings: [], document: Buffer.from('<Response/>') };
  const respond = (instanceId: string) => ledger.write([], (rows) => insertResponse(rows, { ...response, instanceId }, core.time.now()));
  for (let at = 0; at < 25; at++) await respond(`old-${at}`);
  await pass(core, 50);
  await respond('young');
  await pass(core, 60);
  expect(await dumpTable({ core: ledger }, 'responses')).toMatchObject([{ instance_id: 'young' }]);
});

it('an unread message stays, also before others that go, and lists are found by day and offset as before', async () => {
  const core = await start();
  await send(core, 'A');
  const unread = await send(core, 'B');
  await send(core, 'C');
  await read(core);
  const [, b] = (await listed(core, 'buyer')).toReversed();
  await core.call(`/transaction/buyer/invoices/incoming/readinvoices?integrationId=${b}&markUnread=true`, {
    key: core.buyer.apiKey,
  });
  expect(unread).toEqual(expect.any(String));
  await pass(core, 120);
  const d = await send(core, 'D');
  const bought = await listed(core, 'buyer');
  expect(bought).toHaveLength(2);
  expect(bought[1]).toBe(b);
  expect(await listed(core, 'buyer', '&offset=1')).toEqual([b]);
  const today = new Date(core.time.now()).toISOString().slice(0, 10);
  expect(await listed(core, 'buyer', `&from=${today}`)).toEqual([bought[0]]);
  expect(await listed(core, 'seller')).toEqual([d]);
});

it('a number stays taken for ever, and a replacement goes on as its next version', async () => {
  const core = await start();
  const first = await send(core, 'N');
  await read(core);
  const [received] = await listed(core, 'buyer');
  await pass(core, 400);
  expect(await listed(core, 'buyer')).toEqual([]);
  expect(JSON.stringify(await dumpTable({ core: core.administration.ledger }, 'taken'))).not.toMatch(/seller|buyer|7350000000016/);

  const again = await core.call(OUT, { body: invoice({ id: 'N' }) });
  expect(again.status).toBe(409);
  expect(again.json.metadata.integrationId).toBe(first);
  expect(await send(core, 'N', 'Corrected.', '?overwrite=true')).toBe(first);
  expect(await listed(core, 'buyer')).toEqual([received]);
  expect(await core.log(first)).toEqual(['2 queued', '2 sent', '2 delivered']);
  expect(await dumpTable({ core: core.administration.ledger }, 'taken')).toEqual([]);
});

it('another period holds once it was told of it', async () => {
  const core = await start();
  const kept = await send(core, 'K');
  await read(core);
  reloadCore(core, { keepMessages: null });
  await pass(core, 120);
  expect(await listed(core, 'seller')).toEqual([kept]);
  reloadCore(core, { keepMessages: 30 * DAY_MS });
  await pass(core, 1);
  expect(await listed(core, 'seller')).toEqual([]);
});

it('an account may have a period of its own', async () => {
  const core = await start();
  await updateCoreAccount(core.administration, 'seller', { keepMessages: 0 });
  const kept = await send(core, 'K');
  await read(core);
  await pass(core, 3_000);
  expect(await listed(core, 'seller')).toEqual([kept]);
  expect(await listed(core, 'buyer')).toEqual([]);
});

it('an export of an account tells how far it has come', async () => {
  const core = await start();
  for (const id of ['A', 'B']) await send(core, id);
  const told: string[] = [];
  const folder = ensureFolder(dirname(core.databasePath), 'export');
  expect(await exportFromCore(core.administration, 'seller', folder, (text) => told.push(text))).toBe(2);
  expect(told).toEqual(['2 messages']);
});

it('an account that is erased leaves nothing in the ledger and its log but digests; what others got from it is theirs', async () => {
  const core = await start();
  const sent = await send(core, 'Kvittens-7f3a', 'Kvittens-7f3a');
  await updateCoreAccount(core.administration, 'buyer', { enabled: false });
  await updateCoreAccount(core.administration, 'seller', { enabled: false });
  expect(await foreseeErasure(core.administration, 'buyer')).toBe(1);
  const told: string[] = [];
  for (const account of ['buyer', 'seller']) await eraseFromCore(core.administration, account, (text) => told.push(text));
  expect(told).toContain('1 message erased');
  // PostgreSQL keeps what was deleted until its administrator has it rewritten.
  expect(await core.administration.ledger.wipe()).toBe(!isOnPostgres);
  expect(await foreseeErasure(core.administration, 'seller')).toBeNull();
  const folder = dirname(core.databasePath);
  for (const file of readdirSync(folder).filter((name) => name.startsWith('core.db'))) {
    expect(readFileSync(join(folder, file)).includes('Kvittens-7f3a')).toBe(false);
  }
  expect(await dumpTable({ core: core.administration.ledger }, 'taken')).toHaveLength(2);
  expect(sent).toEqual(expect.any(String));
});
