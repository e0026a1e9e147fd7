import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAccount } from '#core/operate/administration.ts';
import { FAMILIES } from '#domain/family.ts';
import { readTree } from '#ubl/read.ts';
import { jsonOf } from '#ubl/write-json.ts';
import { coreOfTest, startTestCore, type TestCore } from '../../../support/core.ts';
import { BUYER, documentOf, invoice, SELLER } from '../../../support/documents.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const OUT = '/transaction/seller/invoices/outgoing';
const IN = '/transaction/buyer/invoices/incoming';

let test: TestCore;
beforeAll(async () => {
  test = await startTestCore();
});
afterAll(() => test[Symbol.asyncDispose]());

let count = 0;
const fresh = (): string => `N-${++count}`;
const asJson = (name: string, bytes: Uint8Array): string => `{"${name}":${jsonOf(readTree(bytes))}}`;

describe('creating a document', () => {
  it.each(FAMILIES)('S028 S055 S056 S058 S059 S061 S062 S064 S176 S221 $name: answers 200 with the create response', async (family) => {
    const id = fresh();
    const answer = await test.call(`/transaction/seller/${family.segment}/outgoing`, { body: documentOf(family.name, { id }) });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      status: 'success',
      data: {
        message: `${family.name} ${id} was received.`,
        ...Object.fromEntries(family.idKeys.map((key) => [key, id])),
        integrationId: expect.stringMatching(UUID),
      },
    });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('S057 S060 S063 names the type and the id under the keys of the specification', async () => {
    const keys = Object.fromEntries(FAMILIES.map(({ name, idKeys }) => [name, idKeys[0]]));
    expect(keys).toMatchObject({ Invoice: 'invoice_id', CreditNote: 'creditnote_id', Order: 'order_id', DespatchAdvice: 'catalogue_id' });
  });

  it('S065 S066 S067 S068 S144 in XML has the root success', async () => {
    const id = fresh();
    const answer = await test.call(OUT, { body: invoice({ id }), accept: 'application/xml' });
    expect(answer.headers.get('content-type')).toBe('application/xml');
    const root = readTree(answer.bytes);
    expect(root.name).toBe('success');
    expect(root.children.map(({ name, text }) => [name, text])).toEqual([
      ['message', `Invoice ${id} was received.`],
      ['invoice_id', id],
      ['integrationId', answer.headers.get('integrationid')],
    ]);
  });

  it('S018 S146 S147 S170 S171 S173 S195 S218 takes JSON and XML, in both directions', async () => {
    for (const [path, family] of [
      ['/transaction/seller/orders/outgoing', 'Order'],
      ['/transaction/seller/despatch-advices/outgoing', 'DespatchAdvice'],
      ['/transaction/seller/invoices/outgoing', 'Invoice'],
    ] as const) {
      expect(await test.call(path, { body: asJson(family, documentOf(family, { id: fresh() })), type: 'application/json' })).toMatchObject({
        status: 200,
      });
      expect(await test.call(path, { body: documentOf(family, { id: fresh() }), type: 'text/xml; charset=utf-8' })).toMatchObject({
        status: 200,
      });
    }
    for (const [path, family] of [
      ['/transaction/buyer/orders/incoming', 'Order'],
      ['/transaction/buyer/despatch-advices/incoming', 'DespatchAdvice'],
      ['/transaction/buyer/invoices/incoming', 'Invoice'],
    ] as const) {
      const id = fresh();
      const received = await test.call(path, { key: test.buyer.apiKey, body: documentOf(family, { id, sender: '0088:0000000000017' }) });
      expect(received).toMatchObject({ status: 200, json: { status: 'success', data: { integrationId: expect.stringMatching(UUID) } } });
      expect((await test.call(`${path}?documentId=${id}`, { key: test.buyer.apiKey })).json.data).toHaveLength(1);
    }
  });

  it('S025 S026 delivers to the receiver of this core at once: outgoing for one, incoming for the other, the bytes untouched', async () => {
    const bytes = invoice({ id: fresh(), note: 'Grüße & \u{1f600}' });
    test.arrivals.length = 0;
    const sent = await test.call(OUT, { body: bytes });
    expect(test.arrivals).toEqual([['buyer', 'Invoice']]);
    const got = await test.call(`${IN}?limit=1`, { key: test.buyer.apiKey, accept: 'application/xml' });
    expect(got.bytes.equals(bytes)).toBe(true);
    expect(got.headers.get('integrationid')).toMatch(UUID);
    expect(got.headers.get('integrationid')).not.toBe(sent.json.data.integrationId);
    const status = await test.call(`${OUT}/status?integrationId=${sent.json.data.integrationId}`);
    expect(status.json).toEqual([{ uuid: sent.json.data.integrationId, readAt: null, metadata: { status: 'delivered' } }]);
  });

  it('S296 S294 refuses what is no complete document of the family, with details', async () => {
    const cases: [string, string | Uint8Array, string, RegExp][] = [
      [OUT, '<Invoice', 'application/xml', /ends too early/],
      [OUT, documentOf('Order'), 'application/xml', /family Order, but this endpoint takes Invoice/],
      [OUT, new TextDecoder().decode(invoice()).replace('<cbc:ID>1001</cbc:ID>', ''), 'application/xml', /no document id/],
      [OUT, '{"Invoice":{"ID":"1"}}', 'application/json', /no address of its sender.*no address of its receiver/],
      [OUT, '{"Invoice":{"ID":"1","ID":"2"}}', 'application/json', /stands twice/],
      [OUT, '{"Invoice":{"ID":"\\u0001"}}', 'application/json', /U\+0001/],
    ];
    for (const [path, body, type, sentence] of cases) {
      const answer = await test.call(path, { body, type });
      expect(answer, String(sentence)).toMatchObject({ status: 422, json: { status: 'error', type: 'E_VALIDATION' } });
      expect(answer.json.data).toMatch(sentence);
      expect(answer.json.metadata.description).toBe(answer.json.data);
    }
    const headless = await test.call(OUT, { body: '{"Invoice":{"ID":"1"}}', type: 'application/json' });
    expect(headless.json.metadata.details).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ rule: 'head-sender', severity: 'fatal' }),
        expect.objectContaining({ rule: 'head-receiver' }),
      ]),
    );
  });

  it('S322 refuses a JSON array of messages', async () => {
    const answer = await test.call(OUT, { body: '[{"Invoice":{}}]', type: 'application/json' });
    expect(answer).toMatchObject({ status: 400, json: { type: 'E_BAD_REQUEST' } });
  });

  it('S282 answers a malformed request with 400', async () => {
    for (const call of [
      { body: invoice(), type: 'text/plain' },
      { body: '', type: 'application/xml' },
      { method: 'POST' },
      { body: invoice(), idempotencyKey: 'short' },
      { body: invoice(), idempotencyKey: 'not/allowed/here' },
    ]) {
      expect(await test.call(OUT, call)).toMatchObject({ status: 400, json: { status: 'error', type: 'E_BAD_REQUEST' } });
    }
    expect(await test.call(`${OUT}?overwrite=maybe`, { body: invoice() })).toMatchObject({ status: 400 });
  });

  it('answers a body that is too large with 400 and the limit', async () => {
    const answer = await test.call(OUT, { body: new Uint8Array(1024 * 1024 + 1).fill(32) });
    expect(answer).toMatchObject({ status: 400, json: { type: 'E_BAD_REQUEST', metadata: { maxBytes: 1024 * 1024 } } });
  });

  it('refuses a sender of an outgoing, or a receiver of an incoming document that is not the account’s own', async () => {
    const foreign = await test.call(OUT, { body: invoice({ id: fresh(), sender: BUYER, receiver: SELLER }) });
    expect(foreign).toMatchObject({ status: 422, json: { type: 'E_VALIDATION', metadata: { details: [{ rule: 'participant' }] } } });
    expect(foreign.json.data).toContain(` The account has ${SELLER}. Correct the address`);
    const misdirected = await test.call('/transaction/seller/invoices/incoming', { body: invoice({ id: fresh() }) });
    expect(misdirected.json.data).toMatch(/^The receiver 0088:7350000000016 is no participant of this account/);
  });

  it.each(['test', 'production'] as const)('an account without participants sends in nobody’s name in %s', async (environment) => {
    const own = await coreOfTest({ environment });
    const { apiKey: key } = await addAccount(own.administration, { accountRegNo: 'bare', name: 'Bare', participants: [] });
    const answer = await own.call('/transaction/bare/invoices/outgoing', { key, body: invoice() });
    expect(answer).toMatchObject({ status: 422, json: { metadata: { details: [{ rule: 'participant' }] } } });
  });

  it('S295 answers an unknown receiver with 422 and the lookup’s own type, and stores nothing', async () => {
    const id = fresh();
    const answer = await test.call(OUT, { body: invoice({ id, receiver: '0088:1234567890128' }) });
    expect(answer).toMatchObject({ status: 422, json: { type: 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP' } });
    expect((await test.call(`${OUT}?documentId=${id}`)).status).toBe(204);
  });
});

describe('a document that was submitted before', () => {
  it('S291 S293 S165 is answered with 409 and the integrationId of the first', async () => {
    const id = fresh();
    const first = await test.call(OUT, { body: invoice({ id }) });
    const second = await test.call(OUT, { body: invoice({ id, note: 'other' }) });
    expect(second).toMatchObject({
      status: 409,
      json: { type: 'E_CONFLICT', metadata: { integrationId: first.json.data.integrationId, reason: 'duplicate_document' } },
    });
  });

  it('is the same document only for the same family, receiver, and on incoming the same sender', async () => {
    const id = fresh();
    const key = test.buyer.apiKey;
    expect((await test.call(IN, { key, body: invoice({ id, sender: '0088:0000000000017' }) })).status).toBe(200);
    expect((await test.call(IN, { key, body: invoice({ id, sender: '0088:0000000000024' }) })).status).toBe(200);
    expect((await test.call(IN, { key, body: invoice({ id, sender: '0088:0000000000024' }) })).status).toBe(409);
    expect(
      (
        await test.call('/transaction/buyer/creditnotes/incoming', {
          key,
          body: documentOf('CreditNote', { id, sender: '0088:0000000000024' }),
        })
      ).status,
    ).toBe(200);
  });

  it('S166 S187 S214 overwrite=true replaces it: same integrationId, new content, unread again, for the receiver too', async () => {
    const id = fresh();
    const first = await test.call(OUT, { body: invoice({ id }) });
    const before = await test.call(`${IN}/readinvoices?documentId=${id}`, { key: test.buyer.apiKey });
    expect(before.json.data).toHaveLength(1);
    test.clock.nowMs += 1_000;
    const bytes = invoice({ id, note: 'corrected' });
    const second = await test.call(`${OUT}?overwrite=true`, { body: bytes });
    expect(second).toMatchObject({ status: 200, json: { data: { integrationId: first.json.data.integrationId } } });
    const after = await test.call(`${IN}/readinvoices?documentId=${id}`, { key: test.buyer.apiKey, accept: 'application/xml' });
    expect(after.bytes.equals(bytes)).toBe(true);
    expect(after.headers.get('integrationid')).toBe(before.json.data[0].integrationId);
    expect((await test.call(`${OUT}?documentId=${id}`)).json.data).toHaveLength(1);
  });

  it('overwrite=true on an id that was never seen creates it', async () => {
    expect((await test.call(`${OUT}?overwrite=true`, { body: invoice({ id: fresh() }) })).status).toBe(200);
  });
});
