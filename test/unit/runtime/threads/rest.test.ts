// When a thread gives memory back: after a minute of rest, and not for little.
import { expect, it } from 'vitest';
import { type Heap, openHeap, startResting } from '#runtime/threads/rest.ts';
import { manualClock } from '../../../support/clock.ts';

const MIB = 2 ** 20;
const MINUTE_MS = 60_000;

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
  const rest = startResting({ clock, heap });
  async function minute(): Promise<number> {
    clock.advance(MINUTE_MS);
    await new Promise((turn) => setImmediate(turn));
    return seen.collected;
  }
  return { clock, seen, rest, minute };
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

it('a busy thread is left alone', async () => {
  const { seen, minute } = resting();
  seen.busy = 0.2;
  expect(await minute()).toBe(0);
  seen.busy = 0.01;
  expect(await minute()).toBe(1);
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
