import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rotateKey, updateCoreAccount } from '#core/operate/administration.ts';
import { readTree } from '#ubl/read.ts';
import { coreOfTest, startTestCore, type TestCore } from '../../../support/core.ts';
import { invoice } from '../../../support/documents.ts';
import { eventually } from '../../../support/until.ts';

const OUT = '/transaction/seller/invoices/outgoing';

let test: TestCore;
beforeAll(async () => {
  test = await startTestCore();
});
afterAll(() => test[Symbol.asyncDispose]());

const authorized = (authorization: string) => test.call(OUT, { key: null, headers: { authorization } });

describe('authentication', () => {
  it('S265 takes the API key behind ApiKey, bare, and behind Bearer', async () => {
    const { apiKey } = test.seller;
    for (const spelling of [`ApiKey ${apiKey}`, apiKey, `apikey  ${apiKey}`, `Bearer ${apiKey}`]) {
      expect((await authorized(spelling)).status, spelling).toBe(204);
    }
  });

  it('takes the gateway’s key as well', async () => {
    expect((await test.call(OUT, { key: test.seller.gatewayKey })).status).toBe(204);
  });

  it('S142 S285 S286 answers 401 when there is no key', async () => {
    for (const method of ['GET', 'POST']) {
      expect(await test.call(OUT, { key: null, method })).toMatchObject({
        status: 401,
        json: { status: 'error', type: 'E_UNAUTHORIZED_CLIENT' },
      });
    }
  });

  it('S287 answers 401 when the key is malformed', async () => {
    for (const authorization of [
      'Basic c2VsbGVyOng=',
      'ApiKey',
      'ApiKey dg_test_short',
      `ApiKey ${test.seller.apiKey} more`,
      `Basic ${test.seller.apiKey}`,
      'Bearer a.b',
    ]) {
      expect(await authorized(authorization), authorization).toMatchObject({ status: 401, json: { type: 'E_UNAUTHORIZED_CLIENT' } });
    }
  });

  it('S141 S288 answers 401 for another account’s key, an unknown key, an unknown account and the other environment, with one sentence', async () => {
    const live = `ApiKey ${test.seller.apiKey.replace('dg_test_', 'dg_live_')}`;
    const unknown = `ApiKey dg_test_${'x'.repeat(43)}`;
    const answers = [
      await test.call(OUT, { key: test.buyer.apiKey }),
      await authorized(unknown),
      await authorized(live),
      await test.call('/transaction/nobody/invoices/outgoing'),
    ];
    for (const answer of answers) expect(answer).toMatchObject({ status: 401, json: { type: 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION' } });
    expect(new Set(answers.map(({ json }) => json.data)).size).toBe(1);
  });

  it('a rotated key is valid for its grace time, and the new one at once', async () => {
    const own = await coreOfTest();
    const next = await rotateKey(own.administration, 'seller', 60_000);
    const statuses = async () => [(await own.call(OUT)).status, (await own.call(OUT, { key: next.apiKey })).status];
    expect(await statuses()).toEqual([204, 204]);
    own.clock.nowMs += 60_000;
    expect(await statuses()).toEqual([401, 204]);
  });

  it('a key that has expired stays so when the next one is rotated, and none is given longer than it had', async () => {
    const own = await coreOfTest();
    const rotate = (graceMs: number) => rotateKey(own.administration, 'seller', graceMs);
    const keys = [own.seller.apiKey, (await rotate(1_000)).apiKey];
    own.clock.nowMs += 1_000;
    keys.push((await rotate(60_000)).apiKey);
    keys.push((await rotate(120_000)).apiKey);
    const statuses = () => Promise.all(keys.map(async (key) => (await own.call(OUT, { key })).status));
    expect(await statuses()).toEqual([401, 204, 204, 204]);
    own.clock.nowMs += 60_000;
    expect(await statuses()).toEqual([401, 401, 204, 204]);
    // One that is rotated away at once ends at once, whatever it was left before.
    await rotate(0);
    expect(await statuses()).toEqual([401, 401, 401, 401]);
  });

  it('rotating the keys of one account leaves those of the others', async () => {
    const own = await coreOfTest();
    await rotateKey(own.administration, 'seller', 0);
    const { apiKey: key } = own.buyer;
    expect((await own.call('/transaction/buyer/invoices/incoming', { key })).status).toBe(204);
  });

  it('a disabled account gets 401', async () => {
    const own = await coreOfTest();
    await updateCoreAccount(own.administration, 'seller', { enabled: false });
    expect((await own.call(OUT)).status).toBe(401);
  });

  it('S289 answers 403 when the feature is off, except to the gateway', async () => {
    const own = await coreOfTest();
    await updateCoreAccount(own.administration, 'seller', { features: { apiIntegration: false } });
    expect(await own.call(OUT)).toMatchObject({ status: 403, json: { type: 'E_MISSING_PERMISSION' } });
    expect((await own.call(OUT, { key: own.seller.gatewayKey })).status).toBe(204);
  });
});

describe('paths', () => {
  it('S290 answers what is not there with 404', async () => {
    const paths = [
      '/nothing',
      '/transaction/seller',
      '/transaction/seller/letters/incoming',
      '/transaction/seller/orders/incoming/readinvoices',
    ];
    for (const path of paths) expect(await test.call(path), path).toMatchObject({ status: 404, json: { type: 'E_MISSING' } });
    expect((await test.call(OUT, { method: 'DELETE' })).status).toBe(404);
  });

  it('a direction that is none is a malformed request', async () => {
    expect((await test.call('/transaction/seller/invoices/sideways')).status).toBe(400);
  });

  it('S303 answers families that are exchanged elsewhere with 501', async () => {
    for (const family of ['orderagreements', 'message-level-responses', 'messagelevelstatus']) {
      expect(await test.call(`/transaction/seller/${family}/incoming`)).toMatchObject({ status: 501, json: { type: 'E_NOT_IMPLEMENTED' } });
    }
  });

  it('hyphens and case of a family do not matter', async () => {
    for (const family of ['orderresponses', 'orderResponses', 'order-responses', 'Order-Responses']) {
      expect((await test.call(`/transaction/seller/${family}/incoming`)).status).toBe(204);
    }
  });

  it('says that it is healthy to whoever asks', async () => {
    expect(await test.call('/health', { key: null })).toMatchObject({ status: 200, json: { status: 'success' } });
  });
});

describe('errors', () => {
  it('S099 S276 S277 S278 S281 have the one envelope, in XML too', async () => {
    const json = await test.call('/nothing');
    expect(json.json).toEqual({
      status: 'error',
      type: 'E_MISSING',
      data: 'There is no such endpoint.',
      metadata: { debug_error_message: expect.any(String), debug_error_code: 404 },
    });
    const xml = await test.call(OUT, { body: '{"Invoice":{"ID":"<&\\u0001"}}', type: 'application/json', accept: 'application/xml' });
    expect(xml.status).toBe(422);
    const root = readTree(xml.bytes);
    expect(root.name).toBe('error');
    expect(root.children.map(({ name }) => name)).toEqual(['status', 'type', 'data', 'metadata']);
    expect(root.children[1]?.text).toBe('E_VALIDATION');
  });

  it('S301 S302 an internal failure has status, type and data only', async () => {
    const own = await coreOfTest();
    await own.administration.ledger.write([], (rows) => rows.schema.dropTable('message_log').execute());
    const answer = await own.call(OUT, { body: invoice({ id: 'x' }), idempotencyKey: 'internal-failure' });
    expect(answer).toMatchObject({ status: 500 });
    expect(answer.json).toEqual({ status: 'error', type: 'E_INTERNAL_PROXY_ERROR', data: expect.any(String) });
    expect((await own.call(OUT)).status).toBe(204);
  });
});

describe('the request budget', () => {
  it('S297 S298 S299 S300 S306 S307 S308 S310 S311 S312 S313 is counted per account over all endpoints, and told on every response', async () => {
    const own = await coreOfTest({ requests: 3, window: 60_000 });
    const paths = [OUT, '/transaction/seller/orders/incoming', '/transaction/seller/letters/incoming'];
    for (const [at, path] of paths.entries()) {
      const { headers } = await own.call(path);
      expect(headers.get('ratelimit-limit')).toBe('3');
      expect(headers.get('ratelimit-remaining')).toBe(String(2 - at));
      expect(headers.get('ratelimit-policy')).toBe('3;w=60');
      expect(Number(headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    }
    const refused = await own.call(OUT, { body: invoice() });
    expect(refused).toMatchObject({ status: 429, json: { type: 'E_RATE_LIMITED', metadata: { limit: 3 } } });
    const seconds = refused.headers.get('retry-after') ?? '';
    expect(seconds).toMatch(/^\d+$/);
    expect(refused.json.metadata.retryAfterSeconds).toBe(Number(seconds));
    expect((await own.call('/transaction/buyer/invoices/incoming', { key: own.buyer.apiKey })).status).toBe(204);
  });

  it('a wrong key spends the budget of its address, not of the account', async () => {
    const own = await coreOfTest({ requests: 2 });
    for (let turn = 0; turn < 60; turn++) expect((await own.call(OUT, { key: own.buyer.apiKey })).status).toBe(401);
    expect((await own.call(OUT, { key: own.buyer.apiKey })).status).toBe(429);
    expect((await own.call(OUT)).status).toBe(204);
  });

  it('S310 S311 S312 S313 is told on every response, whatever its status', async () => {
    const own = await coreOfTest();
    const body = invoice();
    const json = { type: 'application/json' };
    const answers = [
      await own.call(OUT, { body }),
      await own.call(OUT),
      await own.call(`${OUT}?documentId=none`),
      await own.call(`${OUT}?limit=x`),
      await own.call(OUT, { key: null }),
      await own.call(OUT, { key: own.buyer.apiKey }),
      await own.call('/nothing', { key: null }),
      await own.call('/transaction/seller/letters/incoming'),
      await own.call(OUT, { body }),
      await own.call(OUT, { body: '<x' }),
      await own.call('/transaction/seller/orderagreements/incoming'),
      await own.call('/token/seller'),
      await own.call('/token', { key: null, body: '{', ...json }),
      await own.call('/token', { key: null, method: 'POST' }),
      await own.call('/health', { key: null }),
      await own.call('/openapi.json', { key: null }),
      await own.call('/.well-known/jwks.json', { key: null }),
    ];
    await updateCoreAccount(own.administration, 'seller', { features: { apiIntegration: false } });
    answers.push(await own.call(OUT));
    await own.administration.ledger.write([], (rows) => rows.schema.dropTable('api_keys').execute());
    answers.push(await own.call(OUT));
    expect(answers.map(({ status }) => status)).toEqual([
      200, 200, 204, 400, 401, 401, 404, 404, 409, 422, 501, 200, 422, 401, 200, 200, 200, 403, 500,
    ]);
    for (const { headers, status, text } of answers) {
      expect(headers.get('ratelimit-limit'), `${status} ${text}`).toMatch(/^(?:60|100000)$/);
      expect(headers.get('ratelimit-remaining')).toMatch(/^\d+$/);
      expect(headers.get('ratelimit-reset')).toMatch(/^[1-9]\d*$/);
      expect(headers.get('ratelimit-policy')).toBe(`${headers.get('ratelimit-limit')};w=60`);
    }
  });

  it('may be an account’s own', async () => {
    const own = await coreOfTest({ requests: 2 });
    await updateCoreAccount(own.administration, 'seller', { requestsMax: 4 });
    const statuses = async (times: number) => {
      const all: number[] = [];
      for (let turn = 0; turn < times; turn++) all.push((await own.call(OUT)).status);
      return all;
    };
    expect(await statuses(5)).toEqual([204, 204, 204, 204, 429]);
    expect((await own.call(OUT)).json.metadata.limit).toBe(4);
    await updateCoreAccount(own.administration, 'seller', { requestsMax: null });
    expect((await own.call(OUT)).headers.get('ratelimit-policy')).toBe('2;w=60');
  });

  it('without an account is 60 in 60 seconds for an address; a health check costs nothing', async () => {
    const own = await coreOfTest();
    for (let turn = 0; turn < 60; turn++) expect((await own.call('/nothing')).status).toBe(404);
    const refused = await own.call('/nothing');
    expect(refused).toMatchObject({ status: 429, json: { metadata: { limit: 60 } } });
    expect(refused.headers.get('ratelimit-policy')).toBe('60;w=60');
    expect((await own.call('/health', { key: null })).status).toBe(200);
    expect((await own.call(OUT)).status).toBe(204);
  });

  it('S309 whoever waits is served again', async () => {
    const own = await coreOfTest({ requests: 1, window: 1_000 });
    expect((await own.call(OUT)).status).toBe(204);
    expect((await own.call(OUT)).headers.get('retry-after')).toBe('1');
    await eventually(async () => expect((await own.call(OUT)).status).toBe(204));
  });
});
