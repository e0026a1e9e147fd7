// Strangers: every endpoint of the description, asked with the credentials of others; and the messages of others.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAccount, addPartner, linkPartner } from '#core/operate/administration.ts';
import { startTestCore, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';

let test: TestCore;
/** Authorization headers that are valid for somebody, but not for `seller` and not for the partner `firm`. */
let strangers: Record<string, string>;
beforeAll(async () => {
  test = await startTestCore({ behindProxy: ['127.0.0.1'] });
  const { administration } = test;
  await addPartner(administration, { partnerRegNo: 'firm', name: 'Firm' });
  const rival = (await addPartner(administration, { partnerRegNo: 'rival', name: 'Rival' })).apiKey;
  await linkPartner(administration, 'firm', 'seller');
  await linkPartner(administration, 'rival', 'buyer');
  const live = await addAccount({ ...administration, environment: 'production' }, { accountRegNo: 'live', name: 'L', participants: [] });
  const token = async (regNo: string, key: string, body = '{}') =>
    `Bearer ${(await test.call(`/token/${regNo}`, { key, body, type: 'application/json' })).json.access_token}`;
  strangers = {
    'the key of another account': `ApiKey ${test.buyer.apiKey}`,
    'the gateway’s key of another account': `ApiKey ${test.buyer.gatewayKey}`,
    'a token of another account': await token('buyer', test.buyer.apiKey),
    'the key of another partner': `ApiKey ${rival}`,
    'a token of another partner': await token('rival', rival),
    'a token of another partner for its child': await token('rival', rival, '{"actingAs":"parent","forChildRegNo":"buyer"}'),
    'a key of the other environment': `ApiKey ${live.apiKey}`,
  };
});
afterAll(() => test[Symbol.asyncDispose]());

interface Endpoint {
  readonly method: string;
  readonly path: string;
}

/** All that the description lists, with the numbers of `seller` and `firm` filled in. */
async function endpoints(): Promise<Endpoint[]> {
  const { json } = await ask('GET', '/openapi.json');
  const names: Record<string, string> = {
    partnerRegNo: 'firm',
    family: 'orderagreements',
    direction: 'incoming',
    email: 'kim@acme.example',
  };
  return Object.entries<object>(json.paths).flatMap(([template, operations]) => {
    const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => names[name] ?? 'seller');
    return Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path }));
  });
}

let address = 0;
/** Each from an address of its own: one may ask 60 times a minute without credentials. */
const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
  test.call(path, { key: null, method, headers: { ...headers, 'x-forwarded-for': `10.0.${address >> 8}.${address++ & 255}` } });

const OPEN = ['GET /openapi.json', 'GET /docs', 'GET /health', 'GET /.well-known/jwks.json'];

describe('S142 S286 S288 every endpoint', () => {
  it('but those that say what this service is asks for credentials', async () => {
    const open: string[] = [];
    const all = await endpoints();
    for (const { method, path } of all) {
      const answer = await ask(method, path);
      if (answer.status < 400) open.push(`${method} ${path}`);
      else expect(answer, `${method} ${path}`).toMatchObject({ status: 401, json: { type: 'E_UNAUTHORIZED_CLIENT' } });
    }
    expect(open.sort()).toEqual([...OPEN].sort());
    expect(all.length).toBeGreaterThan(8 * 2 * 4);
  });

  it('answers the credentials of somebody else with 401, one sentence for all', async () => {
    const sentences = new Set<string>();
    for (const [who, authorization] of Object.entries(strangers)) {
      for (const { method, path } of await endpoints()) {
        if (OPEN.includes(`${method} ${path}`) || path === '/token') continue;
        const answer = await ask(method, path, { authorization });
        expect(answer, `${method} ${path} with ${who}`).toMatchObject({
          status: 401,
          json: { type: 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION' },
        });
        sentences.add(answer.json.data);
      }
    }
    expect(sentences.size).toBe(1);
  });
});

describe('the messages of others', () => {
  it('are not found by their id, document id or anything else, and cannot be marked', async () => {
    const sent = await test.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: 'secret' }) });
    const buyers = (await test.call('/transaction/buyer/invoices/incoming', { key: test.buyer.apiKey })).json.data[0].integrationId;
    const sellers = sent.json.data.integrationId;
    for (const [path, key] of [
      [`/transaction/buyer/invoices/incoming?integrationId=${sellers}`, test.buyer.apiKey],
      [`/transaction/buyer/invoices/outgoing?documentId=secret`, test.buyer.apiKey],
      [`/transaction/buyer/invoices/incoming/status?integrationId=${sellers}&includeRead=true`, test.buyer.apiKey],
      [`/transaction/seller/invoices/incoming?integrationId=${buyers}`, test.seller.apiKey],
      [`/transaction/seller/invoices/outgoing/readinvoices?integrationId=${buyers}`, test.seller.apiKey],
      [`/transaction/seller/invoices/incoming/readinvoices?integrationId=${buyers}&markUnread=true`, test.seller.apiKey],
    ] as const) {
      expect(await test.call(path, { key }), path).toMatchObject({ status: 204, text: '' });
    }
    const unread = await test.call('/transaction/buyer/invoices/incoming/status', { key: test.buyer.apiKey });
    expect(unread.json).toMatchObject([{ uuid: buyers, readAt: null }]);
  });
});
