// Work that is done seldom, however many ask for it.
import { expect, it } from 'vitest';
import { seldom } from '#runtime/seldom.ts';
import { manualClock } from '../../support/clock.ts';

it('is done once in its time, for all who ask', async () => {
  const clock = manualClock();
  let times = 0;
  const ask = seldom(clock, 1_000, async () => ++times);
  expect(await Promise.all([ask(), ask()])).toEqual([1, 1]);
  clock.advance(999);
  expect(await ask()).toBe(1);
  clock.advance(1);
  expect(await ask()).toBe(2);
});

it('rests for long when it took long, and no longer than ten seconds', async () => {
  const clock = manualClock();
  let times = 0;
  let tookMs = 200;
  const ask = seldom(clock, 1_000, async () => {
    clock.advance(tookMs);
    return ++times;
  });
  await ask();
  clock.advance(3_999);
  expect(await ask()).toBe(1);
  clock.advance(1);
  tookMs = 60_000;
  expect(await ask()).toBe(2);
  clock.advance(9_999);
  expect(await ask()).toBe(2);
  clock.advance(1);
  expect(await ask()).toBe(3);
});

it('is done anew when the clock was put back, and after it has failed', async () => {
  const clock = manualClock();
  let times = 0;
  const ask = seldom(clock, 1_000, async () => {
    if (++times === 1) throw new Error('no');
    return times;
  });
  await expect(ask()).rejects.toThrow('no');
  await expect(ask()).rejects.toThrow('no');
  clock.advance(1_000);
  expect(await ask()).toBe(2);
  clock.step(-3_600_000);
  expect(await ask()).toBe(3);
});
