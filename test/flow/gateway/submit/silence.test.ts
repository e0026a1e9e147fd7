// A service that is silent while many documents wait for it: how long counts for each, however seldom it is its turn; and what becomes of
// their waits when it answers again.
import { describe, expect, it, vi } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { LONG_MS } from '../../../support/patience.ts';
import type { Seen } from '../../../support/scripted-service.ts';
import { FAULTS } from '../../../support/stand-in/manners.ts';
import type { StandIn } from '../../../support/stand-in/stand-in.ts';
import { standIn } from '../../../support/world/services.ts';
import { startWorld, type World } from '../../../support/world/world.ts';

// Hours of the clock, step by step.
vi.setConfig({ testTimeout: LONG_MS });

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const file = (id: string): [name: string, bytes: Uint8Array] => [`${id}.xml`, invoice({ id })];
const files = (count: number): [name: string, bytes: Uint8Array][] => Array.from({ length: count }, (_, index) => file(`O-${index}`));
const isCreate = ({ method }: Seen): boolean => method === 'POST';
const createsIn = ({ service }: World<StandIn>): number => service.requests.filter(({ method }) => method === 'POST').length;

it('what has its turn only every eight or ten hours is held after three days all the same', async () => {
  // More than may be asked for in a minute, so that each has its turn at every other step.
  const limit = { requests: 20, windowMs: MINUTE, told: true };
  const many = 28;
  const world = await startWorld(standIn({ limit }));
  /** Five hours with one minute's requests, which come one after the other, as they do on a clock that runs. */
  async function pass(hours: number): Promise<void> {
    for (let left = hours; left > 0; left -= 5) {
      await world.pass(MINUTE, 2 * SECOND);
      await world.pass(5 * HOUR - MINUTE, 5 * HOUR);
    }
  }
  await world.drop('acme-ab', ...file('BEFORE'));
  await world.passUntilDone(5 * MINUTE);
  world.service.manners.fault = () => FAULTS.down;
  // Each to another receiver: of one pair, an older one that is due would go before a newer one each time.
  const receiver = (at: number): string => `0088:735000000${String(at).padStart(4, '0')}`;
  await world.dropAll(
    'acme-ab',
    Array.from({ length: many }, (_, at) => [`O-${at}.xml`, invoice({ id: `O-${at}`, receiver: receiver(at) })]),
  );
  await pass(65);
  expect(await world.count('held')).toBe(0);
  await pass(30);
  expect(await world.count('held')).toBe(many);
  expect((await world.receipt('acme-ab', 'O-0.xml', 'held')).code).toBe('outcome-unknown');
});

describe('a service that answers again', () => {
  const WAITING = 24;

  /** An outage in which the waits of so many have grown to a quarter of an hour; none of them is due for minutes when it ends. */
  async function outage(waiting = WAITING, isOut: (seen: Seen) => boolean = isCreate, hinted = true): Promise<World<StandIn>> {
    const world = await startWorld(standIn(), { hinted });
    await world.drop('acme-ab', ...file('BEFORE'));
    await world.passUntilDone(MINUTE);
    world.service.manners.fault = (seen) => (isOut(seen) ? FAULTS.down : undefined);
    await world.dropAll('acme-ab', files(waiting));
    await world.pass(30 * MINUTE);
    const soon = (): number => world.clock.now() + 3 * MINUTE;
    const isSoon = async () => (await world.items({ states: ['pending'] })).some(({ nextAttemptAt }) => nextAttemptAt < soon());
    for (let left = 20; await isSoon(); left--) {
      if (left === 0) throw new Error('they never wait together');
      await world.pass(MINUTE);
    }
    return world;
  }

  it('lets the others go as soon as one has an answer', async () => {
    const world = await outage();
    world.service.manners.fault = () => undefined;
    await world.drop('acme-ab', ...file('NEW'));
    await world.passUntilDone(30 * SECOND, SECOND);
    expect(await world.count('accepted')).toBe(WAITING + 2);
  });

  it('lets one go as soon as a list of documents comes', async () => {
    // Lists that are asked for by the clock: some fail now, and are asked for again ten minutes later at the most.
    const world = await outage(1, () => true, false);
    const nextAt = async (): Promise<number> => (await world.items()).at(-1)?.nextAttemptAt ?? 0;
    while ((await nextAt()) < world.clock.now() + 13 * MINUTE) await world.pass(MINUTE);
    world.service.manners.fault = () => undefined;
    await world.passUntilDone(10 * MINUTE, 15 * SECOND);
    expect(await world.count('accepted')).toBe(2);
  });

  it('is asked at once by a gateway that starts', async () => {
    const world = await outage();
    world.service.manners.fault = () => undefined;
    await world.restart();
    await world.passUntilDone(30 * SECOND, SECOND);
    expect(world.service.tally('acme-ab', ['O-0', `O-${WAITING - 1}`])).toEqual({ lost: [], twice: [] });
  });

  it('and at once goes away again is not asked by all of them', async () => {
    const world = await outage();
    const before = createsIn(world);
    world.service.manners.fault = (seen) => (isCreate(seen) && createsIn(world) > before ? FAULTS.down : undefined);
    await world.drop('acme-ab', ...file('NEW'));
    await world.pass(4 * SECOND, SECOND);
    expect(createsIn(world) - before).toBeLessThanOrEqual(1 + 4);
  });

  it('for all but one is not asked for that one with each of the others', async () => {
    const world = await startWorld(standIn());
    world.service.manners.fault = ({ body }) => (body?.includes('SICK') ? FAULTS.internalError : undefined);
    await world.drop('acme-ab', ...file('SICK'));
    for (let index = 0; index < 60; index++) {
      await world.drop('acme-ab', ...file(`WELL-${index}`));
      await world.pass(10 * SECOND, 5 * SECOND);
    }
    expect(await world.count('accepted')).toBe(60);
    // At once, and after 5, 20 and 65 seconds, three minutes, eight; and once with the first of the others.
    expect(createsIn(world) - 60).toBeLessThanOrEqual(7);
  });
});
