// Homes take turns: however many files of one wait, another's first is never far from its turn.
import { expect, test } from 'vitest';
import { openRota, type Rota } from '#gateway/submit/scheduler.ts';
import { manualClock } from '../../../support/clock.ts';

interface World {
  readonly rota: Rota;
  readonly begun: string[];
  end(id: string): Promise<void>;
}

function start(slots: number, clock = manualClock()): World {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const rota = openRota(clock, slots, (id) => {
    begun.push(id);
    return new Promise((resolve) => ends.set(id, resolve));
  });
  return {
    rota,
    begun,
    async end(id) {
      ends.get(id)?.();
      await new Promise((turn) => setImmediate(turn));
    },
  };
}

test('one home alone leaves a quarter of the slots; the next one begins at once, whatever waits', () => {
  const { rota, begun } = start(32);
  for (let index = 0; index < 10_000; index++) rota.add('large', `large-${index}`);
  expect(begun).toHaveLength(24);
  rota.add('small', 'small-0');
  expect(begun.at(-1)).toBe('small-0');
});

test('two homes take turns, each in its own order', async () => {
  const { rota, begun, end } = start(1);
  for (const id of ['a1', 'a2', 'a3']) rota.add('a', id);
  for (const id of ['b1', 'b2']) rota.add('b', id);
  for (const id of ['a1', 'a2', 'b1', 'a3', 'b2']) await end(id);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

test('what is added twice stands in line once; while it is being worked on, it comes again after that', async () => {
  const { rota, begun, end } = start(1);
  for (const id of ['a1', 'a2', 'a2', 'a1']) rota.add('a', id);
  for (const id of ['a1', 'a2', 'a1']) await end(id);
  expect(begun).toEqual(['a1', 'a2', 'a1']);
});

test('what stands in a line or is being worked on is known, and needs no home to be named again', async () => {
  const { rota, begun, end } = start(1);
  expect(rota.addAgain('a1')).toBe(false);
  for (const id of ['a1', 'a2']) rota.add('a', id);
  expect([rota.addAgain('a1'), rota.addAgain('a2')]).toEqual([true, true]);
  for (const id of ['a1', 'a2']) await end(id);
  expect(rota.addAgain('a2')).toBe(false);
  await end('a1');
  expect(rota.addAgain('a1')).toBe(false);
  expect(begun).toEqual(['a1', 'a2', 'a1']);
});

test('what turns out to be another’s goes to the end of that one’s line, and has its turns with it', async () => {
  const { rota, begun, end } = start(1);
  for (const id of ['p1', 'p2', 'p3']) rota.add('pool', id);
  rota.add('b', 'b1');
  rota.move('a', 'p1');
  await end('p1');
  expect(rota.addAgain('p1')).toBe(true);
  rota.move('b', 'p2');
  for (const id of ['p2', 'b1', 'p1']) await end(id);
  expect(begun).toEqual(['p1', 'p2', 'b1', 'p1', 'p3']);
  await end('p3');
  expect(begun.at(-1)).toBe('p2');
});

test('a line that ends lets the next one begin', async () => {
  const { rota, begun, end } = start(4);
  rota.add('pool', 'p1');
  rota.move('a', 'p1');
  await end('p1');
  expect(begun).toEqual(['p1', 'p1']);
});

test('what is moved is not forgotten when others come before its work ends', async () => {
  const { rota, begun, end } = start(4);
  rota.add('pool', 'p1');
  rota.move('a', 'p1');
  rota.add('pool', 'p2');
  await end('p1');
  expect(begun).toEqual(['p1', 'p2', 'p1']);
});

test('a line that rests goes on as it stood, and holds up no other', async () => {
  const clock = manualClock();
  const { rota, begun, end } = start(2, clock);
  for (const id of ['a1', 'a2', 'a3']) rota.add('a', id);
  expect(begun).toEqual(['a1', 'a2']);
  rota.rest('a', 'a2', 60_000);
  rota.rest('a', 'a1', 60_000);
  await end('a1');
  await end('a2');
  rota.add('b', 'b1');
  await end('b1');
  clock.advance(59_999);
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  clock.advance(1);
  await end('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a1', 'a2', 'a3']);
});

test('what stands aside is known, and comes before the others as soon as it is called, the oldest first', async () => {
  const { rota, begun, end } = start(1);
  for (const id of ['a1', 'a2', 'a3', 'a4']) rota.add('a', id);
  for (const id of ['a1', 'a2']) {
    rota.standAside(id);
    await end(id);
  }
  expect(rota.addAgain('a1')).toBe(true);
  rota.call('a2');
  rota.call('a1');
  for (const id of ['a3', 'a1', 'a2', 'a4']) await end(id);
  expect(begun).toEqual(['a1', 'a2', 'a3', 'a1', 'a2', 'a4']);
});

test('what is called before it has stepped aside does not stay there', async () => {
  const { rota, begun, end } = start(1);
  for (const id of ['a1', 'a2']) rota.add('a', id);
  rota.standAside('a1');
  rota.call('a1');
  await end('a1');
  expect(begun).toEqual(['a1', 'a1']);
});

test('what is put first goes before those that have not had their turn, even while it is being worked on', async () => {
  const { rota, begun, end } = start(1);
  for (const id of ['a1', 'a2', 'a3']) rota.add('a', id);
  rota.addFirst('a', 'a4');
  await end('a1');
  rota.addFirst('a', 'a4');
  await end('a4');
  expect(begun).toEqual(['a1', 'a4', 'a4']);
});

test('while a thousand of a home stand aside none is begun that has not had its turn, until one is called', async () => {
  const { rota, begun, end } = start(1);
  const ids = Array.from({ length: 1_002 }, (_, index) => `a${String(index).padStart(4, '0')}`);
  for (const id of ids) rota.add('a', id);
  for (const id of ids.slice(0, 1_000)) {
    rota.standAside(id);
    await end(id);
  }
  expect(begun).toHaveLength(1_000);
  rota.add('b', 'b1');
  await end('b1');
  rota.call('a0000');
  await end('a0000');
  expect(begun.slice(1_000)).toEqual(['b1', 'a0000', 'a1000']);
});

test('closing waits for what has begun, and begins nothing more', async () => {
  const { rota, begun, end } = start(1);
  for (const id of ['a1', 'a2']) rota.add('a', id);
  let closed = false;
  const closing = rota.close().then(() => (closed = true));
  await Promise.resolve();
  expect(closed).toBe(false);
  await end('a1');
  await closing;
  expect(begun).toEqual(['a1']);
});
