// Deliveries authenticate themselves as their subscription says; no secret is ever told or kept in clear.
import { createHmac } from 'node:crypto';
import { dirname } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { signWebhook } from '#core/operate/webhooks.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { authority } from '../../../support/authority.ts';
import { startNameServer } from '../../../support/name-server.ts';
import { type Receiver, type ReplyScript, startReceiver } from '../../../support/receiver.ts';
import { until } from '../../../support/until.ts';
import { hitsOf, ownCore, ownReceiver } from '../../../support/webhooks.ts';
import { keptIn } from '../../../support/world/ledger-files.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let receiver: Receiver;
beforeEach(async () => {
  receiver = await ownReceiver();
});

const hits = (count: number) => hitsOf(receiver, count);

interface Variant {
  readonly type: string;
  readonly [field: string]: string;
}

/** A token server and a receiver in one; the first token is withdrawn early. */
function startOauth(): { tokens: string[]; script: ReplyScript } {
  const tokens: string[] = [];
  return {
    tokens,
    script({ path, headers, text }) {
      if (path !== '/token') return { status: headers.authorization === `Bearer ${tokens.at(-1)}` ? 503 : 401 };
      const basic = Buffer.from('client%2Bid:s3cret%26more').toString('base64');
      if (headers.authorization !== `Basic ${basic}` || text !== 'grant_type=client_credentials') return { status: 401 };
      tokens.push(`token-${tokens.length}`);
      return { status: 200, body: JSON.stringify({ access_token: tokens.at(-1), token_type: 'bearer', expires_in: 3_600 }) };
    },
  };
}

describe('outbound authentication', () => {
  const oauth = (): Variant => ({ type: 'oauth', tokenUrl: `${receiver.url}/token`, clientId: 'client+id', clientSecret: 's3cret&more' });
  const VARIANTS: readonly (readonly [string, () => Variant, string, string])[] = [
    ['S085 oauth', oauth, 'authorization', 'Bearer token-0'],
    ['S087 api_key', () => ({ type: 'api_key', header: 'X-Erp-Key', value: 'k3y of many words' }), 'x-erp-key', 'k3y of many words'],
    ['S088 api_key by default', () => ({ type: 'api_key', value: 'k3y' }), 'x-api-key', 'k3y'],
    [
      'S090 basic',
      () => ({ type: 'basic', username: 'mé', password: 'Correct-Hörse-7-Battery' }),
      'authorization',
      `Basic ${Buffer.from('mé:Correct-Hörse-7-Battery').toString('base64')}`,
    ],
  ];

  it.each(VARIANTS)(
    'S128 %s is on every try, through a restart in the middle of the ladder, and the id stays',
    async (_, variant, header, value) => {
      const core = await ownCore();
      const { script } = startOauth();
      receiver.script = (hit) => (hit.path === '/token' ? script(hit) : { status: 503 });
      const id = await core.subscribe('buyer', `${receiver.url}/events`);
      expect((await core.call('buyer', 'POST', `${id}/auth`, variant())).status).toBe(200);
      await core.send('1001');
      const tries = () => receiver.hits.filter(({ path }) => path === '/events');
      const startedAt = core.clock.now();
      await until('the first try', () => tries().length === 1);
      await core.settled();
      core.clock.advance(5.5 * SECOND);
      await until('the second try', () => tries().length === 2);
      await core.settled();
      await core.test.restart();
      core.clock.advance(5 * MINUTE * 0.89);
      await core.settled();
      expect(tries()).toHaveLength(2);
      receiver.script = (hit) => (hit.path === '/token' ? script(hit) : { status: 202 });
      core.clock.advance(5 * MINUTE * 0.22);
      await until('the third try', () => tries().length === 3);
      await core.settled();
      expect(new Set(tries().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(new Set(tries().map(({ text }) => text)).size).toBe(1);
      // A restart forgets tokens.
      const values = tries().map(({ headers }) => headers[header]);
      expect(values).toEqual(variant().type === 'oauth' ? [value, value, 'Bearer token-1'] : [value, value, value]);
      const stamps = tries().map(({ headers }) => Number(headers['webhook-timestamp']) - Math.floor(startedAt / SECOND));
      expect(stamps[0]).toBe(0);
      expect(stamps[1]).toBeGreaterThanOrEqual(4);
      expect(stamps[2]).toBeGreaterThanOrEqual(270);
      expect(await core.toNext()).toBe(false);
    },
  );

  it('S131 S129 is not sent any more once it is removed, nor after the subscription was', async () => {
    const core = await ownCore();
    const id = await core.subscribe('buyer', receiver.url);
    await core.call('buyer', 'POST', `${id}/auth`, { type: 'api_key', value: 'k3y' });
    await core.send('1');
    await hits(1);
    expect((await core.call('buyer', 'DELETE', `${id}/auth`)).status).toBe(204);
    await core.send('2');
    await hits(2);
    expect(receiver.hits.map(({ headers }) => headers['x-api-key'])).toEqual(['k3y', undefined]);
    await core.call('buyer', 'DELETE', 'configure');
    await core.send('3');
    expect(await core.toNext()).toBe(false);
    expect(receiver.hits).toHaveLength(2);
  });

  it('a token is fetched once for many deliveries, kept until a minute before its end, and fetched anew after a 401', async () => {
    const core = await ownCore();
    const { tokens, script } = startOauth();
    let good = (): string | undefined => tokens.at(-1);
    receiver.script = (hit) =>
      hit.path === '/token' ? script(hit) : { status: hit.headers.authorization === `Bearer ${good()}` ? 204 : 401 };
    const id = await core.subscribe('buyer', `${receiver.url}/events`);
    await core.call('buyer', 'POST', `${id}/auth`, oauth());
    for (let at = 0; at < 12; at++) await core.send(`A-${at}`);
    await core.settled();
    expect(tokens).toHaveLength(1);
    core.clock.advance(3_600 * SECOND - 61 * SECOND);
    await core.send('B');
    await core.settled();
    expect(tokens).toHaveLength(1);
    core.clock.advance(2 * SECOND);
    await core.send('C');
    await core.settled();
    expect(tokens).toHaveLength(2);
    // Withdrawn before its time: one more fetch, and only one.
    good = () => (tokens.length > 2 ? tokens.at(-1) : 'another');
    await core.send('D');
    await core.settled();
    expect(tokens).toHaveLength(3);
    good = () => 'another';
    await core.send('E');
    await core.settled();
    expect(tokens).toHaveLength(4);
    expect(await core.owed()).toMatchObject([{ attempts: 1, reason: 'The receiver answered 401.' }]);
  });

  it('a token server whose name leads where nobody may go is not connected to, and gets no secret', async () => {
    const names = await startNameServer((_, type) => (type === 'AAAA' ? [] : ['127.0.0.1']));
    onTestFinished(() => names[Symbol.asyncDispose]());
    const allowed = await startReceiver(() => ({ status: 204 }), '127.0.0.2');
    onTestFinished(() => allowed[Symbol.asyncDispose]());
    const core = await ownCore({ outbound: { allow: ['127.0.0.2'], deny: false, ca: authority().ca, dns: [names.address] } });
    const id = await core.subscribe('buyer', `${allowed.url}/events`);
    await core.call('buyer', 'POST', `${id}/auth`, { ...oauth(), tokenUrl: `https://tokens.receiver.test:${receiver.port}/token` });
    await core.send('1');
    const reason = async () => (await core.owed())[0]?.reason;
    await until('the try has failed', async () => (await reason())?.includes('127.0.0.1 is not public'));
    expect([receiver.connections, allowed.connections]).toEqual([0, 0]);
  });

  it('a token server that wants the secret in the body gets it there; one that has no token fails the try', async () => {
    const core = await ownCore();
    let answer = { status: 200, body: JSON.stringify({ access_token: 'T', token_type: 'Bearer' }) };
    receiver.script = ({ path, text }) => {
      if (path !== '/token') return { status: 204 };
      return new URLSearchParams(text).get('client_secret') === 's3cret&more' ? answer : { status: 400 };
    };
    const id = await core.subscribe('buyer', `${receiver.url}/events`);
    await core.call('buyer', 'POST', `${id}/auth`, oauth());
    await core.send('1');
    await until('the delivery', () => receiver.hits.some(({ headers }) => headers.authorization === 'Bearer T'));
    await core.settled();
    answer = { status: 200, body: '{"access_token":"T\\r\\nX: 1","token_type":"Bearer"}' };
    core.clock.advance(10 * MINUTE);
    await core.send('2');
    await core.settled();
    expect(await core.owed()).toMatchObject([{ reason: 'The token server answered with no Bearer token.' }]);
  });

  it('no secret stands in the ledger or in the log, and none is told', async () => {
    const lines: string[] = [];
    const core = await ownCore({ log: openLog('debug', { write: (line) => void lines.push(line) }) });
    const canary = (name: string): string => `canary-${name}-Q7!x`;
    receiver.script = ({ path }) =>
      path === '/token'
        ? { status: 200, body: JSON.stringify({ access_token: canary('token'), token_type: 'Bearer' }) }
        : { status: 401, body: canary('answer') };
    const id = await core.subscribe('buyer', `${receiver.url}/events`);
    const variants = [
      { type: 'oauth', tokenUrl: `${receiver.url}/token`, clientId: canary('client'), clientSecret: canary('oauth') },
      { type: 'api_key', value: canary('key') },
      { type: 'basic', username: canary('user'), password: canary('PASSWORD-basic') },
    ];
    const told: string[] = [];
    for (const [at, variant] of variants.entries()) {
      told.push((await core.call('buyer', 'POST', `${id}/auth`, variant)).text, (await core.call('buyer', 'GET', `${id}/auth`)).text);
      told.push((await core.call('buyer', 'POST', `${id}/auth`, { ...variant, more: canary('more') })).text);
      await core.send(String(at));
      await core.settled();
      told.push((await core.call('buyer', 'GET', 'configure')).text);
    }
    await signWebhook(core.test.administration, await openSeal(core.test.sealPath, systemRandom), id, true);
    expect(receiver.hits.some(({ headers }) => headers.authorization?.includes(canary('token')))).toBe(true);
    const kept = keptIn(dirname(core.test.databasePath));
    expect(kept.keys()).toContain(core.test.databasePath);
    expect(lines.join('')).toContain('webhook.failed');
    for (const [where, text] of [
      ['files', Buffer.concat([...kept.values()]).toString('latin1')],
      ['log', lines.join('')],
      ['answers', told.join('')],
    ] as const) {
      expect(text.includes('canary'), where).toBe(false);
      expect(text.includes('whsec_'), where).toBe(false);
    }
  });

  it('a delivery is signed when the operator has set a secret', async () => {
    const core = await ownCore();
    const id = await core.subscribe('buyer', receiver.url);
    const seal = await openSeal(core.test.sealPath, systemRandom);
    const secret = await signWebhook(core.test.administration, seal, id, true);
    await core.send('1');
    const [hit] = await hits(1);
    const { 'webhook-id': eventId, 'webhook-timestamp': stamp, 'webhook-signature': signature } = hit!.headers;
    const key = Buffer.from(secret!.slice('whsec_'.length), 'base64');
    const mac = createHmac('sha256', key).update(`${eventId}.${stamp}.${hit!.text}`).digest('base64');
    expect(signature).toBe(`v1,${mac}`);
    await signWebhook(core.test.administration, seal, id, false);
    await core.send('2');
    expect((await hits(2))[1]!.headers).not.toHaveProperty('webhook-signature');
  });
});
