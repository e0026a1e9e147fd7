// Within a pair of parties one document goes at a time, in the order of arrival, as long as each ends; otherwise the order is left to the ledger.
import { expect, it } from 'vitest';
import { type Course, FairScheduler } from '#gateway/submit/scheduler.ts';
import { type ManualClock, manualClock } from '../../../support/clock.ts';

const MINUTE = 60_000;
const ENDED: Course = { next: 'ended' };
const WAITS: Course = { next: 'waits' };

/** Items of one account; each asks for its pair as soon as it runs, and goes when it may. `letGo`: after the one before it in its pair. */
function open(clock: ManualClock = manualClock(0), receivedAt: Readonly<Record<string, number>> = {}) {
  const going: string[] = [];
  const asked: string[] = [];
  const letGo: string[] = [];
  const ends = new Map<string, (course: Course) => void>();
  const pairs = new Map<string, string>();
  /** Items whose work has begun, and that ask when they are told to. */
  const slow = new Map<string, () => void>();
  let areSlow = false;
  /** Items that have ended before they ask. */
  const gone = new Set<string>();
  const scheduler: FairScheduler = new FairScheduler(clock, 100, async (item, { isNextOfPair }) => {
    asked.push(item);
    if (isNextOfPair) letGo.push(item);
    if (areSlow) await new Promise<void>((resolve) => slow.set(item, resolve));
    if (gone.has(item)) return ENDED;
    if (!scheduler.startPair(pairs.get(item) ?? '', { item, receivedAt: receivedAt[item] ?? clock.now() })) return { next: 'pair' };
    going.push(item);
    return new Promise((resolve) => ends.set(item, resolve));
  });
  const settle = (): Promise<void> => new Promise((turn) => setImmediate(turn));
  return {
    going,
    asked,
    letGo,
    scheduler,
    async add(pair: string, ...items: string[]): Promise<void> {
      for (const item of items) {
        pairs.set(item, pair);
        scheduler.enqueue('acme', item);
      }
      await settle();
    },
    endBefore: (item: string): void => void gone.add(item),
    /** From now on items ask when they are told to. */
    slowDown(): void {
      areSlow = true;
    },
    async ask(item: string): Promise<void> {
      slow.get(item)?.();
      await settle();
    },
    async end(item: string, course: Course): Promise<void> {
      ends.get(item)?.(course);
      await settle();
    },
  };
}

it('lets the next one go when one has ended, in the order of arrival', async () => {
  const { going, letGo, add, end } = open();
  await add('pair', '1', '2', '3');
  expect(going).toEqual(['1']);
  await end('1', ENDED);
  expect(going).toEqual(['1', '2']);
  expect(letGo).toEqual(['2']);
  await end('2', ENDED);
  await end('3', ENDED);
  await add('pair', '4');
  expect(going).toEqual(['1', '2', '3', '4']);
});

it('keeps pairs apart', async () => {
  const { going, add } = open();
  await add('one', '1');
  await add('other', '2');
  expect(going).toEqual(['1', '2']);
});

it('lets all of a pair ask the ledger when one waits there', async () => {
  const { going, asked, letGo, add, end } = open();
  await add('pair', '1', '2', '3', '4');
  asked.length = 0;
  await end('1', WAITS);
  expect(asked).toEqual(['2', '3', '4']);
  expect(going).toEqual(['1', '2']);
  await end('2', WAITS);
  expect(asked.slice(3)).toEqual(['3', '4']);
  // It was none of them whose end would let the next one go.
  expect([going, letGo]).toEqual([['1', '2', '3'], []]);
});

it('lets none pass those that are to ask the ledger and have not yet', async () => {
  const { going, add, end, ask, slowDown } = open();
  await add('pair', '1', '2', '3');
  slowDown();
  await add('pair', '4');
  await end('1', WAITS);
  for (const item of ['4', '3', '2']) await ask(item);
  expect(going).toEqual(['1', '2']);
  await end('2', ENDED);
  await ask('3');
  await end('3', ENDED);
  await ask('4');
  expect(going).toEqual(['1', '2', '3', '4']);
});

it('lets those behind go when one that was to ask has ended instead', async () => {
  const { going, add, end, ask, slowDown, endBefore } = open();
  await add('pair', '1', '2', '3');
  slowDown();
  await end('1', WAITS);
  await ask('3');
  endBefore('2');
  await ask('2');
  await ask('3');
  expect(going).toEqual(['1', '3']);
});

it('lets an earlier one go beside, and later ones wait for both', async () => {
  const { going, add, end } = open();
  await add('pair', '2');
  await add('pair', '1');
  await add('pair', '3');
  expect(going).toEqual(['2', '1']);
  await end('2', ENDED);
  expect(going).toEqual(['2', '1']);
  await end('1', ENDED);
  expect(going).toEqual(['2', '1', '3']);
});

it('holds nothing back for one that came ten minutes ago, or in what is the future now', async () => {
  const clock = manualClock(0);
  const { going, add } = open(clock, { 1: 0, 2: 9 * MINUTE, 3: 10 * MINUTE, 5: 20 * MINUTE });
  await add('pair', '1', '2');
  clock.advance(10 * MINUTE);
  await add('pair', '3');
  // Those that wait already keep their order.
  expect(going).toEqual(['1']);
  await add('put back', '5');
  await add('put back', '6');
  expect(going).toEqual(['1', '5', '6']);
});
