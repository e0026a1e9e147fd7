// One at a time in a lane, in the order of arrival, as long as each ends; what does not end leaves the order to the gate.
import { expect, test } from 'vitest';
import { openLanes } from '#gateway/submit/pairs.ts';

const MINUTE = 60_000;
const at = (item: string, receivedAt = 0) => ({ item, receivedAt });

test('each that has ended lets the next one go, in the order of arrival', () => {
  const lanes = openLanes(() => 0);
  expect(['1', '2', '3'].map((item) => lanes.enter('lane', at(item)))).toEqual([true, false, false]);
  expect([lanes.has('1'), lanes.has('2')]).toEqual([true, false]);
  expect(lanes.leave('1', true)).toEqual(['2']);
  expect(lanes.has('2')).toBe(true);
  // It comes to the gate now, and is let through.
  expect(lanes.enter('lane', at('2'))).toBe(true);
  expect(lanes.leave('2', true)).toEqual(['3']);
  expect(lanes.leave('3', true)).toEqual([]);
  expect(lanes.enter('lane', at('4'))).toBe(true);
});

test('lanes do not know each other', () => {
  const lanes = openLanes(() => 0);
  expect([lanes.enter('one', at('1')), lanes.enter('other', at('2'))]).toEqual([true, true]);
});

test('one that has not ended lets all of them go', () => {
  const lanes = openLanes(() => 0);
  for (const item of ['1', '2', '3']) lanes.enter('lane', at(item));
  expect(lanes.leave('1', false)).toEqual(['2', '3']);
  expect(lanes.has('2')).toBe(false);
});

test('one that came before goes beside, and whoever comes after waits for both', () => {
  const lanes = openLanes(() => 0);
  lanes.enter('lane', at('2'));
  expect(lanes.enter('lane', at('1'))).toBe(true);
  expect(lanes.enter('lane', at('3'))).toBe(false);
  expect(lanes.leave('2', true)).toEqual([]);
  expect(lanes.leave('1', true)).toEqual(['3']);
});

test('one that came ten minutes ago, or in what is the future now, holds up nobody, but those that wait keep their order', () => {
  let now = 0;
  const lanes = openLanes(() => now);
  lanes.enter('lane', at('1'));
  lanes.enter('lane', at('2', 9 * MINUTE));
  now = 10 * MINUTE;
  expect(lanes.enter('lane', at('3', now))).toBe(false);
  expect(lanes.enter('other', at('1'))).toBe(true);
  expect(lanes.enter('other', at('2'))).toBe(true);
  lanes.enter('put back', at('1', now + 10 * MINUTE));
  expect(lanes.enter('put back', at('2', now))).toBe(true);
});

test('what is not on its way lets nobody go', () => {
  const lanes = openLanes(() => 0);
  for (const item of ['1', '2']) lanes.enter('lane', at(item));
  expect(lanes.leave('2', false)).toEqual([]);
  expect(lanes.leave('1', true)).toEqual(['2']);
});
