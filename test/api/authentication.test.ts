// Specification, Authentication, and the token endpoints.
import { expect, it } from 'vitest';
import { at, useService } from '../support/service.ts';

const service = useService();
const list = () => at(service.seller, 'invoices', 'outgoing');
const withHeader = (authorization: string, path = list()) => service.call(path, { key: null, headers: { authorization } });
const tokenOf = async (): Promise<string> => (await service.call(`/token/${service.seller.accountRegNo}`)).json.access_token;

it('S142 S265 S267 transaction and token endpoints take the API key, as ApiKey KEY and bare', async () => {
  for (const authorization of [`ApiKey ${service.seller.key}`, service.seller.key]) {
    expect([200, 204]).toContain((await withHeader(authorization)).status);
    expect((await withHeader(authorization, `/token/${service.seller.accountRegNo}`)).status).toBe(200);
  }
});

it('S237 S266 a token opens the transactions of its account', async () => {
  expect([200, 204]).toContain((await withHeader(`Bearer ${await tokenOf()}`)).status);
});

it.each([
  ['S286 nothing', () => ''],
  ['S287 no form of a key', () => 'Basic c2VsbGVyOng='],
  ['S287 a malformed key', () => 'ApiKey nonsense'],
  ['S287 a malformed token', () => 'Bearer a.b.c'],
  ['S288 the key of another account', () => `ApiKey ${service.buyer.key}`],
])('S285 %s is answered with 401', async (_, authorization) => {
  const answer = await withHeader(authorization());
  expect(answer.status).toBe(401);
  expect(['E_UNAUTHORIZED_CLIENT', 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION']).toContain(answer.json.type);
});

it('S288 a token is valid for its own account only, and gets no other token', async () => {
  const bearer = `Bearer ${await tokenOf()}`;
  expect((await withHeader(bearer, at(service.buyer, 'invoices', 'incoming'))).status).toBe(401);
  expect((await withHeader(bearer, `/token/${service.seller.accountRegNo}`)).status).toBe(401);
});

it('S238 S239 S240 S241 S246 S247 S248 S250 S252 POST /token/{accountRegNo} acts as self unless told otherwise', async () => {
  const path = `/token/${service.seller.accountRegNo}`;
  const ask = (body?: string) => service.call(path, { method: 'POST', ...(body === undefined ? {} : { body, type: 'application/json' }) });
  for (const body of [undefined, '{}', '{"actingAs":"self"}']) expect((await ask(body)).status, body).toBe(200);
  expect((await ask('{"actingAs":"parent"}')).status).toBe(422);
  expect((await ask('{"actingAs":"other"}')).status).toBe(422);
  expect((await ask(`{"actingAs":"parent","forChildRegNo":"${service.buyer.accountRegNo}"}`)).status).toBe(401);
});

it('S242 S243 S245 S253 POST /token takes the account as client_id and its key as client_secret; there is no GET', async () => {
  const ask = (secret: string) => {
    const body = JSON.stringify({ client_id: service.seller.accountRegNo, client_secret: secret });
    return service.call('/token', { key: null, body, type: 'application/json' });
  };
  expect((await ask(service.seller.key)).json.token_type).toBe('Bearer');
  expect((await ask(service.buyer.key)).status).toBe(401);
  expect((await service.call('/token')).status).toBe(404);
});
