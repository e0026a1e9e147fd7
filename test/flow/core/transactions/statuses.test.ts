// The delivery status of messages and the log that stands behind it.
import { beforeEach, expect, it } from 'vitest';
import { FAMILIES } from '#domain/family.ts';
import { openQueue } from '#engines/open.ts';
import { coreOfTest, silent, type TestCore } from '../../../support/core.ts';
import { recordDelivery } from '../../../support/delivery.ts';
import { documentOf, invoice } from '../../../support/documents.ts';
import { countRows, setBack } from '../../../support/world/ledger-rows.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const IN = '/transaction/buyer/invoices/incoming';

let test: TestCore;
beforeEach(async () => {
  test = await coreOfTest();
});

const send = async (query = '') => (await test.call(OUT + query, { body: invoice() })).json.data.integrationId as string;
const statusOf = async (integrationId: string) =>
  (await test.call(`${OUT}/status?integrationId=${integrationId}&includeRead=true`)).json[0].metadata.status;
const record = (integrationId: string, status: Parameters<typeof recordDelivery>[2]) =>
  recordDelivery(
    { ...test.administration, queue: openQueue(test.clock, silent), log: silent, changed: () => undefined },
    integrationId,
    status,
  );

/** As if the message still waited for the network. */
const wait = (integrationId: string) => setBack(test.administration.ledger, integrationId, 'queued');

it('S073 within one core a message is queued, sent and delivered in the transaction that stores it; its log says so', async () => {
  const integrationId = await send();
  expect(await statusOf(integrationId)).toBe('delivered');
  expect(await test.log(integrationId)).toEqual(['1 queued', '1 sent', '1 delivered']);
  const incoming = (await test.call(IN, { key: test.buyer.apiKey })).json.data[0].integrationId;
  expect(await test.log(incoming)).toEqual(['1 received']);
});

it('an overwrite begins again, for both sides', async () => {
  const integrationId = await send();
  expect(await send('?overwrite=true')).toBe(integrationId);
  expect((await test.log(integrationId)).slice(3)).toEqual(['2 queued', '2 sent', '2 delivered']);
  const incoming = (await test.call(IN, { key: test.buyer.apiKey })).json.data[0].integrationId;
  expect(await test.log(incoming)).toEqual(['1 received', '2 received']);
});

it.each([[['sent', 'delivered']], [['sent', 'rejected']], [['failed']]] as const)(
  'S073 the status endpoint tells what the network told: %s',
  async (statuses) => {
    const integrationId = await send();
    await wait(integrationId);
    for (const status of statuses) {
      test.clock.nowMs += 24 * 60 * 60_000;
      await record(integrationId, status);
      expect(await statusOf(integrationId)).toBe(status);
      // A status is an update: whoever asks by update time hears of it.
      const today = new Date(test.clock.nowMs).toISOString().slice(0, 10);
      expect((await test.call(`${OUT}/status?updatedAtFrom=${today}`)).json).toHaveLength(1);
    }
    expect((await test.log(integrationId)).slice(3)).toEqual(statuses.map((status) => `1 ${status}`));
  },
);

it('there is no way back, and none past a stage', async () => {
  const integrationId = await send();
  for (const status of ['sent', 'rejected', 'failed'] as const) {
    await expect(record(integrationId, status)).rejects.toMatchObject({ code: 'bad-request' });
  }
  await wait(integrationId);
  await expect(record(integrationId, 'delivered')).rejects.toMatchObject({ code: 'bad-request' });
  await expect(record('nothing', 'sent')).rejects.toMatchObject({ code: 'missing' });
  expect(await test.log(integrationId)).toHaveLength(3);
});

it('what is refused leaves neither message nor log', async () => {
  await send();
  const entries = () => countRows(test.administration.ledger, 'message_log');
  const before = await entries();
  expect((await test.call(OUT, { body: invoice() })).status).toBe(409);
  expect((await test.call(OUT, { body: invoice({ id: 'x', receiver: '0088:0000000000017' }) })).status).toBe(422);
  expect(await entries()).toBe(before);
});

it.each(FAMILIES)('$name has a status endpoint in both directions', async ({ name, segment }) => {
  await test.call(`/transaction/seller/${segment}/outgoing`, { body: documentOf(name) });
  expect((await test.call(`/transaction/seller/${segment}/outgoing/status`)).json).toMatchObject([{ metadata: { status: 'delivered' } }]);
  const received = await test.call(`/transaction/buyer/${segment}/incoming/status`, { key: test.buyer.apiKey });
  expect(received.json).toMatchObject([{ readAt: null, metadata: { status: 'received' } }]);
});
