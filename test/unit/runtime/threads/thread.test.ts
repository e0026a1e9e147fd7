// Work in a thread: what a task finds or refuses comes back, a thread that fails is replaced, and nothing is left waiting.
import { expect, it, onTestFinished } from 'vitest';
import { openThread, REST_MS, type ThreadOptions } from '#runtime/threads/thread.ts';
import { manualClock } from '../../../support/clock.ts';
import type { TryTasks } from '../../../support/thread-worker.ts';

const entry = new URL('../../../support/thread-worker.ts', import.meta.url);

function open(options: Omit<ThreadOptions, 'entry'> = {}) {
  const lost: { cause: unknown; tasks: number }[] = [];
  const thread = openThread<TryTasks>({
    entry,
    ...options,
    lost: (cause, tasks) => lost.push({ cause, tasks }),
  });
  onTestFinished(() => thread.close());
  return { thread, lost };
}

it('answers each with its own, however many are asked at once', async () => {
  const { thread } = open();
  expect(await Promise.all([1, 2, 3].map((number) => thread.ask('double', number)))).toEqual([2, 4, 6]);
});

it('throws what a task refuses, with its facts, and goes on', async () => {
  const { thread, lost } = open();
  await expect(thread.ask('refuse', 'not this one')).rejects.toMatchObject({
    code: 'invalid',
    message: 'not this one',
    facts: { told: true },
  });
  expect(await thread.ask('double', 4)).toBe(8);
  expect(lost).toEqual([]);
});

it('is replaced when it fails, and whoever waited for it is told', async () => {
  const { thread, lost } = open();
  const asked = await Promise.allSettled([thread.ask('fail', null), thread.ask('double', 1)]);
  expect(asked).toMatchObject([{ reason: { code: 'internal' } }, { reason: { code: 'internal' } }]);
  expect(lost).toEqual([{ cause: expect.objectContaining({ message: 'no refusal' }), tasks: 2 }]);
  expect(await thread.ask('double', 5)).toBe(10);
});

it('tells whoever waits that it was closed', async () => {
  const { thread, lost } = open();
  const asked = Promise.allSettled([thread.ask('double', 1), thread.ask('double', 2)]);
  await thread.close();
  for (const { status } of await asked) expect(status).toBe('rejected');
  await expect(thread.ask('double', 3)).rejects.toMatchObject({ code: 'internal' });
  expect(lost).toEqual([]);
});

it('ends when no task has come for long, and begins anew with the next one', async () => {
  const clock = manualClock();
  const { thread, lost } = open({ clock });
  const first = await thread.ask('which', null);
  clock.advance(REST_MS - 1);
  expect(await thread.ask('which', null)).toBe(first);
  clock.advance(REST_MS - 1);
  expect(await thread.ask('which', null)).toBe(first);
  clock.advance(REST_MS);
  expect(await thread.ask('which', null)).not.toBe(first);
  expect(lost).toEqual([]);
});

it('answers what is asked while it ends, and does not end while something is asked', async () => {
  const clock = manualClock();
  const { thread, lost } = open({ clock });
  await thread.ask('double', 1);
  const whileAsked = thread.ask('double', 2);
  clock.advance(REST_MS);
  expect(await whileAsked).toBe(4);
  clock.advance(REST_MS);
  expect(await Promise.all([3, 4, 5].map((number) => thread.ask('double', number)))).toEqual([6, 8, 10]);
  expect(lost).toEqual([]);
});
