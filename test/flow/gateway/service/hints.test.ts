// Hints from a remote service: the gateway registers its listener where the account wants it, never in place of somebody else's, and looks
// when it is rung. What is posted is believed in nothing else.
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSealed, secretPlace } from '#core/ledger/sealed.ts';
import { accountParticipants, addPartner, linkPartner } from '#core/operate/administration.ts';
import { FAMILY_NAMES, type FamilyName } from '#domain/family.ts';
import { readSweep, type SweepState } from '#gateway/ledger/sweeps.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { digestOfSecret, startListening } from '#gateway/service/hint-listener.ts';
import { systemRandom } from '#runtime/clock.ts';
import { LogThrottle } from '#runtime/log-throttle.ts';
import { openSeal } from '#runtime/seal.ts';
import { authority } from '../../../support/authority.ts';
import { calm } from '../../../support/calm.ts';
import { manualClock } from '../../../support/clock.ts';
import { request, silent } from '../../../support/core.ts';
import { refusal, type Script } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { startWebhookCore, type WebhookCore } from '../../../support/webhooks.ts';
import { keptIn } from '../../../support/world/ledger-files.ts';
import { ofPartner, PARTNER } from '../../../support/world/partner.ts';
import { given, scripted } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}

/** A core that is remote to a gateway, which listens over HTTPS. */
async function start(): Promise<{ core: WebhookCore; world: World; url: string; want: (hints: boolean) => Promise<void> }> {
  const core = await startWebhookCore();
  onTestFinished(() => core[Symbol.asyncDispose]());
  const { cert, key } = authority();
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const world = await startWorld(given(core.test.core), {
    accounts: { buyer: core.test.buyer.gatewayKey },
    hinted: false,
    hints: { listen: { host: '127.0.0.1', port }, tls: { cert, key }, behindProxy: false, url },
  });
  return {
    core,
    world,
    url,
    async want(hints) {
      await world.administer((on) => changeAccount(on, 'buyer', { hints }));
      world.clock.advance(1_000);
    },
  };
}

const hasSaid = (world: World, event: string): boolean => world.log.some((line) => line.includes(`"event":"${event}"`));
/** Time passes meanwhile: the daemon looks at the accounts once a second. */
const said = (world: World, event: string) =>
  until(event, () => {
    world.clock.advance(100);
    return hasSaid(world, event);
  });
const sweepsOf = (world: World, accountRegNo: string): Promise<SweepState[]> =>
  world.administer(({ ledger }) => Promise.all(FAMILY_NAMES.map((family) => readSweep(ledger.read, { accountRegNo, family }))));
const subscription = async (core: WebhookCore) => (await core.call('buyer', 'GET', 'configure')).json;

/** A hint is followed after a moment. */
const inOutbox = (world: World) => world.inTime('it is in the outbox', () => world.files('buyer', 'outbox').length === 1, 500);

describe('the gateway', () => {
  it('registers its listener when the account wants it, and fetches what it is rung for', async () => {
    const { core, world, url, want } = await start();
    expect(await subscription(core)).toMatchObject({ type: 'E_MISSING' });
    await want(true);
    await said(world, 'hints.registered');
    expect(await subscription(core)).toMatchObject({
      url: `${url}/hints/buyer`,
      types: ['new_document'],
      authType: 'api_key',
      enabled: true,
    });
    await core.send('1001');
    await inOutbox(world);
    await core.settled();
    expect(await core.toNext()).toBe(false);
  });

  it.each([
    ['a folder of its own', false],
    ['a home of several', true],
  ])(
    'registers it for a partner’s child with %s, by the partner’s tokens, and fetches what it is rung for',
    async (_what, consolidated) => {
      const core = await startWebhookCore();
      onTestFinished(() => core[Symbol.asyncDispose]());
      const { administration } = core.test;
      const { apiKey } = await addPartner(administration, { partnerRegNo: PARTNER, name: 'Firm' });
      await linkPartner(administration, PARTNER, 'buyer');
      const port = await freePort();
      const { cert, key } = authority();
      const world = await startWorld(given(core.test.core), {
        ...ofPartner({
          key: apiKey,
          consolidated,
          children: [{ accountRegNo: 'buyer', participants: await accountParticipants(administration, 'buyer') }],
        }),
        hinted: false,
        hints: { listen: { host: '127.0.0.1', port }, tls: { cert, key }, behindProxy: false, url: `https://127.0.0.1:${port}` },
      });
      // What was there before is looked through, so that only a hint brings the next.
      await until('the first sweeps', async () => {
        world.clock.advance(100);
        const sweeps = await sweepsOf(world, 'buyer');
        return sweeps.every(({ start: reached }) => reached === 'started');
      });
      await world.administer((on) => changeAccount(on, 'buyer', { hints: true }));
      await said(world, 'hints.registered');
      await core.send('1001');
      await core.settled();
      // No poll is due so soon.
      world.clock.advance(2_000);
      await until('it is in the outbox', () => world.files(consolidated ? PARTNER : 'buyer', 'outbox').length === 1);
    },
  );

  it('follows hints that come together by one look, a moment after the first', async () => {
    const { core, world, want } = await start();
    await want(true);
    await said(world, 'hints.registered');
    // The look of the start has ended.
    await calm();
    for (const number of ['1', '2', '3', '4', '5']) await core.send(number);
    await core.settled();
    world.clock.advance(1_000);
    // Time enough for a look, as long as nobody moves the clock.
    for (let round = 0; round < 50; round++) await subscription(core);
    expect(world.files('buyer', 'outbox')).toEqual([]);
    await world.inTime('all of them', () => world.files('buyer', 'outbox').length === 5, 500);
  });

  it('keeps the key of the service readable nowhere: not in ledger, spool or homes, not in the log', async () => {
    const { core, world, want } = await start();
    await want(true);
    await said(world, 'hints.registered');
    await core.send('1001');
    await inOutbox(world);
    const secret = core.test.buyer.gatewayKey;
    const kept = keptIn(world.data);
    expect(kept.size).toBeGreaterThan(2);
    for (const [where, bytes] of kept) expect(bytes.includes(secret), where).toBe(false);
    expect(world.log.join('')).not.toContain(secret);
  });

  it('keeps the secret of its listener readable nowhere, neither here nor at the service', async () => {
    const { core, world, want } = await start();
    await want(true);
    await said(world, 'hints.registered');
    await core.send('1001');
    await inOutbox(world);
    const [hook] = await readSealed(core.ledger.read);
    const seal = await openSeal(core.test.sealPath, systemRandom);
    const { value } = JSON.parse(seal.open(hook?.sealed ?? new Uint8Array(), secretPlace('authentication of webhook', hook?.id ?? '')));
    expect(value).toMatch(/^[\w-]{43}$/);
    for (const folder of [world.data, dirname(core.test.databasePath)]) {
      const kept = keptIn(folder);
      expect(kept.size).toBeGreaterThan(1);
      for (const [where, bytes] of kept) expect(bytes.includes(value), where).toBe(false);
    }
    expect(world.log.join('')).not.toContain(value);
  });

  it('leaves a service alone that says 429 when it is asked for webhooks, for as long as it says', async () => {
    const slowDown = { ...refusal(429, 'E_RATE_LIMITED'), headers: { 'retry-after': '600' } };
    let asked = 0;
    const script: Script = ({ path }) => {
      asked++;
      return path.includes('/webhook/') ? slowDown : { status: 204 };
    };
    const port = await freePort();
    const world = await startWorld(scripted(script, { headers: {}, remembers: false }), {
      accounts: { buyer: 'key' },
      hinted: false,
      hints: { listen: { host: '127.0.0.1', port }, tls: authority(), behindProxy: false, url: `https://127.0.0.1:${port}` },
    });
    await world.administer((on) => changeAccount(on, 'buyer', { hints: true }));
    world.clock.advance(1_000);
    await said(world, 'hints.postponed');
    const before = asked;
    for (let minute = 0; minute < 9; minute++) {
      world.clock.advance(60_000);
      await calm();
    }
    expect(asked).toBe(before);
  });

  it('leaves a webhook of somebody else as it is', async () => {
    const { core, world, want } = await start();
    const id = await core.subscribe('buyer', 'https://erp.example.com/secret-path', ['document_delivery']);
    await want(true);
    await said(world, 'hints.taken');
    expect(await subscription(core)).toMatchObject({
      id,
      url: 'https://erp.example.com/secret-path',
      types: ['document_delivery'],
      authType: null,
    });
    expect(world.log.join('')).not.toContain('secret-path');
    await want(false);
    world.clock.advance(15 * 60_000);
    await world.stop();
    expect(await subscription(core)).toMatchObject({ id });
  });

  it('mends a registration that was disabled or lost its authentication, and leaves one that is in order', async () => {
    const { core, world, want } = await start();
    await want(true);
    await said(world, 'hints.registered');
    const { id, updatedAt } = await subscription(core);
    core.clock.advance(1_000);
    await world.restart();
    world.clock.advance(15 * 60_000);
    expect(await subscription(core)).toMatchObject({ id, updatedAt });
    await core.call('buyer', 'DELETE', `${id}/auth`);
    await until('it has its authentication again', async () => {
      world.clock.advance(15 * 60_000);
      return (await subscription(core)).authType === 'api_key';
    });
    await until('it is in order', () => world.logged('hints.registered') === 2);
    await core.send('1001');
    await inOutbox(world);
  });

  it('withdraws its registration when the account wants it no more, and then refuses what comes', async () => {
    const { core, world, url, want } = await start();
    await want(true);
    await said(world, 'hints.registered');
    await want(false);
    await said(world, 'hints.withdrawn');
    expect(await subscription(core)).toMatchObject({ type: 'E_MISSING' });
    await core.subscribe('buyer', `${url}/hints/buyer`);
    await core.send('1001');
    // No time passes, so that no poll is due.
    await until('its refusal', () => hasSaid(world, 'hints.refused'));
    expect(world.files('buyer', 'outbox')).toEqual([]);
  });
});

describe('the listener', () => {
  async function listen() {
    const clock = manualClock();
    const rung: [string, FamilyName][] = [];
    const listener = await startListening({
      listen: { host: '127.0.0.1', port: 0 },
      settings: { tls: null, behindProxy: false },
      secretOf: async (accountRegNo) => (accountRegNo === 'buyer' ? digestOfSecret('right') : undefined),
      ring: (...each) => rung.push(each),
      clock,
      log: silent,
      throttle: new LogThrottle(silent, clock),
    });
    onTestFinished(() => listener.close());
    const post = (path: string, secret: string | null, body = '{}', type = 'application/json') =>
      request(listener.url + path, { body, type, headers: secret === null ? {} : { 'x-dropgate-hint': secret } });
    return { rung, post, clock };
  }

  it.each([
    ['a wrong secret', '/hints/buyer', 'wrong'],
    ['none', '/hints/buyer', null],
    ['an empty one', '/hints/buyer', ''],
    ['another account', '/hints/seller', 'right'],
    ['another path', '/hints/buyer/more', 'right'],
    ['an encoded path', '/hints/%62uyer', 'right'],
    ['the root', '/', 'right'],
  ])('refuses %s with 401, and rings for nothing', async (_, path, secret) => {
    const { rung, post } = await listen();
    expect(await post(path, secret)).toMatchObject({ status: 401, text: '' });
    expect(rung).toEqual([]);
  });

  it.each([
    ['a document type', '{"data":{"documentType":"CreditNote","direction":"incoming"}}', ['CreditNote']],
    ['none', '{"data":{}}', FAMILY_NAMES],
    ['one that is none', '{"data":{"documentType":"../Invoice"}}', FAMILY_NAMES],
    ['an outgoing document', '{"data":{"documentType":"Invoice","direction":"outgoing"}}', []],
    ['what is no JSON', '{{{', FAMILY_NAMES],
    ['another account inside', '{"accountRegNo":"seller","data":{"documentType":"Order"}}', ['Order']],
  ])('answers 204 to %s, and rings for the account in the path only', async (_, body, families) => {
    const { rung, post } = await listen();
    expect(await post('/hints/buyer', 'right', body)).toMatchObject({ status: 204 });
    expect(rung).toEqual(families.map((family) => ['buyer', family]));
  });

  it('reads no more than 64 KiB, and JSON only', async () => {
    const { rung, post } = await listen();
    expect((await post('/hints/buyer', 'right', ' '.repeat(70_000))).status).toBe(400);
    expect((await post('/hints/buyer', 'right', '<x/>', 'application/xml')).status).toBe(400);
    expect(rung).toEqual([]);
  });

  it('refuses an address unheard after sixty refusals, one more each second; what proves itself counts as none', async () => {
    const { rung, post, clock } = await listen();
    for (let at = 0; at < 100; at++) expect((await post('/hints/buyer', 'right')).status).toBe(204);
    for (let at = 0; at < 60; at++) expect((await post('/hints/buyer', 'wrong')).status).toBe(401);
    const { status, headers } = await post('/hints/buyer', 'right');
    expect([status, headers.get('retry-after')]).toEqual([429, '1']);
    expect(rung.length).toBe(100 * FAMILY_NAMES.length);
    clock.advance(1_000);
    expect((await post('/hints/buyer', 'right')).status).toBe(204);
    expect((await post('/hints/buyer', 'wrong')).status).toBe(401);
    expect((await post('/hints/buyer', 'wrong')).status).toBe(429);
  });
});
