// Accounts take turns: however many files of one wait, another's first is never far from its turn.
import { expect, it } from 'vitest';
import { type Course, FairScheduler } from '#gateway/submit/scheduler.ts';
import { manualClock } from '../../../support/clock.ts';

const PAUSED: Course = { next: 'paused', account: 'a', waitMs: 60_000 };

function start(slots: number, clock = manualClock()) {
  const begun: string[] = [];
  const ends = new Map<string, (course: Course) => void>();
  const scheduler = new FairScheduler(clock, slots, (id) => {
    begun.push(id);
    return new Promise((resolve) => ends.set(id, resolve));
  });
  return {
    scheduler,
    begun,
    add(account: string, ...ids: string[]): void {
      for (const id of ids) scheduler.enqueue(account, id);
    },
    async end(id: string, course: Course = { next: 'ended' }): Promise<void> {
      ends.get(id)?.(course);
      await new Promise((turn) => setImmediate(turn));
    },
  };
}

it('leaves a quarter of the slots free of one account alone; the next one begins at once, whatever waits', () => {
  const { add, begun } = start(32);
  for (let index = 0; index < 10_000; index++) add('large', `large-${index}`);
  expect(begun).toHaveLength(24);
  add('small', 'small-0');
  expect(begun.at(-1)).toBe('small-0');
});

it('lets two accounts take turns, each in its own order', async () => {
  const { add, begun, end } = start(1);
  add('a', 'a1', 'a2', 'a3');
  add('b', 'b1', 'b2');
  for (const id of ['a1', 'a2', 'b1', 'a3', 'b2']) await end(id);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

it('queues once what is added twice; an item that is rung for while it runs comes again', async () => {
  const { add, begun, end } = start(1);
  add('a', 'a1', 'a2', 'a2', 'a1');
  for (const id of ['a1', 'a2', 'a1']) await end(id);
  expect(begun).toEqual(['a1', 'a2', 'a1']);
});

it('knows what it has in hand, and needs no account to be named again', async () => {
  const { scheduler, add, begun, end } = start(1);
  expect(scheduler.ring('a1')).toBe(false);
  add('a', 'a1', 'a2');
  expect([scheduler.ring('a1'), scheduler.ring('a2')]).toEqual([true, true]);
  for (const id of ['a1', 'a2']) await end(id);
  expect(scheduler.ring('a2')).toBe(false);
  await end('a1');
  expect(scheduler.ring('a1')).toBe(false);
  expect(begun).toEqual(['a1', 'a2', 'a1']);
});

it('moves what turns out to be another account’s to the end of its queue', async () => {
  const { scheduler, add, begun, end } = start(1);
  add('pool', 'p1', 'p2', 'p3');
  add('b', 'b1');
  await end('p1', { next: 'moved', account: 'a' });
  expect(scheduler.ring('p1')).toBe(true);
  await end('p2', { next: 'moved', account: 'b' });
  for (const id of ['b1', 'p1']) await end(id);
  expect(begun).toEqual(['p1', 'p2', 'b1', 'p1', 'p3']);
  await end('p3');
  expect(begun.at(-1)).toBe('p2');
});

it('begins the only item of an account again when it was moved', async () => {
  const { add, begun, end } = start(4);
  add('pool', 'p1');
  add('pool', 'p2');
  await end('p1', { next: 'moved', account: 'a' });
  expect(begun).toEqual(['p1', 'p2', 'p1']);
});

it('goes on with an account that paused as it stood, and holds up no other', async () => {
  const clock = manualClock();
  const { add, begun, end } = start(2, clock);
  add('a', 'a1', 'a2', 'a3');
  expect(begun).toEqual(['a1', 'a2']);
  await end('a2', PAUSED);
  await end('a1', PAUSED);
  add('b', 'b1');
  await end('b1');
  clock.advance(59_999);
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  clock.advance(1);
  await end('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a1', 'a2', 'a3']);
});

it('ends all pauses when it is woken', async () => {
  const { scheduler, add, begun, end } = start(1);
  add('a', 'a1');
  await end('a1', PAUSED);
  scheduler.wake();
  expect(begun).toEqual(['a1', 'a1']);
});

it('makes no pause for what was seen before it was woken', async () => {
  const { scheduler, add, begun, end } = start(1);
  add('a', 'a1');
  scheduler.wake();
  await end('a1', PAUSED);
  expect(begun).toEqual(['a1', 'a1']);
  await end('a1', PAUSED);
  expect(begun).toEqual(['a1', 'a1']);
});

/** A scheduler whose items of the account `a` are all of one pair. */
function startPair(slots: number) {
  const world = start(slots, manualClock(0));
  const park = async (id: string): Promise<void> => {
    if (world.scheduler.startPair('pair', { item: id, receivedAt: 0 })) throw new Error(`${id} goes first`);
    await world.end(id, { next: 'pair' });
  };
  return { ...world, park };
}

it('puts what was parked for its pair before the others as soon as it may go, the oldest first', async () => {
  const { scheduler, add, begun, end, park } = startPair(4);
  add('a', 'a0', 'a1', 'a2', 'a3', 'a4');
  expect(begun).toEqual(['a0', 'a1', 'a2']);
  scheduler.startPair('pair', { item: 'a0', receivedAt: 0 });
  await park('a2');
  await park('a1');
  expect(begun).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
  expect(scheduler.ring('a1')).toBe(true);
  add('a', 'a5');
  await end('a0', { next: 'waits' });
  expect(begun.slice(5)).toEqual(['a1']);
});

it('does not park what was let go before its work had ended', async () => {
  const { scheduler, add, begun, end } = startPair(4);
  add('a', 'a0', 'a1');
  scheduler.startPair('pair', { item: 'a0', receivedAt: 0 });
  scheduler.startPair('pair', { item: 'a1', receivedAt: 0 });
  await end('a0');
  await end('a1', { next: 'pair' });
  expect(begun).toEqual(['a0', 'a1', 'a1']);
});

it('queues what is put in front before those that have not had their turn', async () => {
  const { scheduler, add, begun, end } = start(1);
  add('a', 'a1', 'a2', 'a3');
  scheduler.enqueue('a', 'a4', 'front');
  await end('a1');
  expect(begun).toEqual(['a1', 'a4']);
});

it('begins no further item of an account that has a thousand parked, until one of them may go', async () => {
  const { scheduler, add, begun, end, park } = startPair(2);
  const ids = Array.from({ length: 1_002 }, (_, index) => `a${String(index).padStart(4, '0')}`);
  add('a', ...ids);
  scheduler.startPair('pair', { item: 'a0000', receivedAt: 0 });
  for (const id of ids.slice(1, 1_001)) await park(id);
  expect(begun).toHaveLength(1_001);
  add('b', 'b1');
  await end('b1');
  await end('a0000');
  expect(begun.slice(1_001)).toEqual(['b1', 'a0001', 'a1001']);
});

it('waits for what has begun when it is closed, and begins nothing more', async () => {
  const { scheduler, add, begun, end } = start(1);
  add('a', 'a1', 'a2');
  let closed = false;
  const closing = scheduler.close().then(() => (closed = true));
  await Promise.resolve();
  expect(closed).toBe(false);
  await end('a1');
  await closing;
  expect(begun).toEqual(['a1']);
});
