// The token endpoints, what tokens open, and the keys that sign them.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { loseSealed, readSealed } from '#core/ledger/sealed.ts';
import { findCurrentKey } from '#core/ledger/signing-keys.ts';
import { addAccount, addPartner, linkPartner, unlinkPartner, updateCoreAccount } from '#core/operate/administration.ts';
import { coreOfTest, type TestCore } from '../../../support/core.ts';
import { loseTable } from '../../../support/world/ledger-rows.ts';

const OUT = '/transaction/seller/invoices/outgoing';
const WRONG = { status: 401, json: { status: 'error', type: 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION' } };

let test: TestCore;
/** The API key of the partner `firm`, who may act for `seller`. */
let firm: string;
beforeEach(async () => {
  test = await coreOfTest();
  firm = (await addPartner(test.administration, { partnerRegNo: 'firm', name: 'Firm' })).apiKey;
  await linkPartner(test.administration, 'firm', 'seller');
});

const post = (path: string, body: unknown, key: string | null = test.seller.apiKey) =>
  test.call(path, { method: 'POST', key, body: JSON.stringify(body), type: 'application/json' });
const bearer = (path: string, token: string) => test.call(path, { key: null, headers: { authorization: `Bearer ${token}` } });
const tokenOf = async (path: string, key: string, body?: unknown): Promise<string> =>
  (await (body === undefined ? test.call(path, { key }) : post(path, body, key))).json.access_token;

describe('the token response', () => {
  it('S096 S097 S098 S237 S267 GET /token/{accountRegNo} with an API key answers it, and nothing more', async () => {
    const answer = await test.call('/token/seller');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.json).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
    });
  });

  it('holds a JWT: EdDSA, at+jwt, and the claims of the decisions', async () => {
    const token = await tokenOf('/token/seller', test.seller.apiKey);
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'EdDSA', typ: 'at+jwt', kid: expect.stringMatching(/^[\w-]{43}$/) });
    const nowS = test.clock.nowMs / 1_000;
    expect(decodeJwt(token)).toEqual({
      iss: 'urn:dropgate:test',
      aud: 'urn:dropgate:test',
      sub: 'seller',
      scope: 'api',
      iat: nowS,
      nbf: nowS,
      exp: nowS + 3600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      // The row of the key, which says nothing about the key.
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(decodeJwt(await tokenOf('/token/seller', test.seller.apiKey)).jti).not.toBe(decodeJwt(token).jti);
  });

  it('S238 GET always acts as self, also for a partner', async () => {
    const answer = await test.call('/token/firm?actingAs=parent&forChildRegNo=seller', { key: firm });
    expect(decodeJwt(answer.json.access_token)).toMatchObject({ sub: 'firm', scope: 'partner' });
    expect(decodeJwt(answer.json.access_token)).not.toHaveProperty('act');
  });

  it('S239 S240 S241 S246 POST /token/{accountRegNo}: the body is optional, and so is actingAs', async () => {
    const answers = [
      await test.call('/token/seller', { method: 'POST' }),
      await test.call('/token/seller', { method: 'POST', headers: { 'content-type': 'application/json' } }),
      await post('/token/seller', {}),
      await post('/token/seller', { actingAs: 'self' }),
    ];
    for (const { status, json } of answers) {
      expect(status).toBe(200);
      expect(decodeJwt(json.access_token)).toMatchObject({ sub: 'seller' });
    }
  });

  it('S242 S243 S245 POST /token takes number and API key in the body', async () => {
    const answer = await post('/token', { client_id: 'seller', client_secret: test.seller.apiKey }, null);
    expect(answer).toMatchObject({ status: 200, json: { token_type: 'Bearer', expires_in: 3600 } });
    expect((await bearer(OUT, answer.json.access_token)).status).toBe(204);
    expect(answer.headers.get('ratelimit-limit')).toBe('100000');
  });

  it('S244 S268 a partner names itself by its own number', async () => {
    expect((await post('/token', { client_id: 'firm', client_secret: firm }, null)).status).toBe(200);
    expect((await test.call('/token/firm', { key: firm })).status).toBe(200);
    expect(await test.call('/token/seller', { key: firm })).toMatchObject(WRONG);
  });
});

describe('a token', () => {
  it('S266 opens the transactions of its account, and of no other', async () => {
    const token = await tokenOf('/token/seller', test.seller.apiKey);
    expect((await bearer(OUT, token)).status).toBe(204);
    expect(await bearer('/transaction/buyer/invoices/incoming', token)).toMatchObject(WRONG);
  });

  it('S319 is valid for 3600 seconds, and refused after that', async () => {
    const token = await tokenOf('/token/seller', test.seller.apiKey);
    test.clock.nowMs += 3_599_000;
    expect((await bearer(OUT, token)).status).toBe(204);
    test.clock.nowMs += 1_000;
    expect(await bearer(OUT, token)).toMatchObject(WRONG);
  });

  it('does not renew itself: at a token endpoint it is answered with 401', async () => {
    const token = await tokenOf('/token/seller', test.seller.apiKey);
    expect(await bearer('/token/seller', token)).toMatchObject(WRONG);
    const asked = { method: 'POST', key: null, headers: { authorization: `Bearer ${token}` } };
    expect(await test.call('/token/seller', asked)).toMatchObject(WRONG);
    expect(await post('/token', { client_id: 'seller', client_secret: token }, null)).toMatchObject(WRONG);
  });

  it('ends with the account', async () => {
    const token = await tokenOf('/token/seller', test.seller.apiKey);
    await updateCoreAccount(test.administration, 'seller', { enabled: false });
    expect(await bearer(OUT, token)).toMatchObject(WRONG);
  });

  it('S289 is as good as the key that it came from: the feature concerns the account’s own, not the gateway’s', async () => {
    const [own, gateways] = [await tokenOf('/token/seller', test.seller.apiKey), await tokenOf('/token/seller', test.seller.gatewayKey)];
    const childs = await tokenOf('/token/firm', firm, { actingAs: 'parent', forChildRegNo: 'seller' });
    await updateCoreAccount(test.administration, 'seller', { features: { apiIntegration: false } });
    for (const token of [own, childs]) {
      expect(await bearer(OUT, token)).toMatchObject({ status: 403, json: { type: 'E_MISSING_PERMISSION' } });
    }
    expect((await bearer(OUT, gateways)).status).toBe(204);
    expect((await test.call('/token/seller')).status).toBe(200);
  });
});

describe('acting as parent', () => {
  const asking = { actingAs: 'parent', forChildRegNo: 'seller' };

  it('S249 S251 a partner gets a token whose subject is the child, and which says who acts', async () => {
    for (const answer of [
      await post('/token/firm', asking, firm),
      await post('/token', { client_id: 'firm', client_secret: firm, ...asking }, null),
    ]) {
      expect(answer.status).toBe(200);
      expect(decodeJwt(answer.json.access_token)).toMatchObject({ sub: 'seller', act: { sub: 'firm' }, scope: 'api' });
      expect((await bearer(OUT, answer.json.access_token)).status).toBe(204);
    }
  });

  it('S250 a partner that is not authorised for the child gets none, whoever the child is', async () => {
    const refused = [
      await post('/token/firm', { ...asking, forChildRegNo: 'buyer' }, firm),
      await post('/token/firm', { ...asking, forChildRegNo: 'nobody' }, firm),
      await post('/token/firm', { ...asking, forChildRegNo: 'firm' }, firm),
      // An account is no partner, not even its own.
      await post('/token/seller', asking),
    ];
    for (const answer of refused) expect(answer).toMatchObject(WRONG);
    expect(new Set(refused.map(({ json }) => json.data)).size).toBe(1);
  });

  it('a removed link ends the tokens issued for it at once, and a new link needs no new token', async () => {
    const token = await tokenOf('/token/firm', firm, asking);
    await unlinkPartner(test.administration, 'firm', 'seller');
    expect(await bearer(OUT, token)).toMatchObject(WRONG);
    expect(await post('/token/firm', asking, firm)).toMatchObject(WRONG);
    await linkPartner(test.administration, 'firm', 'seller');
    expect((await bearer(OUT, token)).status).toBe(204);
  });

  it('S247 S248 takes self and parent only, and parent with a child', async () => {
    const bodies = [
      { actingAs: 'parent' },
      { actingAs: 'parent', forChildRegNo: '' },
      { actingAs: 'parent', forChildRegNo: 5 },
      { actingAs: 'child', forChildRegNo: 'seller' },
      { actingAs: 'Parent', forChildRegNo: 'seller' },
      { actingAs: null },
      'self',
      [],
    ];
    for (const body of bodies) {
      expect(await post('/token/firm', body, firm), JSON.stringify(body)).toMatchObject({ status: 422, json: { type: 'E_VALIDATION' } });
    }
  });

  it('is charged to the child, and to its partner, who has the budget of ten', async () => {
    const own = await coreOfTest({ requests: 3 });
    const { apiKey } = await addPartner(own.administration, { partnerRegNo: 'seller', name: 'of the same number' });
    await linkPartner(own.administration, 'seller', 'buyer');
    const { json } = await own.call('/token/seller', {
      key: apiKey,
      body: '{"actingAs":"parent","forChildRegNo":"buyer"}',
      type: 'application/json',
    });
    const authorization = `Bearer ${json.access_token}`;
    const remaining = async (path: string, call = {}) => Number((await own.call(path, call)).headers.get('ratelimit-remaining'));
    expect(await remaining('/transaction/buyer/orders/incoming', { key: null, headers: { authorization } })).toBe(2);
    expect(await remaining('/transaction/buyer/orders/incoming', { key: own.buyer.apiKey })).toBe(1);
    expect(await remaining('/token/seller', { key: apiKey })).toBe(30 - 3);
    expect(await remaining('/token/seller')).toBe(2);
  });
});

describe('refusals of the token endpoints', () => {
  it('S252 are 401 and 422 in the one envelope: without credentials, with wrong ones, and for what is malformed', async () => {
    const { apiKey } = test.seller;
    const missing = { status: 401, json: { type: 'E_UNAUTHORIZED_CLIENT' } };
    const invalid = { status: 422, json: { type: 'E_VALIDATION' } };
    const json = { type: 'application/json' };
    const unknown = `dg_test_${'x'.repeat(43)}`;
    const client = (client_id: string, client_secret: string) => ({
      key: null,
      body: JSON.stringify({ client_id, client_secret }),
      ...json,
    });
    const rows: [path: string, call: Parameters<TestCore['call']>[1], expected: object][] = [
      ['/token/seller', { key: null }, missing],
      ['/token/seller', { key: 'dg_test_short' }, missing],
      ['/token/seller', { key: null, method: 'POST' }, missing],
      ['/token', { key: null, method: 'POST' }, missing],
      ['/token', { key: null, body: '{"client_id":"seller"}', ...json }, missing],
      ['/token/seller', { key: unknown }, WRONG],
      ['/token/nobody', { key: apiKey }, WRONG],
      ['/token', client('seller', unknown), WRONG],
      ['/token', client('nobody', apiKey), WRONG],
      ['/token', client('seller', 'no key at all'), WRONG],
      ['/token/seller', { body: '{"actingAs":', ...json }, invalid],
      ['/token/seller', { body: 'actingAs=self', type: 'application/x-www-form-urlencoded' }, invalid],
      ['/token/seller', { body: '<actingAs/>', type: 'application/xml' }, invalid],
      ['/token/seller', { body: `{"actingAs":"${' '.repeat(70_000)}"}`, ...json }, invalid],
      ['/token', { key: null, body: '{"client_id":', ...json }, invalid],
      ['/token', { key: null, body: '{"client_id":5,"client_secret":"x"}', ...json }, invalid],
      ['/token', { key: null, body: 'client_id=seller', type: 'application/x-www-form-urlencoded' }, invalid],
    ];
    for (const [path, call, expected] of rows) {
      const answer = await test.call(path, call);
      expect(answer, `${path} ${JSON.stringify(call)}`).toMatchObject(expected);
      expect(answer.json).toMatchObject({ status: 'error', metadata: { debug_error_code: answer.status } });
      expect(answer.headers.get('ratelimit-policy')).toMatch(/^\d+;w=60$/);
    }
    const tooLarge = await test.call('/token', { key: null, body: ' '.repeat(65_537), ...json });
    expect(tooLarge.json.metadata.maxBytes).toBe(65_536);
  });

  it('take the same time for an unknown number and for a wrong key', async () => {
    const own = await coreOfTest({ behindProxy: ['127.0.0.1'] });
    const milliseconds: [number[], number[]] = [[], []];
    for (let turn = 0; turn < 400; turn++) {
      const headers = { 'x-forwarded-for': `10.0.${turn >> 6}.1` };
      const begun = performance.now();
      await own.call(turn % 2 ? '/token/seller' : '/token/nobody', { key: `dg_test_${'z'.repeat(43)}`, headers });
      milliseconds[turn % 2 ? 1 : 0].push(performance.now() - begun);
    }
    const [unknown, wrong] = milliseconds.map((times) => times.sort((a, b) => a - b)[100] ?? 0);
    // Medians; what is left is the noise of a shared machine, far below what a network shows.
    expect(Math.abs(Number(unknown) - Number(wrong))).toBeLessThan(Math.max(1, Number(wrong) / 4));
  });

  it('one sentence and the same work for an unknown number and a wrong key', async () => {
    const wrong = `dg_test_${'y'.repeat(43)}`;
    const told = [
      await test.call('/token/seller', { key: wrong }),
      await test.call('/token/nobody', { key: wrong }),
      await test.call('/token/nobody'),
    ];
    expect(new Set(told.map(({ text }) => text)).size).toBe(1);
  });

  it('S253 there is no GET /token', async () => {
    expect(await test.call('/token', { key: null })).toMatchObject({ status: 404, json: { type: 'E_MISSING' } });
  });

  it('S252 an internal failure is a 500', async () => {
    await loseTable(test.administration.ledger, 'signing_keys');
    expect(await test.call('/token/seller')).toMatchObject({ status: 500, json: { type: 'E_INTERNAL_PROXY_ERROR' } });
  });
});

describe('environments', () => {
  it('S041 S042 have base addresses, keys and tokens of their own, even over one ledger', async () => {
    const production = await coreOfTest({ environment: 'production' });
    expect(production.core.url).not.toBe(test.core.url);
    expect(production.seller.apiKey).toMatch(/^dg_live_/);
    expect(test.seller.apiKey).toMatch(/^dg_test_/);
    expect((await production.call(OUT, { key: test.seller.apiKey })).status).toBe(401);
    const testKey = (
      await addAccount({ ...production.administration, environment: 'test' }, { accountRegNo: 'mine', name: 'M', participants: [] })
    ).apiKey;
    expect((await production.call('/transaction/mine/orders/incoming', { key: testKey })).status).toBe(401);
    expect((await production.call('/token/mine', { key: testKey })).status).toBe(401);
  });
});

describe('signing keys', () => {
  const kids = async () => (await test.call('/.well-known/jwks.json', { key: null })).json.keys.map(({ kid }: { kid: string }) => kid);
  const DAY_MS = 24 * 60 * 60_000;

  it('are published, the public half only', async () => {
    const token = await tokenOf('/token/seller', test.seller.apiKey);
    const answer = await test.call('/.well-known/jwks.json', { key: null });
    expect(answer.headers.get('cache-control')).toMatch(/max-age=\d+/);
    expect(answer.json).toEqual({
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          alg: 'EdDSA',
          use: 'sig',
          kid: decodeProtectedHeader(token).kid,
          x: expect.stringMatching(/^[\w-]{43}$/),
        },
      ],
    });
  });

  it('are sealed in the ledger', async () => {
    await tokenOf('/token/seller', test.seller.apiKey);
    const row = await findCurrentKey(test.administration.ledger.read);
    // 12 bytes of nonce, 43 letters, 16 bytes of tag.
    expect(row?.sealed).toHaveLength(12 + 43 + 16);
  });

  it('outlive a restart, with the tokens that they signed', async () => {
    const token = await tokenOf('/token/seller', test.seller.apiKey);
    const before = await kids();
    await test.restart();
    expect((await bearer(OUT, token)).status).toBe(204);
    await tokenOf('/token/seller', test.seller.apiKey);
    expect(await kids()).toEqual(before);
  });

  it('rotate by time; an old one is published until its last token has ended', async () => {
    await tokenOf('/token/seller', test.seller.apiKey);
    const [old] = await kids();
    test.clock.nowMs += 30 * DAY_MS - 1_000;
    const last = await tokenOf('/token/seller', test.seller.apiKey);
    expect(decodeProtectedHeader(last).kid).toBe(old);
    test.clock.nowMs += 1_000;
    const first = decodeProtectedHeader(await tokenOf('/token/seller', test.seller.apiKey)).kid;
    expect(first).not.toBe(old);
    expect(await kids()).toEqual([first, old]);
    test.clock.nowMs += 3_598_000;
    expect((await bearer(OUT, last)).status).toBe(204);
    test.clock.nowMs += 2_000;
    expect(await kids()).toEqual([first]);
  });

  it('are made once, however many ask at once', async () => {
    const tokens = await Promise.all(Array.from({ length: 12 }, () => tokenOf('/token/seller', test.seller.apiKey)));
    expect(new Set(tokens.map((token) => decodeProtectedHeader(token).kid)).size).toBe(1);
  });

  it('are replaced when the key file that sealed them is gone; what they signed stays valid', async () => {
    const token = await tokenOf('/token/seller', test.seller.apiKey);
    const { ledger } = test.administration;
    const [key] = await readSealed(ledger.read);
    await ledger.write([], async (rows) => key && loseSealed(rows, key));
    await test.restart();
    const next = await tokenOf('/token/seller', test.seller.apiKey);
    expect(await kids()).toHaveLength(2);
    for (const each of [token, next]) expect((await bearer(OUT, each)).status).toBe(204);
  });
});
