// How often a document makes the gateway and the core wait for PostgreSQL: from CLOSE to the buyer's outbox, the seller's last receipt and the read mark.
import { expect, it } from 'vitest';
import { addParticipant } from '#core/operate/administration.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { glnCheckDigit } from '#domain/participant.ts';
import { lastTurn } from '#gateway/model/share.ts';
import type { Gateway } from '#gateway/options.ts';
import { manualClock } from '../support/clock.ts';
import { startTestCore } from '../support/core.ts';
import { invoice } from '../support/documents.ts';
import { isOn } from '../support/engine.ts';
import { queries } from '../support/queries.ts';
import { given, scripted } from '../support/world/services.ts';
import { startWorld, type World } from '../support/world/world.ts';

const WAITS_MAX = 30;
/** Each feed is compared within it, and some as deep as once a day. */
const RECONCILED_MS = 7 * 3_600_000;
const DAY_MS = 24 * 3_600_000;
/** Documents that come together share what timers ask; documents of one pair would wait for each other. */
const RECEIVERS = Array.from({ length: 32 }, (_, at) => glnOf(at));

function glnOf(at: number): string {
  const twelve = String(735_000_000_000 + at);
  return `0088:${twelve}${glnCheckDigit(twelve)}`;
}

/** Resolves with how often each document waited. */
async function exchange(world: World, name: string): Promise<number> {
  let marked = 0;
  queries.heard = (text) => {
    if (text.startsWith('update "messages" set "read_at"')) marked++;
  };
  const before = queries.waits;
  const documents = RECEIVERS.map((receiver, at) => ({ id: `${name}-${at}`, receiver }));
  await Promise.all(documents.map((each) => world.drop('seller', `${each.id}.xml`, invoice(each))));
  await world.inTime('all to be delivered, and marked as read', () => {
    const delivered = documents.filter(({ id }) => world.stages('seller', `${id}.xml`).includes('delivered'));
    return delivered.length === documents.length && marked === documents.length;
  });
  return (queries.waits - before) / documents.length;
}

it.runIf(isOn('PostgreSQL', 'How often a document waits for the database'))(
  `a document waits for PostgreSQL no more than ${WAITS_MAX} times`,
  async () => {
    let gateway: Gateway | undefined;
    const clock = manualClock();
    await using core = await startTestCore({
      clock,
      incoming: (...document) => gateway?.ring(...document),
      changed: (accountRegNo, family) => gateway?.ringStatus(accountRegNo, family),
    });
    for (const participant of RECEIVERS) await addParticipant(core.administration, 'buyer', participant);
    const accounts = { seller: core.seller.gatewayKey, buyer: core.buyer.gatewayKey };
    await using world = await startWorld(given(core.core), { clock, accounts });
    gateway = world.gateway();
    await exchange(world, 'first');
    const waits = await exchange(world, 'second');
    console.log(`round trips of a document: ${waits}`);
    expect(waits).toBeLessThanOrEqual(WAITS_MAX);
  },
);

it.runIf(isOn('PostgreSQL', 'How often a home that is taken up is read'))('a home that is taken up has its items read once', async () => {
  await using world = await startWorld(scripted(), { accounts: { seller: 'key' } });
  await world.gateway().giveUp('seller');
  for (const id of ['A', 'B', 'C']) await world.drop('seller', `${id}.xml`, invoice({ id }));
  const asked: string[] = [];
  queries.heard = (text) => {
    if (/^select \* from "items" where "state"/.test(text)) asked.push(text);
  };
  await world.gateway().takeUp('seller');
  expect(asked).toHaveLength(1);
});

it.runIf(isOn('PostgreSQL', 'What a poll asks'))(
  'a poll that finds nothing asks one question, and writes nothing, a comparison of the day neither',
  async () => {
    let asked: string[] = [];
    const questions = (): number => asked.filter((text) => text.startsWith('select *, (exists')).length;
    queries.heard = (text) => {
      if (/"(sweeps|documents|stuck|redeliveries)"/.test(text)) asked.push(text);
    };
    await using world = await startWorld(scripted(), { accounts: { seller: 'key' } });
    const poll = async (): Promise<void> => {
      const before = questions();
      world.gateway().ring('seller', 'Order');
      await world.inTime('a poll', () => questions() > before);
    };
    // The first sweep of each feed asks again at its end.
    await world.inTime('the first sweeps', () => asked.filter((text) => text.startsWith('select (exists')).length >= FAMILY_NAMES.length);
    await poll();
    asked = [];
    await poll();
    await poll();
    expect(asked.length).toBe(questions());
    world.clock.advance(RECONCILED_MS);
    await world.inTime('comparisons', () => questions() >= 2 + FAMILY_NAMES.length);
    await poll();
    await poll();
    const nowMs = world.clock.now();
    const deep = FAMILY_NAMES.filter((family) => lastTurn(`seller ${family}`, DAY_MS, nowMs) > nowMs - RECONCILED_MS);
    expect(asked.filter((text) => text.startsWith('insert')).length).toBeLessThanOrEqual(deep.length);
  },
);
