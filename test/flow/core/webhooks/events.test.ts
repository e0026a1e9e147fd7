// Events: what is written for whom, in the transaction of what it tells of, and what a receiver gets.
import { Compile } from 'typebox/compile';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebhookEvent } from '#contract/webhooks.ts';
import { updateCoreAccount } from '#core/operate/administration.ts';
import { openQueue } from '#engines/open.ts';
import { silent } from '../../../support/core.ts';
import { recordDelivery } from '../../../support/delivery.ts';
import { invoice } from '../../../support/documents.ts';
import type { Receiver } from '../../../support/receiver.ts';
import { until } from '../../../support/until.ts';
import { hitsOf, ownCore, ownReceiver } from '../../../support/webhooks.ts';
import { setBack } from '../../../support/world/ledger-rows.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const isEvent = Compile(WebhookEvent);

let receiver: Receiver;
beforeEach(async () => {
  receiver = await ownReceiver();
});

const hits = (count: number) => hitsOf(receiver, count);

describe('an event', () => {
  it('S270 S273 S274 S275 new_document is posted as JSON when an account receives a document', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', `${receiver.url}/events?from=core`);
    await core.send('1001');
    const [hit] = await hits(1);
    expect(hit).toMatchObject({ method: 'POST', path: '/events?from=core', headers: { 'content-type': 'application/json' } });
    expect(isEvent.Check(hit!.json), hit!.text).toBe(true);
    const now = new Date(core.clock.now()).toISOString();
    expect(hit!.json).toEqual({
      id: hit!.headers['webhook-id'],
      type: 'new_document',
      timestamp: now,
      accountRegNo: 'buyer',
      data: {
        integrationId: expect.any(String),
        documentType: 'Invoice',
        documentId: '1001',
        direction: 'incoming',
        status: 'received',
        createdAt: now,
        updatedAt: now,
        href: `/transaction/buyer/invoices/incoming?integrationId=${hit!.json.data.integrationId}`,
      },
    });
    expect(hit!.headers['webhook-timestamp']).toBe(String(Math.floor(core.clock.now() / SECOND)));
    expect(hit!.headers).not.toHaveProperty('authorization');
    const found = await core.test.call(hit!.json.data.href, { key: core.test.buyer.apiKey });
    expect(found.json.data).toHaveLength(1);
    await core.settled();
    core.clock.advance(24 * HOUR);
    await core.settled();
    expect(receiver.hits).toHaveLength(1);
  });

  it('S271 S272 new_document tells of a document that was created, and document_delivery of each status after it', async () => {
    const core = await ownCore();
    await core.subscribe('seller', receiver.url);
    const integrationId = await core.send('1001');
    const told = (await hits(3)).map(({ json: { type, accountRegNo, data } }) => [
      type,
      accountRegNo,
      data.integrationId,
      data.previousStatus,
      data.status,
    ]);
    expect(told.toSorted()).toEqual([
      ['document_delivery', 'seller', integrationId, 'queued', 'sent'],
      ['document_delivery', 'seller', integrationId, 'sent', 'delivered'],
      ['new_document', 'seller', integrationId, undefined, 'queued'],
    ]);
    expect(new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  it('S272 document_delivery is sent when the network tells of a status', async () => {
    const core = await ownCore();
    const { administration } = core.test;
    await core.subscribe('seller', receiver.url, ['document_delivery']);
    const integrationId = await core.send('1001');
    await hits(2);
    await setBack(administration.ledger, integrationId, 'sent');
    core.clock.advance(HOUR);
    const queue = openQueue(core.clock, silent);
    await recordDelivery({ ...administration, clock: core.clock, queue, log: silent, changed: () => undefined }, integrationId, 'rejected');
    // The bell did not ring: a sweep finds it, the next one where one is under way.
    const hit = await until('the third', () => {
      core.clock.advance(10 * SECOND);
      return receiver.hits[2];
    });
    expect(hit.json.data).toMatchObject({ status: 'rejected', previousStatus: 'sent', statusAt: hit.json.timestamp });
  });

  it('an overwritten document is a new one; a document that is put among incoming ones too; of other types nothing is sent', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url, ['new_document']);
    await core.subscribe('seller', `${receiver.url}/seller`, ['document_delivery']);
    await core.send('1001');
    const again = await core.test.call('/transaction/seller/invoices/outgoing?overwrite=true', {
      body: invoice({ id: '1001', note: 'Again.' }),
    });
    expect(again.status).toBe(200);
    await core.test.call('/transaction/buyer/invoices/incoming', { key: core.test.buyer.apiKey, body: invoice({ id: '2002' }) });
    const all = await hits(7);
    const ofBuyer = all.filter(({ path }) => path === '/').map(({ json }) => json);
    expect(ofBuyer.map(({ data }) => data.documentId).toSorted()).toEqual(['1001', '1001', '2002']);
    expect(new Set(ofBuyer.map(({ data }) => data.integrationId)).size).toBe(2);
    expect(new Set(all.filter(({ path }) => path === '/seller').map(({ json }) => json.type))).toEqual(new Set(['document_delivery']));
  });

  it('is there when the document is, and is not when it is not: one transaction', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url);
    await core.send('1001');
    const refused = await core.test.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: '1001' }) });
    expect(refused.status).toBe(409);
    await core.settled();
    expect(receiver.hits).toHaveLength(1);
  });

  it('is not written for an account that is disabled', async () => {
    const core = await ownCore();
    await core.subscribe('buyer', receiver.url);
    await updateCoreAccount(core.test.administration, 'buyer', { enabled: false });
    await core.send('1001');
    expect(await core.owed()).toEqual([]);
  });
});
