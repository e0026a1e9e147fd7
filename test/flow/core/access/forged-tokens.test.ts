// Forged, tampered and misplaced JWTs: each is answered with 401, and no forgery is told from another.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, decodeProtectedHeader, exportJWK, importJWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { secretPlace } from '#core/ledger/sealed.ts';
import { findCurrentKey } from '#core/ledger/signing-keys.ts';
import { addPartner, linkPartner, unlinkPartner, updateCorePartner } from '#core/operate/administration.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openSeal } from '#runtime/seal.ts';
import { coreOfTest, startTestCore, type TestCore } from '../../../support/core.ts';

const OUT = '/transaction/seller/invoices/outgoing';

let test: TestCore;
let genuine: string;
let header: Record<string, unknown>;
let claims: JWTPayload;
let publicX: string;
let keyOfBuyer: unknown;
/** Signs with the core's own key: only what the header or the claims say can be wrong then. */
let signed: (header: Record<string, unknown>, claims: JWTPayload) => Promise<string>;

beforeAll(async () => {
  test = await startTestCore();
  genuine = (await test.call('/token/seller')).json.access_token;
  header = { ...decodeProtectedHeader(genuine) };
  claims = decodeJwt(genuine);
  keyOfBuyer = decodeJwt((await test.call('/token/buyer', { key: test.buyer.apiKey })).json.access_token).key;
  const row = await findCurrentKey(test.administration.ledger.read);
  if (!row) throw new Error('no token was signed');
  publicX = row.x;
  const d = (await openSeal(test.sealPath, systemRandom)).open(row.sealed, secretPlace('key that signs tokens', row.kid));
  const key = await importJWK({ kty: 'OKP', crv: 'Ed25519', x: row.x, d }, 'EdDSA');
  signed = (head, payload) => new SignJWT(payload).setProtectedHeader({ alg: 'EdDSA', ...head }).sign(key);
});
afterAll(() => test[Symbol.asyncDispose]());

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const attacker = generateKeyPairSync('ed25519');
const signedByAttacker = (head: unknown, payload: unknown): string => {
  const text = `${part(head)}.${part(payload)}`;
  return `${text}.${sign(null, Buffer.from(text), attacker.privateKey).toString('base64url')}`;
};
const withHmac = (head: unknown, secret: string | Buffer): string => {
  const text = `${part(head)}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
};
const without = (name: string): JWTPayload => Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
const cut = (at: number): string => genuine.split('.')[at] ?? '';
const answerTo = (token: string, path = OUT) => test.call(path, { key: null, headers: { authorization: `Bearer ${token}` } });

it('signed by our own key with everything right, a token opens the door', async () => {
  expect((await answerTo(await signed(header, claims))).status).toBe(204);
});

const nowS = () => test.clock.nowMs / 1_000;

const FORGERIES: [name: string, forge: () => string | Promise<string>][] = [
  ['alg none, without a signature', () => `${part({ ...header, alg: 'none' })}.${part(claims)}.`],
  ['alg none, with the old signature', () => `${part({ ...header, alg: 'none' })}.${part(claims)}.${cut(2)}`],
  ['HS256 with the public key as the secret, as text', () => withHmac({ ...header, alg: 'HS256' }, publicX)],
  ['HS256 with the public key as the secret, as bytes', () => withHmac({ ...header, alg: 'HS256' }, Buffer.from(publicX, 'base64url'))],
  ['a signature by another key under our kid', () => signedByAttacker(header, claims)],
  ['a kid that we do not have', () => signed({ ...header, kid: 'x'.repeat(43) }, claims)],
  ['a kid that looks like SQL', () => signed({ ...header, kid: "' or '1'='1" }, claims)],
  ['no kid', () => signed({ alg: 'EdDSA', typ: 'at+jwt' }, claims)],
  ['another issuer', () => signed(header, { ...claims, iss: 'urn:else' })],
  ['another audience', () => signed(header, { ...claims, aud: 'urn:else' })],
  [
    'the issuer of the other environment',
    () => signed(header, { ...claims, iss: 'urn:dropgate:production', aud: 'urn:dropgate:production' }),
  ],
  ['expired', () => signed(header, { ...claims, exp: nowS() - 1 })],
  ['not valid yet', () => signed(header, { ...claims, nbf: nowS() + 60 })],
  ['without exp: it would never end', () => signed(header, without('exp'))],
  ['without a jti', () => signed(header, without('jti'))],
  ['without a sub', () => signed(header, without('sub'))],
  ['without the key it was got with, as tokens were once', () => signed(header, without('key'))],
  ['with a key that there is not', () => signed(header, { ...claims, key: 'x' })],
  ['with a key of somebody else', () => signed(header, { ...claims, key: keyOfBuyer })],
  ['without a typ: it may be a token for anything', () => signed({ kid: header.kid }, claims)],
  ['another typ', () => signed({ ...header, typ: 'JWT' }, claims)],
  ['a key of its own in the header (jwk)', async () => signedByAttacker({ ...header, jwk: await exportJWK(attacker.publicKey) }, claims)],
  [
    'only a key of its own in the header',
    async () => signedByAttacker({ alg: 'EdDSA', typ: 'at+jwt', jwk: await exportJWK(attacker.publicKey) }, claims),
  ],
  ['a critical extension that nobody knows', () => `${part({ ...header, crit: ['x'], x: 1 })}.${cut(1)}.${cut(2)}`],
  ['a payload that was changed after it was signed', () => `${cut(0)}.${part({ ...claims, scope: 'gateway' })}.${cut(2)}`],
  ['a signature that was cut', () => genuine.slice(0, -10)],
  ['another subject', () => signed(header, { ...claims, sub: 'buyer' })],
  ['a scope that there is not', () => signed(header, { ...claims, scope: 'admin' })],
  ['the scope of a partner', () => signed(header, { ...claims, scope: 'partner' })],
  ['an actor that is no partner', () => signed(header, { ...claims, act: { sub: 'firm' } })],
  ['a payload that is no object', () => `${cut(0)}.${part('seller')}.${cut(2)}`],
];

it.each(FORGERIES)('S287 S288 %s: 401', async (_name, forge) => {
  const answer = await answerTo(await forge());
  expect(answer).toMatchObject({
    status: 401,
    json: { type: 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION', data: 'The credentials are not valid for this account.' },
  });
});

it('nothing is fetched from an address that a token names (jku, x5u)', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked++;
    response.end('{"keys":[]}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((listening) => server.once('listening', listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const head of [{ jku: url }, { x5u: url }]) {
    expect((await answerTo(signedByAttacker({ ...header, ...head }, claims))).status).toBe(401);
    expect((await answerTo(signedByAttacker({ alg: 'EdDSA', typ: 'at+jwt', ...head }, claims))).status).toBe(401);
  }
  expect(asked).toBe(0);
});

it.each([
  'Bearer',
  'Bearer x',
  'Bearer a.b',
  'Bearer a.b.c.d',
  'Bearer ..',
  'Bearer a b',
  'bearer: a.b.c',
  'ApiKey a.b.c',
  `Basic ${part('seller')}`,
])('S287 %s is malformed: 401', async (authorization) => {
  const answer = await test.call(OUT, { key: null, headers: { authorization } });
  expect(answer).toMatchObject({ status: 401, json: { type: 'E_UNAUTHORIZED_CLIENT' } });
});

it('a token of another core, and one of the other environment, are nothing here', async () => {
  for (const environment of ['test', 'production'] as const) {
    const other = await coreOfTest({ environment });
    expect((await answerTo((await other.call('/token/seller')).json.access_token)).status).toBe(401);
  }
});

it('a token for a child ends with the link, and with the partner', async () => {
  const { apiKey } = await addPartner(test.administration, { partnerRegNo: 'agent', name: 'Agent' });
  await linkPartner(test.administration, 'agent', 'seller');
  const body = '{"actingAs":"parent","forChildRegNo":"seller"}';
  const token = (await test.call('/token/agent', { key: apiKey, body, type: 'application/json' })).json.access_token;
  expect((await answerTo(token)).status).toBe(204);
  await unlinkPartner(test.administration, 'agent', 'seller');
  expect((await answerTo(token)).status).toBe(401);
  await linkPartner(test.administration, 'agent', 'seller');
  await updateCorePartner(test.administration, 'agent', { enabled: false });
  expect((await answerTo(token)).status).toBe(401);
});
