// Webhooks are delivered to a real HTTPS receiver: what, with which headers, how often, and until when.
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Compile } from 'typebox/compile';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { WebhookEvent } from '#contract/webhooks.ts';
import { addPartner, disableAccount, linkPartner, setFeature, setPartnerEnabled, unlinkPartner } from '#core/administration.ts';
import type { CoreOptions } from '#core/core.ts';
import { recordDelivery } from '#core/delivery.ts';
import { listDeadLetters, listWebhooks, replayDeadLetters, signWebhook } from '#core/webhooks/operations.ts';
import { keyOfSecret } from '#core/webhooks/signing.ts';
import { openMemoryQueue } from '#engines/memory-queue.ts';
import { systemRandom } from '#runtime/clock.ts';
import { openLog } from '#runtime/log.ts';
import { openSeal } from '#runtime/seal.ts';
import { silent } from '../../support/core.ts';
import { invoice } from '../../support/documents.ts';
import { type Receiver, type ReplyScript, startReceiver } from '../../support/receiver.ts';
import { until } from '../../support/until.ts';
import { startWebhookCore, type WebhookCore } from '../../support/webhooks.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const isEvent = Compile(WebhookEvent);

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
});

async function start(overrides: Partial<CoreOptions> = {}): Promise<WebhookCore> {
  const core = await startWebhookCore(overrides);
  onTestFinished(() => core[Symbol.asyncDispose]());
  return core;
}

const hits = async (count: number) => {
  await until(`${count} deliveries`, () => receiver.hits.length >= count);
  return receiver.hits;
};

describe('an event', () => {
  it('S270 S273 S274 S275 new_document is posted as JSON when an account receives a document', async () => {
    const core = await start();
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
    const core = await start();
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
    const core = await start();
    const { administration } = core.test;
    await core.subscribe('seller', receiver.url, ['document_delivery']);
    const integrationId = await core.send('1001');
    await hits(2);
    await administration.ledger.write((rows) =>
      rows.updateTable('messages').set({ status: 'sent' }).where('integration_id', '=', integrationId).execute(),
    );
    core.clock.advance(HOUR);
    const queue = openMemoryQueue(core.clock, silent);
    await recordDelivery({ ...administration, clock: core.clock, queue, log: silent, changed: () => undefined }, integrationId, 'rejected');
    // The bell did not ring: the sweep finds it.
    core.clock.advance(10 * SECOND);
    const hit = (await hits(3))[2]!;
    expect(hit.json.data).toMatchObject({ status: 'rejected', previousStatus: 'sent', statusAt: hit.json.timestamp });
  });

  it('an overwritten document is a new one; a document that is put among incoming ones too; of other types nothing is sent', async () => {
    const core = await start();
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
    const core = await start();
    await core.subscribe('buyer', receiver.url);
    await core.send('1001');
    const refused = await core.test.call('/transaction/seller/invoices/outgoing', { body: invoice({ id: '1001' }) });
    expect(refused.status).toBe(409);
    await core.settled();
    expect(receiver.hits).toHaveLength(1);
  });

  it('is not written for an account that is disabled', async () => {
    const core = await start();
    await core.subscribe('buyer', receiver.url);
    await disableAccount(core.test.administration, 'buyer');
    await core.send('1001');
    expect(await core.ledger.read.selectFrom('webhook_events').selectAll().execute()).toEqual([]);
  });
});

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
      const core = await start();
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
    const core = await start();
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
    const core = await start();
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
    expect(await core.ledger.read.selectFrom('webhook_events').select(['attempts', 'last_reason']).execute()).toEqual([
      { attempts: 1, last_reason: 'The receiver answered 401.' },
    ]);
  });

  it('a token server that wants the secret in the body gets it there; one that has no token fails the try', async () => {
    const core = await start();
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
    expect(await core.ledger.read.selectFrom('webhook_events').select('last_reason').execute()).toEqual([
      { last_reason: 'The token server answered with no Bearer token.' },
    ]);
  });

  it('no secret stands in the ledger or in the log, and none is told', async () => {
    const lines: string[] = [];
    const core = await start({ log: openLog('debug', { write: (line) => void lines.push(line) }) });
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
    const folder = dirname(core.test.databasePath);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name)).toContain('core.db-wal');
    const kept = files.map((entry) => readFileSync(join(entry.parentPath, entry.name)).toString('latin1'));
    expect(lines.join('')).toContain('webhook.failed');
    for (const [where, text] of [
      ['files', kept.join('')],
      ['log', lines.join('')],
      ['answers', told.join('')],
    ] as const) {
      expect(text.includes('canary'), where).toBe(false);
      expect(text.includes('whsec_'), where).toBe(false);
    }
  });

  it('a delivery is signed when the operator has set a secret', async () => {
    const core = await start();
    const id = await core.subscribe('buyer', receiver.url);
    const seal = await openSeal(core.test.sealPath, systemRandom);
    const secret = await signWebhook(core.test.administration, seal, id, true);
    await core.send('1');
    const [hit] = await hits(1);
    const { 'webhook-id': eventId, 'webhook-timestamp': stamp, 'webhook-signature': signature } = hit!.headers;
    const mac = createHmac('sha256', keyOfSecret(secret!)).update(`${eventId}.${stamp}.${hit!.text}`).digest('base64');
    expect(signature).toBe(`v1,${mac}`);
    await signWebhook(core.test.administration, seal, id, false);
    await core.send('2');
    expect((await hits(2))[1]!.headers).not.toHaveProperty('webhook-signature');
  });
});

describe('a try that fails', () => {
  it.each([
    ['a redirect', { status: 302, headers: { location: 'https://127.0.0.1:1/' } }, 'The receiver answered 302.'],
    ['an error', { status: 500 }, 'The receiver answered 500.'],
    ['a refusal', { status: 404 }, 'The receiver answered 404.'],
    ['a cut', 'reset', /^There was no answer: /],
  ] as const)('for %s is tried again', async (_, reply, reason) => {
    const core = await start();
    await core.subscribe('buyer', receiver.url);
    receiver.script = () => reply;
    await core.send('1');
    await hits(1);
    await core.settled();
    const [event] = await core.ledger.read.selectFrom('webhook_events').selectAll().execute();
    expect(event?.last_reason).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason));
    receiver.script = () => ({ status: 200 });
    await core.toNext();
    await hits(2);
    await core.settled();
    expect(await core.toNext()).toBe(false);
  });

  it('S320 a receiver that does not answer within 10 seconds has failed; one that answers in the last of them has not', async () => {
    const core = await start();
    await core.subscribe('buyer', receiver.url);
    let release = (): void => {};
    receiver.script = () => new Promise((resolve) => (release = () => resolve({ status: 200 })));
    await core.send('1');
    await hits(1);
    core.clock.advance(9_999);
    expect(await core.ledger.read.selectFrom('webhook_events').select('leased').execute()).toEqual([{ leased: 1 }]);
    core.clock.advance(1);
    await core.settled();
    expect(await core.ledger.read.selectFrom('webhook_events').select('last_reason').execute()).toEqual([
      { last_reason: 'There was no answer within 10000 ms.' },
    ]);
    await core.toNext();
    await hits(2);
    core.clock.advance(9_999);
    release();
    await core.settled();
    expect(await core.toNext()).toBe(false);
  });

  it('is tried ten times on the ladder, then kept as a dead letter that an operator sends again, with the same id', async () => {
    const core = await start();
    const { administration } = core.test;
    const id = await core.subscribe('buyer', receiver.url);
    receiver.script = () => ({ status: 500 });
    await core.send('1');
    const times: number[] = [];
    for (let count = 1; count <= 10; count++) {
      await hits(count);
      times.push(core.clock.now());
      await core.toNext();
    }
    expect(await core.toNext()).toBe(false);
    const waits = times.slice(1).map((at, index) => at - times[index]!);
    const ladder = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(ladder[index]! * 0.9);
      expect(wait).toBeLessThanOrEqual(ladder[index]! * 1.1);
    }
    expect(new Set(waits.map((wait, index) => (wait / ladder[index]!).toFixed(4))).size).toBeGreaterThan(3);
    const [dead] = await listDeadLetters(administration, id, 10);
    expect(dead).toMatchObject({ webhookId: id, accountRegNo: 'buyer', attempts: 10, reason: 'The receiver answered 500.' });
    expect(await listWebhooks(administration)).toMatchObject([
      { id, waiting: 0, dead: 1, enabled: true, host: `127.0.0.1:${receiver.port}` },
    ]);
    receiver.script = () => ({ status: 204 });
    expect(await replayDeadLetters({ ...administration, clock: core.clock }, { eventIds: [dead!.eventId] })).toBe(1);
    core.clock.advance(10 * SECOND);
    expect((await hits(11))[10]!.headers['webhook-id']).toBe(dead!.eventId);
    await core.settled();
    expect(await listDeadLetters(administration, null, 10)).toEqual([]);
  });

  it.each([
    ['seconds', () => '600', 10 * MINUTE],
    ['a date', (nowMs: number) => new Date(nowMs + 10 * MINUTE).toUTCString(), 10 * MINUTE],
    ['too long a time', () => '999999', 24 * HOUR],
  ])('Retry-After as %s holds back everything for the receiver', async (_, retryAfter, waitMs) => {
    const core = await start();
    await core.subscribe('buyer', receiver.url);
    receiver.script = () => ({ status: 429, headers: { 'retry-after': retryAfter(core.clock.now()) } });
    await core.send('1');
    await hits(1);
    await core.settled();
    await core.send('2');
    receiver.script = () => ({ status: 204 });
    core.clock.advance(waitMs - SECOND);
    await core.settled();
    expect(receiver.hits).toHaveLength(1);
    core.clock.advance(SECOND);
    await hits(3);
  });

  it('Retry-After of another status, or shorter than the ladder, changes nothing', async () => {
    const core = await start();
    await core.subscribe('buyer', receiver.url);
    for (const reply of [
      { status: 500, headers: { 'retry-after': '3600' } },
      { status: 503, headers: { 'retry-after': '1' } },
    ]) {
      receiver.script = () => reply;
      const before = core.clock.now();
      await core.send(String(reply.status));
      await until('a try', () => receiver.hits.length > 0);
      await core.settled();
      await core.toNext();
      expect(core.clock.now() - before).toBeGreaterThanOrEqual(4.5 * SECOND);
      expect(core.clock.now() - before).toBeLessThanOrEqual(5.5 * SECOND);
      receiver.script = () => ({ status: 204 });
      core.clock.advance(HOUR);
      await core.settled();
    }
  });
});

describe('a subscription', () => {
  it('is disabled by a 410; what waited is given up; a PUT enables it', async () => {
    const core = await start();
    const id = await core.subscribe('buyer', receiver.url);
    receiver.script = () => ({ status: 500 });
    for (const each of ['1', '2', '3']) await core.send(each);
    await core.settled();
    receiver.script = () => ({ status: 410 });
    await core.toNext();
    await until('it is disabled', async () => (await core.call('buyer', 'GET', 'configure')).json.enabled === false);
    await core.settled();
    await until('all are dead', async () => (await listDeadLetters(core.test.administration, id, 10)).length === 3);
    const before = receiver.hits.length;
    await core.send('4');
    core.clock.advance(24 * HOUR);
    await core.settled();
    expect(receiver.hits).toHaveLength(before);
    await expect(replayDeadLetters(core.test.administration, { webhookId: id })).rejects.toMatchObject({
      code: 'invalid',
      message: /disabled/,
    });
    expect(await core.subscribe('buyer', receiver.url)).toBe(id);
    expect((await core.call('buyer', 'GET', 'configure')).json).toMatchObject({ enabled: true });
    receiver.script = () => ({ status: 204 });
    await core.send('5');
    await until('it is delivered again', () => receiver.hits.some(({ json }) => json.data.documentId === '5'));
    expect(await replayDeadLetters({ ...core.test.administration, clock: core.clock }, { webhookId: id })).toBe(3);
  });

  it('is disabled after five days without any success, and not before; one success begins anew', async () => {
    const core = await start();
    const id = await core.subscribe('buyer', receiver.url);
    const isEnabled = async () => (await core.call('buyer', 'GET', 'configure')).json.enabled;
    const fail = async (name: string) => {
      const before = receiver.hits.length;
      await core.send(name);
      await until('a try', () => receiver.hits.length > before);
      await core.settled();
    };
    const day = 24 * HOUR;
    receiver.script = () => ({ status: 500 });
    await fail('1');
    core.clock.advance(4 * day);
    await fail('2');
    expect(await isEnabled()).toBe(true);
    receiver.script = () => ({ status: 204 });
    await fail('works');
    await until('the receiver does well', async () => (await listWebhooks(core.test.administration))[0]!.failingSince === null);
    receiver.script = () => ({ status: 500 });
    core.clock.advance(day);
    await fail('3');
    core.clock.advance(5 * day - MINUTE);
    await fail('4');
    expect(await isEnabled()).toBe(true);
    core.clock.advance(MINUTE);
    await fail('5');
    expect(await isEnabled()).toBe(false);
    expect(await listWebhooks(core.test.administration)).toMatchObject([{ id, enabled: false, disabledReason: 'failing' }]);
  });

  it('a success beside a failure of the same moment begins anew, too', async () => {
    const core = await start();
    await core.subscribe('buyer', receiver.url);
    const failingSince = async () => (await listWebhooks(core.test.administration))[0]!.failingSince;
    const doors = { first: Promise.withResolvers<void>(), slow: Promise.withResolvers<void>() };
    receiver.script = async ({ json }) => {
      const { documentId } = json.data;
      if (documentId === 'first') await doors.first.promise;
      if (documentId === 'slow') await doors.slow.promise;
      return { status: documentId === 'fails' ? 500 : 204 };
    };
    await core.send('first');
    await hits(1);
    // These go out together, as soon as the first one has proved that the receiver does well.
    await core.send('slow');
    await core.send('fails');
    doors.first.resolve();
    await until('the failure is known', async () => (await failingSince()) !== null);
    doors.slow.resolve();
    await core.settled();
    expect(await failingSince()).toBeNull();
  });

  it('that is changed while a try runs is not punished for what its old address did', async () => {
    const core = await start();
    await core.subscribe('buyer', `${receiver.url}/old`);
    let release = (): void => {};
    receiver.script = ({ path }) =>
      path === '/old' ? new Promise((resolve) => (release = () => resolve({ status: 410 }))) : { status: 204 };
    await core.send('1');
    await hits(1);
    await core.subscribe('buyer', `${receiver.url}/new`);
    release();
    await core.settled();
    expect((await core.call('buyer', 'GET', 'configure')).json).toMatchObject({ enabled: true });
    await core.toNext();
    expect((await hits(2))[1]!.path).toBe('/new');
  });

  it('may only lead where the guard lets it, also when it is configured by name', async () => {
    const core = await start({ outbound: { allow: false, ca: null, dns: false } });
    const id = await core.subscribe('buyer', `https://localhost:${receiver.port}/`);
    await core.send('1');
    await until(
      'it has failed',
      async () => (await core.ledger.read.selectFrom('webhook_events').selectAll().executeTakeFirst())?.last_reason,
    );
    expect(receiver.connections).toBe(0);
    await core.call('buyer', 'DELETE', 'configure');
    expect(await listWebhooks(core.test.administration)).not.toMatchObject([{ id }]);
  });

  it('a try that nobody settles is taken up when its lease has ended, with the same id', async () => {
    const core = await start();
    await core.subscribe('buyer', receiver.url);
    receiver.script = () => ({ status: 500 });
    await core.send('1');
    await hits(1);
    await core.settled();
    // As a process leaves it that ended after the first byte went out.
    const leaseUntil = core.clock.now() + 2 * MINUTE;
    await core.ledger.write((rows) =>
      rows.updateTable('webhook_events').set({ attempts: 2, leased: 1, next_attempt_at: leaseUntil }).execute(),
    );
    receiver.script = () => ({ status: 204 });
    core.clock.advance(2 * MINUTE - SECOND);
    expect(receiver.hits).toHaveLength(1);
    await until('it is sent again', () => {
      core.clock.advance(SECOND);
      return receiver.hits.length === 2;
    });
    expect(new Set(receiver.hits.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('stops use up no tries: one that fails after many of them is tried again', async () => {
    const core = await start();
    await core.subscribe('buyer', receiver.url);
    receiver.script = () => 'hang';
    await core.send('1');
    for (let stops = 1; stops <= 11; stops++) {
      await hits(stops);
      await core.test.restart();
    }
    await hits(12);
    receiver.script = () => ({ status: 500 });
    await core.test.restart();
    await hits(13);
    await core.settled();
    expect(await listDeadLetters(core.test.administration, null, 10)).toEqual([]);
    expect(await core.toNext()).toBe(true);
  });

  it('a stop in the middle of a try sends the event again after the start, with the same id', async () => {
    const core = await start();
    await core.subscribe('buyer', receiver.url);
    receiver.script = () => 'hang';
    await core.send('1');
    await hits(1);
    await core.test.restart();
    receiver.script = () => ({ status: 204 });
    const [first, second] = await hits(2);
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    await core.settled();
    expect(await core.toNext()).toBe(false);
  });
});

describe('a partner', () => {
  const firmCall = async (core: WebhookCore, key: string, method: string, rest: string, body?: unknown) =>
    core.test.call(`/partner/firm/${rest}`, {
      method,
      key,
      type: 'application/json',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  it('S254 has a subscription of its own, which gets the events of the account of its number', async () => {
    const core = await start();
    const { administration } = core.test;
    const { apiKey } = await addPartner(administration, { partnerRegNo: 'firm', name: 'Firm' });
    const { apiKey: alike } = await addPartner(administration, { partnerRegNo: 'buyer', name: 'The buyer as a partner' });
    const answer = await firmCall(core, apiKey, 'PUT', 'webhook/configure', { url: receiver.url });
    expect(answer).toMatchObject({ status: 200, json: { accountRegNo: 'firm' } });
    expect((await firmCall(core, apiKey, 'POST', `webhook/${answer.json.id}/auth`, { type: 'api_key', value: 'k' })).json).toEqual({
      type: 'api_key',
    });
    expect((await firmCall(core, apiKey, 'GET', 'webhook/configure')).json).toMatchObject({ id: answer.json.id, authType: 'api_key' });
    expect((await firmCall(core, apiKey, 'DELETE', `webhook/${answer.json.id}/auth`)).status).toBe(204);
    expect((await firmCall(core, apiKey, 'DELETE', 'webhook/configure')).status).toBe(204);
    expect((await firmCall(core, apiKey, 'GET', 'webhook/configure')).status).toBe(404);
    await core.test.call('/partner/buyer/webhook/configure', {
      method: 'PUT',
      key: alike,
      type: 'application/json',
      body: JSON.stringify({ url: receiver.url }),
    });
    await core.send('1');
    expect((await hits(1))[0]!.json).toMatchObject({ accountRegNo: 'buyer', type: 'new_document' });
  });

  it('S255 S017 has one for each child, beside the child’s own; it ends with the link', async () => {
    const core = await start();
    const { administration } = core.test;
    const { apiKey } = await addPartner(administration, { partnerRegNo: 'firm', name: 'Firm' });
    const ofChild = (method: string, rest: string, body?: unknown) => firmCall(core, apiKey, method, `account/buyer/webhook/${rest}`, body);
    expect(await ofChild('PUT', 'configure', { url: receiver.url })).toMatchObject({ status: 401 });
    await linkPartner(administration, 'firm', 'buyer');
    const own = await core.subscribe('buyer', `${receiver.url}/own`);
    const scoped = await ofChild('PUT', 'configure', { url: `${receiver.url}/firm` });
    expect(scoped).toMatchObject({ status: 200, json: { accountRegNo: 'buyer' } });
    expect(scoped.json.id).not.toBe(own);
    expect((await ofChild('POST', `${own}/auth`, { type: 'api_key', value: 'k' })).status).toBe(404);
    expect((await ofChild('POST', `${scoped.json.id}/auth`, { type: 'api_key', value: 'k' })).status).toBe(200);
    await core.send('1');
    const paths = (await hits(2)).map(({ path, headers }) => [path, headers['x-api-key']]);
    expect(paths.toSorted()).toEqual([
      ['/firm', 'k'],
      ['/own', undefined],
    ]);
    await setFeature(administration, 'buyer', 'apiIntegration', false);
    expect(await ofChild('GET', 'configure')).toMatchObject({ status: 403 });
    expect(await core.call('buyer', 'GET', 'configure')).toMatchObject({ status: 403 });
    await setFeature(administration, 'buyer', 'apiIntegration', true);
    await unlinkPartner(administration, 'firm', 'buyer');
    expect(await ofChild('GET', 'configure')).toMatchObject({ status: 401 });
    await core.send('2');
    await hits(3);
    await core.settled();
    expect(receiver.hits.filter(({ path }) => path === '/firm')).toHaveLength(1);
    expect(await listWebhooks(administration)).toMatchObject([{ id: own }]);
  });

  it('that is disabled hears nothing and may do nothing, from that moment on', async () => {
    const core = await start();
    const { administration } = core.test;
    const { apiKey } = await addPartner(administration, { partnerRegNo: 'firm', name: 'Firm' });
    await linkPartner(administration, 'firm', 'buyer');
    const configured = await firmCall(core, apiKey, 'PUT', 'account/buyer/webhook/configure', { url: receiver.url });
    expect(configured.status).toBe(200);
    const { access_token: token } = (
      await core.test.call('/token/firm', {
        method: 'POST',
        key: apiKey,
        type: 'application/json',
        body: '{"actingAs":"parent","forChildRegNo":"buyer"}',
      })
    ).json;
    await setPartnerEnabled(administration, 'firm', false);
    await core.send('1');
    expect(await core.ledger.read.selectFrom('webhook_events').selectAll().execute()).toEqual([]);
    expect(await firmCall(core, apiKey, 'GET', 'account/buyer/webhook/configure')).toMatchObject({ status: 401 });
    expect(await core.test.call('/token/firm', { key: apiKey })).toMatchObject({ status: 401 });
    const headers = { authorization: `Bearer ${token}` };
    expect(await core.test.call('/transaction/buyer/invoices/incoming', { key: null, headers })).toMatchObject({ status: 401 });
    await setPartnerEnabled(administration, 'firm', true);
    expect(await core.test.call('/transaction/buyer/invoices/incoming', { key: null, headers })).toMatchObject({ status: 200 });
    await core.send('2');
    expect((await hits(1))[0]!.json.data.documentId).toBe('2');
    await expect(setPartnerEnabled(administration, 'nobody', true)).rejects.toMatchObject({ code: 'missing' });
  });
});
