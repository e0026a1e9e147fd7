// Several nodes behind one address for hints: what a service posts to any of them reaches the one that has the home, and means no more to it than 'look now'.
import { describe, expect, it } from 'vitest';
import type { QueueServer } from '#engines/open.ts';
import { readHint } from '#gateway/ledger/hints.ts';
import { leaveRing, readRings } from '#gateway/ledger/rings.ts';
import { ownerOf } from '#gateway/nodes/rendezvous.ts';
import { changeAccount } from '#gateway/operate/account-rules.ts';
import { calm } from '../../../support/calm.ts';
import { request } from '../../../support/core.ts';
import { hasPostgres } from '../../../support/postgres.ts';
import { hasRedis, startRedis } from '../../../support/redis-server.ts';
import { obliging, type Script } from '../../../support/scripted-service.ts';
import { until } from '../../../support/until.ts';
import { uploadInvoice } from '../../../support/uploads.ts';
import { homesOf } from '../../../support/world/homes.ts';
import { type NamedNode, type NamedNodes, openNamedNodes } from '../../../support/world/named-nodes.ts';

const NAMES = ['one', 'two'];
/** Of the first node by its name as well as by its start. */
const HOME = 'home-2';
const URL = 'https://gateway.example.com';
const SECOND_MS = 1_000;
/** Nodes look at each other so often. */
const LOOK_MS = 2_000;
/** A hint is passed on after it. */
const TOGETHER_MS = 1_500;
/** Sooner than a feed is polled. */
const WITHIN_S = 20;
/** Posts of a counterpart that does not know when to stop. */
const MANY = 50;
const RINGS_MAX = 1_000;

/** Makes the subscription that it is asked for. */
function subscribing(): Script {
  let isThere = false;
  const subscription = { id: 'ours', url: `${URL}/hints/${HOME}` };
  return (asked) => {
    if (!asked.path.includes('/webhook')) return obliging(asked);
    if (asked.method === 'PUT') isThere = true;
    return isThere ? { status: 200, body: subscription } : { status: 404 };
  };
}

interface Both extends NamedNodes {
  readonly one: NamedNode;
  /** Posts to the second node that a document of this family is there. */
  hint(documentType: string): Promise<void>;
  /** Time passes at the second node. */
  passOn(): Promise<void>;
  /** How often the service was asked for a list. */
  asked(list: 'incoming' | 'outgoing'): number;
}

/** The first has the home, the second hears the hints. */
async function startBoth(queueServer?: QueueServer): Promise<Both> {
  expect(ownerOf(HOME, NAMES)).toBe('one');
  const nodes = await openNamedNodes([HOME], subscribing());
  const { service, data } = nodes;
  const hints = { listen: { host: '127.0.0.1', port: 0 }, tls: null, behindProxy: false, url: URL } as const;
  const how = queueServer ? { queueServer } : {};
  const one = await nodes.start('one', { hinted: false, hints }, how);
  const two = await nodes.start('two', { hinted: false, hints }, how);
  await changeAccount(one.gateway.administration, HOME, { hints: true });
  for (const { gateway } of [one, two]) await gateway.refreshAccounts();
  await until('the registration', () => one.facts().some(({ event }) => event === 'hints.registered'));
  const auth = service.seen.find(({ path }) => path.endsWith('/auth'));
  const { value } = JSON.parse(String(auth?.body));
  const asked: Both['asked'] = (list) => service.seen.filter(({ path }) => path.includes(`/${list}`)).length;
  // The list of what was sent is asked for while something is on its way: once by itself, and then when it is polled.
  await uploadInvoice(one.gateway.intake, HOME, 'a');
  await homesOf(data).receipt(HOME, 'a.xml', 'accepted');
  await until('the first question', async () => {
    one.clock.advance(SECOND_MS);
    await calm();
    return asked('outgoing') > 0;
  });
  two.clock.advance(LOOK_MS);
  await calm();
  return {
    ...nodes,
    one,
    async hint(documentType) {
      const body = JSON.stringify({ data: { documentType } });
      const { status } = await request(`${two.gateway.hintsUrl}/hints/${HOME}`, {
        body,
        type: 'application/json',
        headers: { 'x-dropgate-hint': value },
      });
      expect(status).toBe(204);
    },
    async passOn() {
      two.clock.advance(TOGETHER_MS);
      await calm();
    },
    asked,
  };
}

/** Both lists are asked for sooner than by the clock. */
async function expectLook({ one, hint, passOn, asked }: Both): Promise<void> {
  await calm();
  const before = { incoming: asked('incoming'), outgoing: asked('outgoing') };
  await hint('Invoice');
  await passOn();
  let seconds = 0;
  await until('a look at both lists', async () => {
    if (seconds++ < WITHIN_S) one.clock.advance(SECOND_MS);
    await calm();
    return asked('incoming') > before.incoming && asked('outgoing') > before.outgoing;
  });
}

describe.runIf(hasPostgres)('A hint at a node that does not have the home', () => {
  it.runIf(hasRedis)('has the other one look at once, through Redis', async () => {
    await using redis = await startRedis();
    const both = await startBoth(redis.place);
    await until('both to reach Redis', async () => {
      const gateways = await redis.ask('smembers', 'dropgate:gateways');
      return Array.isArray(gateways) && gateways.length === NAMES.length;
    });
    await expectLook(both);
    expect(await readRings(both.ledger.read)).toEqual([]);
  });

  it('has the other one look within seconds, where there is no Redis', async () => {
    const both = await startBoth();
    await expectLook(both);
  });

  it('is one with all that come at the same time, however many are posted', async () => {
    const both = await startBoth();
    const { ledger, hint, passOn } = both;
    const rings = () => readRings(ledger.read);
    await Promise.all(Array.from({ length: MANY }, () => hint('Order')));
    await passOn();
    const left = ['incoming', 'status'].map((topic) => ({ home: HOME, topic, id: `${HOME} Order` }));
    await until('the rings to be left', async () => (await rings()).length > 0);
    expect(await rings()).toMatchObject(left);
    // Nobody hears them.
    await ledger.write([], async (rows) => {
      for (let ring = 0; ring < RINGS_MAX; ring++) await leaveRing(rows, { home: HOME, topic: 'incoming', id: `${HOME} Invoice` });
    });
    const before = await rings();
    await hint('Invoice');
    await passOn();
    expect(await rings()).toEqual(before);
  });
});

describe.runIf(hasPostgres)('A home', () => {
  it.each([
    ['PUT', true, 'POST'],
    ['POST', true, 'POST'],
    ['DELETE', false, 'DELETE'],
  ] as const)('is given up when what is asked for its hints has ended: a %s (wanted: %s)', async (slow, isWanted, last) => {
    const answer = subscribing();
    let held: Promise<void> | null = null;
    const nodes = await openNamedNodes([HOME], async (asked) => {
      if (asked.path.includes('/webhook') && asked.method === slow) await held;
      return answer(asked);
    });
    const listen = { host: '127.0.0.1', port: 0 };
    const one = await nodes.start('one', { hinted: false, hints: { listen, tls: null, behindProxy: false, url: URL } });
    const want = async (hints: boolean): Promise<void> => {
      await changeAccount(one.gateway.administration, HOME, { hints });
      await one.gateway.refreshAccounts();
    };
    const asked = () => nodes.service.seen.filter(({ path }) => path.includes('/webhook')).map(({ method }) => method);
    if (!isWanted) {
      await want(true);
      await until('the registration', () => one.facts().some(({ event }) => event === 'hints.registered'));
    }
    const before = asked().length;
    const hold = Promise.withResolvers<void>();
    held = hold.promise;
    const wanted = want(isWanted);
    await until('the request', () => asked().slice(before).includes(slow));
    let isGivenUp = false;
    const givingUp = one.gateway.giveUp(HOME).then(() => {
      isGivenUp = true;
    });
    await calm();
    expect(isGivenUp).toBe(false);
    hold.resolve();
    await Promise.all([wanted, givingUp]);
    expect(asked().at(-1)).toBe(last);
    expect((await readHint(nodes.ledger.read, HOME))?.webhookId).toBe(isWanted ? 'ours' : undefined);
  });
});
