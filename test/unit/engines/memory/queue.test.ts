// The queue in memory keeps the promises of the queue seam.
import { describe, expect, it } from 'vitest';
import { MemoryQueue } from '#engines/memory/queue.ts';
import { openLog } from '#runtime/log.ts';
import { manualClock } from '../../../support/clock.ts';

function start() {
  const clock = manualClock();
  const lines: string[] = [];
  const queue = new MemoryQueue(clock, openLog('info', { write: (line) => void lines.push(line) }));
  return { clock, lines, queue };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ring', () => {
  it('is answered, also when it came before the answer', async () => {
    const { queue } = start();
    const heard: string[] = [];
    queue.ring('submit', 'a');
    queue.answer('submit', 1, async (id) => void heard.push(id));
    queue.ring('submit', 'b');
    await turn();
    expect(heard).toEqual(['a', 'b']);
  });

  it('for what already waits is one ring; for what is being handled is one more, after it', async () => {
    const { queue } = start();
    const heard: string[] = [];
    let release = (): void => {};
    queue.answer('submit', 1, async (id) => {
      heard.push(id);
      if (heard.length === 1) await new Promise<void>((resolve) => (release = resolve));
    });
    for (const id of ['a', 'a', 'b', 'b', 'a']) queue.ring('submit', id);
    await turn();
    expect(heard).toEqual(['a']);
    release();
    await turn();
    expect(heard).toEqual(['a', 'b', 'a']);
  });

  it('with a time comes then, and the earliest time wins', async () => {
    const { queue, clock } = start();
    const heard: string[] = [];
    queue.answer('submit', 1, async (id) => void heard.push(id));
    queue.ring('submit', 'a', clock.now() + 5_000);
    queue.ring('submit', 'a', clock.now() + 1_000);
    queue.ring('submit', 'a', clock.now() + 9_000);
    clock.advance(999);
    expect(heard).toEqual([]);
    clock.advance(1);
    expect(heard).toEqual(['a']);
    clock.advance(60_000);
    expect(heard).toEqual(['a']);
  });
});

it('at most so many are handled at once', async () => {
  const { queue } = start();
  const releases: (() => void)[] = [];
  queue.answer('submit', 2, () => new Promise<void>((resolve) => releases.push(resolve)));
  for (const id of ['a', 'b', 'c']) queue.ring('submit', id);
  expect(releases).toHaveLength(2);
  releases[0]?.();
  await turn();
  expect(releases).toHaveLength(3);
});

it('a handler that throws is logged, and the next ring is answered', async () => {
  const { queue, lines } = start();
  let calls = 0;
  queue.answer('submit', 1, async () => {
    if (++calls === 1) throw new Error('no');
  });
  queue.ring('submit', 'a');
  await turn();
  queue.ring('submit', 'a');
  await turn();
  expect(calls).toBe(2);
  expect(lines.join()).toContain('queue.handler-failed');
});

it('an id whose handler throws rings again a moment later, until one comes to its end', async () => {
  const { queue, clock } = start();
  const heard: string[] = [];
  queue.answer('publish', 1, async (id) => {
    heard.push(id);
    if (heard.length < 3) throw new Error('the database is away');
  });
  queue.ring('publish', 'a');
  await turn();
  expect(heard).toEqual(['a']);
  for (let again = 0; again < 4; again++) {
    clock.advance(5_000);
    await turn();
  }
  expect(heard).toEqual(['a', 'a', 'a']);
});

it('close waits for what runs, and takes no more', async () => {
  const { queue, clock } = start();
  const heard: string[] = [];
  let release = (): void => {};
  queue.answer('submit', 1, async (id) => {
    heard.push(id);
    await new Promise<void>((resolve) => (release = resolve));
  });
  for (const id of ['a', 'b']) queue.ring('submit', id);
  queue.ring('submit', 'c', clock.now() + 10);
  let closed = false;
  const closing = queue.close().then(() => (closed = true));
  await turn();
  expect(closed).toBe(false);
  release();
  await closing;
  queue.ring('submit', 'd');
  clock.advance(100);
  await turn();
  expect(heard).toEqual(['a']);
});

it('thousands of ids whose handlers never wait leave the event loop its turns', async () => {
  const { queue } = start();
  let handled = 0;
  queue.answer('submit', 64, async () => void handled++);
  for (let id = 0; id < 10_000; id++) queue.ring('submit', `${id}`);
  await turn();
  expect(handled).toBeLessThan(1_000);
  while (handled < 10_000) await turn();
});
