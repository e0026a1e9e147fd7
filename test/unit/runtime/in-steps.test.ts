// Work in small steps: between two of them it rests, the longer the longer the step took.
import { expect, it, onTestFinished } from 'vitest';
import { repeatInSteps } from '#runtime/in-steps.ts';
import { calm } from '../../support/calm.ts';
import { manualClock } from '../../support/clock.ts';

it.each([
  ['a quick step', 3, 100],
  ['a slow one', 80, 800],
  ['one during which somebody set the clock', 3_600_000, 5_000],
])('after %s it rests as long as that asks for', async (_what, tookMs, restMs) => {
  const clock = manualClock();
  let steps = 0;
  async function* round(): AsyncGenerator<void> {
    for (;;) {
      clock.step(tookMs);
      steps++;
      yield;
    }
  }
  const work = repeatInSteps(clock, round, (error) => expect.unreachable(String(error)));
  onTestFinished(() => work[Symbol.asyncDispose]());
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await calm();
  };
  await pass(100);
  expect(steps).toBe(1);
  await pass(restMs - 1);
  expect(steps).toBe(1);
  await pass(1);
  expect(steps).toBe(2);
});

it('ends with the step that is under way, and rests no more', async () => {
  const clock = manualClock();
  const begun = Promise.withResolvers<void>();
  const step = Promise.withResolvers<void>();
  let ended = 0;
  async function* round(): AsyncGenerator<void> {
    for (;;) {
      begun.resolve();
      await step.promise;
      ended++;
      yield;
    }
  }
  const work = repeatInSteps(clock, round, (error) => expect.unreachable(String(error)));
  clock.advance(100);
  await begun.promise;
  const disposed = work[Symbol.asyncDispose]();
  step.resolve();
  await disposed;
  expect(ended).toBe(1);
});
