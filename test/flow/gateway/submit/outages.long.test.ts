// Services that are away for a day and for three, and clocks that are set: no document is lost, none comes twice, and the dropper is told.
// DROPGATE_OUTAGES is how many there are (8; the whole has 1,000).

import { afterAll, describe, expect, it } from 'vitest';
import type { startGateway } from '#gateway/gateway.ts';
import { resendItem } from '#gateway/operate/resend.ts';
import { amountOf } from '../../../support/amounts.ts';
import { invoice } from '../../../support/documents.ts';
import type { Seen } from '../../../support/scripted-service.ts';
import { defectiveGateway } from '../../../support/stand-in/defective.ts';
import { FAULTS, type Fault } from '../../../support/stand-in/manners.ts';
import type { StandIn } from '../../../support/stand-in/stand-in.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

const DOCUMENTS = amountOf('DROPGATE_OUTAGES');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const figures: string[] = [];
afterAll(() => console.log(figures.join('\n')));

const idOf = (index: number): string => `O-${index}`;
const IDS = Array.from({ length: DOCUMENTS }, (_, index) => idOf(index));

async function dropAll(world: World<StandIn>): Promise<void> {
  for (const [index, id] of IDS.entries()) {
    await world.drop('acme-ab', `${id}.xml`, invoice({ id, receiver: `0088:735000000${String(index % 20).padStart(4, '0')}` }));
  }
}

const isCreate = ({ method }: Seen): boolean => method === 'POST';
const receipts = (world: World<StandIn>, stage: string): string[] =>
  world.files('acme-ab', 'receipts').filter((name) => name.includes(`.${stage}.`));

/** The work of every other create is done when the service goes, and nobody hears of it. */
function goesAway({ service }: World<StandIn>): void {
  let creates = 0;
  const faults: readonly Fault[] = [FAULTS.lostAnswer, FAULTS.lostRequest];
  service.manners.fault = (seen) => (isCreate(seen) && creates < DOCUMENTS ? faults[creates++ % 2] : FAULTS.down);
}

interface Outage {
  readonly hours: number;
  readonly start?: typeof startGateway;
  /** The service would take a document of one id twice, once it has forgotten the key. */
  readonly keysOnly?: boolean;
}

async function outage({ hours, start, keysOnly = false }: Outage): Promise<World<StandIn>> {
  const world = await startWorld(standIn(), { ...(start && { start }) });
  world.service.manners.refusesDuplicates = !keysOnly;
  goesAway(world);
  await dropAll(world);
  await world.pass(hours * HOUR, 10 * MINUTE);
  world.service.manners.fault = () => undefined;
  return world;
}

describe('an outage of 25 hours, in which the service forgets its keys', () => {
  it('ends with every document there once, because we look before we post', async () => {
    const world = await outage({ hours: 25, keysOnly: true });
    expect(receipts(world, 'delayed')).toHaveLength(DOCUMENTS);
    expect(world.logged('submit.silent')).toBe(1);
    const ms = await world.passUntilDone(2 * HOUR);
    const { lost, twice } = world.service.tally('acme-ab', IDS);
    figures.push(
      `outage 25 h: ${DOCUMENTS} documents, ${lost.length} lost, ${twice.length} twice, done ${ms / MINUTE} minutes after its end, ${world.service.requests.length} requests`,
    );
    expect([lost, twice, await world.count('accepted')]).toEqual([[], [], DOCUMENTS]);
    expect(receipts(world, 'accepted')).toHaveLength(DOCUMENTS);
  });

  it('a gateway that does not look is found', async () => {
    const start = await defectiveGateway({ file: 'submit/history.ts', from: 'return !keys || restarted || ', to: 'return false && ' });
    const world = await outage({ hours: 25, keysOnly: true, start });
    await world.passUntilDone(2 * HOUR);
    expect(world.service.tally('acme-ab', IDS).twice.length).toBeGreaterThan(0);
  });

  it('a gateway that takes a 409 for a refusal is found', async () => {
    const start = await defectiveGateway(
      { file: 'submit/history.ts', from: 'return !keys || restarted || ', to: 'return false && ' },
      { file: 'submit/response.ts', from: "['409 E_CONFLICT', conflict]", to: "['409 E_CONFLICT', refused]" },
    );
    const world = await outage({ hours: 25, start });
    await world.passUntilDone(2 * HOUR);
    expect(await world.count('accepted')).toBeLessThan(DOCUMENTS);
  });
});

/** Of an account whose service tells no limits so many are asked for in a step of ten minutes: the last has its turn only then, and every so many hours. */
const TURN_HOURS = Math.ceil(DOCUMENTS / 22 / 6);

it('an outage of more than 72 hours ends in held, never in refused; a person sends them on, and each is there once', async () => {
  const hours = 72 + 2 * TURN_HOURS;
  const world = await outage({ hours, keysOnly: true });
  const held = await world.count('held');
  expect([held, await world.count('refused'), receipts(world, 'held').length]).toEqual([DOCUMENTS, 0, DOCUMENTS]);
  expect(receipts(world, 'delayed')).toHaveLength(DOCUMENTS);
  for (const { item } of await world.items()) await world.operate((on) => resendItem(on, item));
  await world.passUntilDone(HOUR, 5_000);
  const { lost, twice } = world.service.tally('acme-ab', IDS);
  figures.push(
    `outage ${hours} h: ${DOCUMENTS} documents, ${held} held, 0 refused; sent again: ${lost.length} lost, ${twice.length} twice`,
  );
  expect([lost, twice, await world.count('accepted')]).toEqual([[], [], DOCUMENTS]);
});

it('a gateway that was off for four days holds nothing that it has hardly tried', async () => {
  const world = await startWorld(standIn());
  goesAway(world);
  await dropAll(world);
  await world.pass(10 * MINUTE);
  await world.stop();
  world.clock.advance(96 * HOUR);
  await world.restart();
  await world.pass(2 * HOUR, 5 * MINUTE);
  expect(await world.count('pending')).toBe(DOCUMENTS);
  world.service.manners.fault = () => undefined;
  await world.passUntilDone(2 * HOUR);
  expect(world.service.tally('acme-ab', IDS)).toEqual({ lost: [], twice: [] });
});

describe('a proxy that answers 400 for a service that it cannot reach', () => {
  async function proxied(start?: typeof startGateway): Promise<World<StandIn>> {
    const world = await startWorld(standIn(), { ...(start && { start }) });
    world.service.manners.fault = (seen) => (isCreate(seen) ? FAULTS.proxyBadRequest : undefined);
    await dropAll(world);
    await world.pass(HOUR);
    world.service.manners.fault = () => undefined;
    await world.passUntilDone(2 * HOUR);
    return world;
  }

  it('refuses nothing', async () => {
    const world = await proxied();
    expect(await world.count('accepted')).toBe(DOCUMENTS);
    expect(world.logged('submit.paused')).toBeLessThan(8);
  });

  it('a gateway that believes it is found', async () => {
    const foreign = ': foreign(answer);';
    const believed = ": { kind: 'refused', error: { status: 400, type: 'E_BAD_REQUEST', data: '', metadata: {} } };";
    const world = await proxied(await defectiveGateway({ file: 'submit/response.ts', from: foreign, to: believed }));
    expect(await world.count('refused')).toBeGreaterThan(0);
  });
});

describe('clocks that are set', () => {
  it.each([-25, 25])('by %d hours while documents wait: they go about when they would have gone', async (hours) => {
    const world = await startWorld(standIn());
    goesAway(world);
    await dropAll(world);
    await world.pass(90 * MINUTE);
    world.service.manners.fault = () => undefined;
    world.clock.step(hours * HOUR);
    const ms = await world.passUntilDone(40 * MINUTE);
    const { lost, twice } = world.service.tally('acme-ab', IDS);
    figures.push(
      `clock set by ${hours} h: ${DOCUMENTS} documents, ${lost.length} lost, ${twice.length} twice, done after ${ms / MINUTE} minutes`,
    );
    expect([lost, twice, await world.count('accepted')]).toEqual([[], [], DOCUMENTS]);
  });

  it('back by a day while a whole account pauses', async () => {
    const world = await startWorld(standIn());
    world.service.manners.fault = (seen) => (isCreate(seen) ? { does: false, answers: { status: 404, body: '<html/>' } } : undefined);
    await dropAll(world);
    await world.pass(MINUTE);
    expect(world.logged('submit.paused')).toBe(1);
    world.service.manners.fault = () => undefined;
    world.clock.step(-24 * HOUR);
    await world.passUntilDone(5 * MINUTE, 5_000);
    expect(world.service.tally('acme-ab', IDS)).toEqual({ lost: [], twice: [] });
  });

  it('over midnights, a quarter of an hour at a time', async () => {
    const world = await startWorld(standIn());
    world.clock.advance(13.75 * HOUR);
    let turns = 0;
    world.service.manners.fault = (seen) => (isCreate(seen) && turns++ % 3 !== 2 ? FAULTS.lostAnswer : undefined);
    for (const [index, id] of IDS.entries()) {
      await world.drop('acme-ab', `${id}.xml`, invoice({ id }));
      await world.pass((DOCUMENTS > 100 ? 1 : 15) * MINUTE, 5 * MINUTE);
      if (index % 10 === 9) world.clock.step(HOUR);
    }
    await world.passUntilDone(3 * HOUR);
    expect(world.service.tally('acme-ab', IDS)).toEqual({ lost: [], twice: [] });
  });
});
