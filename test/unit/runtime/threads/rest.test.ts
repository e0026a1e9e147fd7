// When a thread gives memory back: after a minute of rest, and not for little.
import { expect, it } from 'vitest';
import type { LogLine } from '#runtime/log-throttle.ts';
import { type Heap, openHeap, startResting } from '#runtime/threads/rest.ts';
import { manualClock } from '../../../support/clock.ts';

const MIB = 2 ** 20;
const MINUTE_MS = 60_000;
const LOOK_EVERY_MS = 10_000;

/** A heap that a test fills; right after it is collected, most of it is still in reserve. */
function scripted(): { heap: Heap; seen: { taken: number; busy: number; collected: number } } {
  const seen = { taken: 100 * MIB, busy: 0, collected: 0 };
  const collect = (): void => {
    seen.collected++;
    seen.taken = 90 * MIB;
  };
  return { seen, heap: { taken: () => seen.taken, busyShare: () => seen.busy, collect } };
}

function resting() {
  const clock = manualClock();
  const { heap, seen } = scripted();
  const told: string[] = [];
  const tell = ({ event }: LogLine): void => void told.push(event);
  const rest = startResting({ clock, heap, log: { debug: tell, info: tell, warn: tell, error: tell } });
  async function look(): Promise<number> {
    clock.advance(LOOK_EVERY_MS);
    await new Promise((turn) => setImmediate(turn));
    return seen.collected;
  }
  async function minute(): Promise<number> {
    for (let at = 0; at < MINUTE_MS; at += LOOK_EVERY_MS) await look();
    return seen.collected;
  }
  return { seen, told, rest, look, minute };
}

it('it collects after a minute of rest, twice, and again when the heap has grown', async () => {
  const { seen, minute } = resting();
  expect(await minute()).toBe(1);
  seen.taken = 40 * MIB;
  expect(await minute()).toBe(2);
  seen.taken = 30 * MIB;
  expect(await minute()).toBe(2);
  seen.taken = 45 * MIB;
  expect(await minute()).toBe(2);
  seen.taken = 47 * MIB;
  expect(await minute()).toBe(3);
  expect(await minute()).toBe(4);
  expect(await minute()).toBe(4);
});

it('a thread that is busy again is not collected for the second time', async () => {
  const { seen, minute } = resting();
  expect(await minute()).toBe(1);
  seen.busy = 0.2;
  expect(await minute()).toBe(1);
  seen.busy = 0;
  expect(await minute()).toBe(1);
});

it('tells once, and again after work, that nothing is left to give back', async () => {
  const { seen, told, minute } = resting();
  const collected = 'rest.collected';
  for (let at = 0; at < 4; at++) await minute();
  expect(told).toEqual([collected, collected, 'rest.reached']);
  seen.busy = 0.2;
  await minute();
  seen.busy = 0;
  await minute();
  await minute();
  expect(told).toEqual([collected, collected, 'rest.reached', 'rest.reached']);
  seen.taken = 200 * MIB;
  await minute();
  expect(told.slice(4)).toEqual([collected]);
});

it('a busy thread is left alone', async () => {
  const { seen, minute } = resting();
  seen.busy = 0.05;
  expect(await minute()).toBe(0);
  seen.busy = 0.03;
  expect(await minute()).toBe(1);
});

it('a thread that works for a moment of the minute rests, and one that works for a part of it, or now, does not', async () => {
  const { seen, look } = resting();
  for (const busy of [0, 0.2, 0.2, 0, 0, 0, 0, 0, 0, 0, 0, 0.2, 0, 0, 0.2, 0, 0, 0]) {
    expect(seen.collected).toBe(0);
    seen.busy = busy;
    await look();
  }
  expect(seen.collected).toBe(1);
});

it('nothing more once it is disposed of', async () => {
  const { rest, minute } = resting();
  rest[Symbol.dispose]();
  expect(await minute()).toBe(0);
});

it("this thread's heap finds what nothing refers to", async () => {
  const heap = openHeap();
  const litter = new WeakRef({ referredTo: 'by nothing' });
  // Within one turn V8 keeps it.
  await new Promise((turn) => setImmediate(turn));
  heap.collect();
  expect(litter.deref()).toBeUndefined();
  expect(heap.taken()).toBeGreaterThan(MIB);
});

it('a share of the time', () => {
  const heap = openHeap();
  heap.busyShare();
  for (const until = performance.now() + 20; performance.now() < until; ) Math.random();
  expect(heap.busyShare()).toBeGreaterThan(0.5);
});
