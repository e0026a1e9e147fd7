// The stand-in does what the specification says where it has not been told to misbehave: whoever relies on it relies on this.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manualClock } from '../../support/clock.ts';
import { request } from '../../support/core.ts';
import { invoice } from '../../support/documents.ts';
import { FAULTS } from '../../support/stand-in/manners.ts';
import { type StandIn, startStandIn } from '../../support/stand-in/stand-in.ts';

const clock = manualClock();
let service: StandIn;
beforeEach(async () => {
  service = await startStandIn({
    clock,
    accounts: { partner: { key: 'partner-key', children: ['acme'] }, acme: 'acme-key' },
    limit: { requests: 6, windowMs: 60_000, told: true },
  });
});
afterEach(() => service[Symbol.asyncDispose]());

const call = (path: string, options = {}) => request(service.url + path, { key: 'acme-key', ...options });
const post = (id: string, options: { idempotencyKey?: string; note?: string; query?: string } = {}) =>
  call(`/transaction/acme/invoices/outgoing${options.query ?? ''}`, { body: invoice({ id, note: options.note ?? 'A note.' }), ...options });

describe('creates', () => {
  it('are replayed for a key, refused for another body, forgotten after a day, and counted', async () => {
    const [first, second] = [await post('1', { idempotencyKey: 'key-of-1' }), await post('1', { idempotencyKey: 'key-of-1' })];
    expect(second.json.data.integrationId).toBe(first.json.data.integrationId);
    expect((await post('1', { idempotencyKey: 'key-of-1', note: 'other' })).status).toBe(400);
    clock.advance(25 * 3_600_000);
    const late = await post('1', { idempotencyKey: 'key-of-1' });
    expect([late.status, late.json.metadata.integrationId]).toEqual([409, first.json.data.integrationId]);
    expect(service.tally('acme', ['1', '2'])).toEqual({ lost: ['2'], twice: [] });
    expect((await post('1', { query: '?overwrite=true' })).json.data.integrationId).toBe(first.json.data.integrationId);
    expect(service.tally('acme', ['1']).twice).toEqual(['1']);
  });

  it('a key in flight is answered with 409 without an integrationId', async () => {
    const working = Promise.withResolvers<void>();
    service.manners.working = () => working.promise;
    const first = post('1', { idempotencyKey: 'key-of-1' });
    const second = await post('1', { idempotencyKey: 'key-of-1' });
    working.resolve();
    expect([second.status, second.json.metadata.integrationId, (await first).status]).toEqual([409, undefined, 200]);
  });

  it('an answer that is lost leaves the document, a request that is lost does not', async () => {
    service.manners.fault = ({ body }) => (body.includes('<cbc:ID>B-2<') ? FAULTS.lostRequest : FAULTS.lostAnswer);
    await expect(post('B-1')).rejects.toThrow();
    await expect(post('B-2')).rejects.toThrow();
    expect(service.tally('acme', ['B-1', 'B-2']).lost).toEqual(['B-2']);
  });
});

describe('lists', () => {
  it('newest first, in pages, by filters; documents that are late stand where they arrived', async () => {
    const ids = ['1', '2', '3', '4'].map(
      (id) => service.arrive('acme', invoice({ id }), id === '2' ? clock.now() + 1_000 : 0).integrationId,
    );
    const listed = async (query: string): Promise<string[]> => {
      const { json } = await call(`/transaction/acme/invoices/incoming?${query}`);
      return (json?.data ?? []).map((item: { integrationId: string }) => String(ids.indexOf(item.integrationId) + 1));
    };
    expect(await listed('')).toEqual(['4', '3', '1']);
    clock.advance(1_000);
    expect(await listed('limit=2&offset=1')).toEqual(['3', '2']);
    expect(await listed('documentId=3')).toEqual(['3']);
    service.manners.ignoresOffset = true;
    expect(await listed('limit=1&offset=3')).toEqual(['4']);
    service.manners.limitMax = 50;
    expect((await call('/transaction/acme/invoices/incoming?limit=100')).status).toBe(400);
  });

  it('the read endpoint marks what it returns, a document at a time as XML', async () => {
    for (const id of ['1', '2']) service.arrive('acme', invoice({ id }));
    const xml = await call('/transaction/acme/invoices/incoming/readinvoices?limit=9', { accept: 'application/xml' });
    expect(xml.text).toContain('<cbc:ID>2<');
    const rest = await call('/transaction/acme/invoices/incoming/readinvoices');
    expect(rest.json.data).toHaveLength(1);
    expect((await call('/transaction/acme/invoices/incoming/readinvoices')).status).toBe(204);
  });
});

it('tokens are for a child of the partner, for an hour, and end when they are told to', async () => {
  const ask = (forChildRegNo: string) =>
    call('/token/partner', {
      key: 'partner-key',
      type: 'application/json',
      body: JSON.stringify({ actingAs: 'parent', forChildRegNo }),
    });
  expect((await ask('stranger')).status).toBe(401);
  const authorization = `Bearer ${(await ask('acme')).json.access_token}`;
  const list = () => call('/transaction/acme/invoices/incoming', { key: null, headers: { authorization } });
  expect((await list()).status).toBe(204);
  service.credentials.expireTokens();
  expect((await list()).status).toBe(401);
});

it('so many requests a minute, and then 429 with what is left of it', async () => {
  const list = () => call('/transaction/acme/invoices/incoming');
  for (let each = 0; each < 6; each++) expect((await list()).headers.get('ratelimit-remaining')).toBe(String(5 - each));
  const refused = await list();
  expect([refused.status, refused.headers.get('retry-after'), refused.json.metadata.retryAfterSeconds]).toEqual([429, '60', 60]);
  clock.advance(60_000);
  expect((await list()).status).toBe(204);
});
