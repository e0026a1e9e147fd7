// The budget believes the service's headers, assumes 30 a minute without them, and keeps a reserve for submits.
import { expect, it } from 'vitest';
import { HEADER } from '#contract/headers.ts';
import { Budget, type Purpose } from '#gateway/service/budget.ts';
import { manualClock } from '../../../support/clock.ts';

/** What an answer says of limits. */
const telling = (limit: number, remaining: number, resetSeconds: number) => ({
  headers: new Map([
    [HEADER.rateLimit, String(limit)],
    [HEADER.rateRemaining, String(remaining)],
    [HEADER.rateReset, String(resetSeconds)],
  ]),
});
const MINUTE = telling(30, 29, 60);

/** A request that is answered without a word about limits. */
async function request(budget: Budget, purpose: Purpose): Promise<number> {
  const waitMs = await budget.spend('a', purpose);
  if (waitMs === 0) budget.learn('a', null);
  return waitMs;
}

it('30 a minute are assumed, of which polls leave a fifth', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  let polls = 0;
  while ((await request(budget, 'poll')) === 0) polls++;
  expect(polls).toBe(24);
  let submits = 0;
  while ((await request(budget, 'submit')) === 0) submits++;
  expect(submits).toBe(6);
  expect(await budget.spend('a', 'submit')).toBe(62_000);
  expect(await budget.spend('b', 'submit')).toBe(0);
});

it('until the service has told its limits, a request waits for the answer to the one before', async () => {
  const budget = new Budget(manualClock());
  await budget.spend('a', 'submit');
  const went: string[] = [];
  const go = async (name: string): Promise<void> => {
    await budget.spend('a', 'submit');
    went.push(name);
  };
  const all = [go('second'), go('third'), go('fourth')];
  await Promise.resolve();
  expect(went).toEqual([]);
  budget.learn('a', null);
  await all[0];
  expect(went).toEqual(['second']);
  budget.learn('a', MINUTE);
  await Promise.all(all);
  expect(went).toEqual(['second', 'third', 'fourth']);
});

it('a service that refuses before it has told its limits does so once', async () => {
  const budget = new Budget(manualClock());
  await budget.spend('a', 'submit');
  const waiting = [budget.spend('a', 'submit'), budget.spend('a', 'submit')];
  budget.exhausted('a', 9_000);
  budget.learn('a', null);
  expect(await Promise.all(waiting)).toEqual([9_000, 9_000]);
});

it('a request that nobody told of any more holds up the others for minutes, not for ever', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  await budget.spend('a', 'submit');
  const waiting = budget.spend('a', 'submit');
  clock.advance(5 * 60_000);
  expect(await waiting).toBe(0);
});

it('whoever has lost patience takes no answer away from those who still wait', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  await budget.spend('a', 'submit');
  const impatient = budget.spend('a', 'submit');
  clock.advance(5 * 60_000);
  await impatient;
  const patient = budget.spend('a', 'submit');
  budget.learn('a', null);
  expect(await patient).toBe(0);
});

it('what the service says is the truth', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  await budget.spend('a', 'submit');
  budget.learn('a', telling(100, 2, 10));
  expect([await budget.spend('a', 'submit'), await budget.spend('a', 'submit')]).toEqual([0, 0]);
  expect(await budget.spend('a', 'submit')).toBe(10_000);
  clock.advance(10_000);
  expect(await budget.spend('a', 'submit')).toBe(0);
});

it('answers that come out of order never give back what is spent', async () => {
  const budget = new Budget(manualClock());
  await budget.spend('a', 'submit');
  budget.learn('a', telling(10, 9, 60));
  for (let index = 0; index < 4; index++) await budget.spend('a', 'submit');
  budget.learn('a', telling(10, 5, 60));
  budget.learn('a', telling(10, 8, 60));
  let left = 0;
  while ((await budget.spend('a', 'submit')) === 0) left++;
  expect(left).toBe(5);
});

it('what an answer says to be left is not left where others are under way: they may not have been counted yet', async () => {
  const budget = new Budget(manualClock());
  budget.learn('a', MINUTE);
  for (let index = 0; index < 5; index++) await budget.spend('a', 'submit');
  // The service has begun another window with one of the five.
  budget.learn('a', telling(10, 9, 30));
  let left = 0;
  while ((await budget.spend('a', 'submit')) === 0) left++;
  expect(left).toBe(5);
});

it('after a 429 nothing goes until its time is over', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  budget.exhausted('a', 7_000);
  expect(await budget.spend('a', 'submit')).toBe(7_000);
  clock.advance(7_000);
  expect(await budget.spend('a', 'submit')).toBe(0);
});

it('what is given back after a 429 is not spent before its time is over', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  budget.learn('a', MINUTE);
  for (let request = 0; request < 2; request++) await budget.spend('a', 'submit');
  budget.learn('a', null);
  budget.exhausted('a', 7_000);
  budget.giveBack('a', 1);
  expect(await budget.spend('a', 'submit')).toBe(7_000);
});

it('a clock that is put back by a day does not make the account wait for it', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  budget.exhausted('a', 7_000);
  clock.advance(-25 * 3_600_000);
  expect(await budget.spend('a', 'submit')).toBe(0);
});

it('of several requests all are spent or none, and what is not needed is free again in a moment', async () => {
  const budget = new Budget(manualClock());
  budget.learn('a', telling(10, 6, 60));
  expect(await budget.spend('a', 'submit', 4)).toBe(0);
  expect(await budget.spend('a', 'submit', 4)).toBe(1_000);
  budget.giveBack('a', 2);
  expect(await budget.spend('a', 'submit', 4)).toBe(0);
  expect(await budget.spend('a', 'submit')).toBe(60_000);
});

it('more requests than a window has are spent of a whole one', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  budget.learn('a', telling(3, 2, 60));
  expect(await budget.spend('a', 'submit', 4)).toBe(60_000);
  clock.advance(60 * 1_000);
  expect(await budget.spend('a', 'submit', 4)).toBe(0);
});

it('what a submit waits for is left to it, in the next window as well, and not for ever', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  budget.learn('a', telling(5, 3, 60));
  expect(await budget.spend('a', 'submit', 4)).toBe(60_000);
  const polls = async (): Promise<number> => {
    let made = 0;
    while ((await request(budget, 'poll')) === 0) made++;
    return made;
  };
  expect(await polls()).toBe(0);
  clock.advance(60_000);
  expect(await polls()).toBe(1);
  expect(await budget.spend('a', 'submit', 4)).toBe(0);
  budget.giveBack('a', 4);
  expect(await polls()).toBe(3);

  expect(await budget.spend('a', 'submit', 4)).toBe(62_000);
  clock.advance(3 * 62_000);
  expect(await polls()).toBe(4);
});

it('a reset that is told as a moment, in seconds since 1970, is waited for no longer than until then', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  await budget.spend('a', 'submit');
  budget.learn('a', telling(1, 0, Math.ceil(clock.now() / 1_000) + 30));
  const waitMs = await budget.spend('a', 'submit');
  expect(waitMs).toBeGreaterThan(29_000);
  expect(waitMs).toBeLessThanOrEqual(31_000);
});

it('answers that were under way when a 429 came open nothing before its time', async () => {
  const clock = manualClock();
  const budget = new Budget(clock);
  await budget.spend('a', 'submit');
  budget.learn('a', MINUTE);
  for (let sent = 0; sent < 3; sent++) await budget.spend('a', 'submit');
  budget.learn('a', MINUTE);
  budget.exhausted('a', 120_000);
  // These went out before it, and say what the service counted then.
  for (let answered = 0; answered < 2; answered++) budget.learn('a', telling(30, 25, 10));
  expect(await budget.spend('a', 'submit')).toBe(120_000);
  clock.advance(120_000);
  expect(await budget.spend('a', 'submit')).toBe(0);
});
