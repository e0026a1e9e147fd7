import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFinishedKey } from '#core/ledger/idempotency-keys.ts';
import { IN_PLACE, startTestCore, type TestCore } from '../../../support/core.ts';
import { documentOf, invoice } from '../../../support/documents.ts';
import { until } from '../../../support/until.ts';

const OUT = '/transaction/seller/invoices/outgoing';

let test: TestCore;
/** What the examination of documents waits for. */
let held: Promise<void> | null = null;
let examining = 0;
beforeAll(async () => {
  test = await startTestCore({
    examiner: {
      ...IN_PLACE,
      async examine(submission) {
        examining++;
        await held;
        return IN_PLACE.examine(submission);
      },
    },
  });
});
afterAll(() => test[Symbol.asyncDispose]());

let count = 0;
const fresh = () => ({ id: `K-${++count}`, idempotencyKey: `key-of-${count}-padded` });

describe('an idempotency key', () => {
  it('S132 S135 S137 S138 S188 replays the original response, byte for byte', async () => {
    const { id, idempotencyKey } = fresh();
    const first = await test.call(OUT, { body: invoice({ id }), idempotencyKey });
    test.arrivals.length = 0;
    const second = await test.call(OUT, { body: invoice({ id }), idempotencyKey });
    expect(second.status).toBe(200);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('integrationid')).toBe(first.headers.get('integrationid'));
    expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(test.arrivals).toEqual([]);
  });

  it('is not bound to overwrite: the query is no part of what is repeated', async () => {
    const { id, idempotencyKey } = fresh();
    const first = await test.call(OUT, { body: invoice({ id }), idempotencyKey });
    expect((await test.call(`${OUT}?overwrite=true`, { body: invoice({ id }), idempotencyKey })).text).toBe(first.text);
  });

  it('S139 S284 with another body, or on another path, is answered with 400', async () => {
    const { id, idempotencyKey } = fresh();
    await test.call(OUT, { body: invoice({ id }), idempotencyKey });
    const other = await test.call(OUT, { body: invoice({ id: 'else' }), idempotencyKey });
    expect(other).toMatchObject({ status: 400, json: { type: 'E_BAD_REQUEST' } });
    const elsewhere = await test.call('/transaction/seller/invoices/incoming', { body: invoice({ id }), idempotencyKey });
    expect(elsewhere.status).toBe(400);
  });

  it('S133 S134 S292 in flight answers 409 without an integrationId, and stays in flight', async () => {
    const { id, idempotencyKey } = fresh();
    const answers = await Promise.all(Array.from({ length: 8 }, () => test.call(OUT, { body: invoice({ id }), idempotencyKey })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(answer).toMatchObject({ status: 409, json: { type: 'E_CONFLICT', metadata: { reason: 'idempotency_in_flight' } } });
      expect(answer.json.metadata).not.toHaveProperty('integrationId');
    }
    expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
    expect((await test.call(`${OUT}?documentId=${id}`)).json.data).toHaveLength(1);
  });

  it('S133 in flight is seen while the first request still runs', async () => {
    const { id, idempotencyKey } = fresh();
    const { first, letGo } = await begin(id, idempotencyKey);
    expect(await test.call(OUT, { body: invoice({ id }), idempotencyKey })).toMatchObject({ status: 409 });
    expect(await test.call(OUT, { body: invoice({ id }), idempotencyKey })).toMatchObject({ status: 409 });
    expect(await test.call(OUT, { body: invoice({ id, note: 'other' }), idempotencyKey })).toMatchObject({ status: 400 });
    letGo();
    const { status, text } = await first;
    expect(status).toBe(200);
    expect((await test.call(OUT, { body: invoice({ id }), idempotencyKey })).text).toBe(text);
  });

  it('stores nothing when another process has finished the key meanwhile', async () => {
    const { id, idempotencyKey } = fresh();
    const { first, letGo } = await begin(id, idempotencyKey);
    await finishElsewhere(idempotencyKey);
    letGo();
    expect(await first).toMatchObject({ status: 409, json: { metadata: { reason: 'idempotency_in_flight' } } });
    expect((await test.call(`${OUT}?documentId=${id}`)).status).toBe(204);
  });

  it('finished outlives a restart', async () => {
    const { id, idempotencyKey } = fresh();
    const first = await test.call(OUT, { body: invoice({ id }), idempotencyKey });
    await test.restart();
    expect((await test.call(OUT, { body: invoice({ id }), idempotencyKey })).text).toBe(first.text);
  });

  it('S136 is released by a request that failed', async () => {
    const { id, idempotencyKey } = fresh();
    expect((await test.call(OUT, { body: invoice({ id, receiver: '0088:0000000000093' }), idempotencyKey })).status).toBe(422);
    expect((await test.call(OUT, { body: '<x', idempotencyKey })).status).toBe(422);
    expect((await test.call(OUT, { body: invoice({ id }), idempotencyKey })).status).toBe(200);
  });

  it('S169 is scoped to the account', async () => {
    const { idempotencyKey } = fresh();
    expect((await test.call(OUT, { body: invoice({ id: 'mine' }), idempotencyKey })).status).toBe(200);
    const other = await test.call('/transaction/buyer/invoices/incoming', {
      key: test.buyer.apiKey,
      body: invoice({ id: 'theirs', sender: '0088:0000000000055' }),
      idempotencyKey,
    });
    expect(other.status).toBe(200);
  });

  it('S169 in flight is the account’s own as well: another one may use the same meanwhile', async () => {
    const { id, idempotencyKey } = fresh();
    const { first, letGo } = await begin(id, idempotencyKey);
    const other = await test.call('/transaction/buyer/invoices/incoming', {
      key: test.buyer.apiKey,
      body: invoice({ id, sender: '0088:0000000000055' }),
      idempotencyKey,
    });
    expect(other.status).toBe(200);
    letGo();
    expect((await first).status).toBe(200);
  });

  it('S318 is new again after 24 hours', async () => {
    const { id, idempotencyKey } = fresh();
    await test.call(OUT, { body: invoice({ id }), idempotencyKey });
    test.clock.nowMs += 24 * 60 * 60_000 - 1;
    expect((await test.call(OUT, { body: invoice({ id }), idempotencyKey })).status).toBe(200);
    test.clock.nowMs += 1;
    expect(await test.call(OUT, { body: invoice({ id }), idempotencyKey })).toMatchObject({
      status: 409,
      json: { metadata: { reason: 'duplicate_document' } },
    });
  });

  it('S167 is optional', async () => {
    expect((await test.call('/transaction/seller/orders/outgoing', { body: documentOf('Order', { id: 'no-key' }) })).status).toBe(200);
  });
});

/** Begins a request whose document is not examined until it is let go. */
async function begin(id: string, idempotencyKey: string) {
  const hold = Promise.withResolvers<void>();
  held = hold.promise;
  const before = examining;
  const first = test.call(OUT, { body: invoice({ id }), idempotencyKey });
  await until('the document to be examined', () => examining > before);
  held = null;
  return { first, letGo: () => hold.resolve() };
}

async function finishElsewhere(key: string): Promise<void> {
  const use = { account_reg_no: 'seller', key, path: OUT, fingerprint: 'of another body', started_at: test.clock.now() };
  const row = { ...use, content_type: 'application/json', integration_id: 'another', response: Buffer.from('{}') };
  await test.administration.ledger.write([], (rows) => putFinishedKey(rows, row, 0));
}
