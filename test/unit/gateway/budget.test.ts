// The budget believes the service's headers, assumes 30 a minute without them, and keeps a reserve for submits.
import { expect, test } from 'vitest';
import { openBudget } from '#gateway/budget.ts';
import { manualClock } from '../../support/clock.ts';

test('30 a minute are assumed, of which marks leave a half, and polls a fifth', () => {
  const clock = manualClock();
  const budget = openBudget(clock);
  let marks = 0;
  while (budget.spend('a', 'mark') === 0) marks++;
  expect(marks).toBe(15);
  let polls = marks;
  while (budget.spend('a', 'poll') === 0) polls++;
  expect(polls).toBe(24);
  let submits = 0;
  while (budget.spend('a', 'submit') === 0) submits++;
  expect(submits).toBe(6);
  expect(budget.spend('a', 'submit')).toBe(60_000);
  expect(budget.spend('b', 'submit')).toBe(0);
});

test('what the service says is the truth', () => {
  const clock = manualClock();
  const budget = openBudget(clock);
  budget.spend('a', 'submit');
  budget.learn('a', { limit: 100, remaining: 2, resetSeconds: 10 });
  expect([budget.spend('a', 'submit'), budget.spend('a', 'submit')]).toEqual([0, 0]);
  expect(budget.spend('a', 'submit')).toBe(10_000);
  clock.advance(10_000);
  expect(budget.spend('a', 'submit')).toBe(0);
});

test('answers that come out of order never give back what is spent', () => {
  const budget = openBudget(manualClock());
  budget.spend('a', 'submit');
  budget.learn('a', { limit: 10, remaining: 9, resetSeconds: 60 });
  for (let index = 0; index < 4; index++) budget.spend('a', 'submit');
  budget.learn('a', { limit: 10, remaining: 5, resetSeconds: 60 });
  budget.learn('a', { limit: 10, remaining: 8, resetSeconds: 60 });
  let left = 0;
  while (budget.spend('a', 'submit') === 0) left++;
  expect(left).toBe(5);
});

test('after a 429 nothing goes until its time is over', () => {
  const clock = manualClock();
  const budget = openBudget(clock);
  budget.exhausted('a', 7_000);
  expect(budget.spend('a', 'submit')).toBe(7_000);
  clock.advance(7_000);
  expect(budget.spend('a', 'submit')).toBe(0);
});
