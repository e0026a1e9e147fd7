// Room for so much at once, handed out in order.
import { expect, test } from 'vitest';
import { openCapacity } from '#runtime/capacity.ts';

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let is = false;
  void promise.then(() => (is = true));
  for (let turn = 0; turn < 10; turn++) await null;
  return is;
};

test('who finds no room waits for those before, and nobody overtakes', async () => {
  const capacity = openCapacity(10);
  const first = await capacity.take(6);
  const large = capacity.take(8);
  const small = capacity.take(1);
  expect([await settled(large), await settled(small)]).toEqual([false, false]);
  first[Symbol.dispose]();
  expect([await settled(large), await settled(small)]).toEqual([true, true]);
});

test('what is more than the whole goes alone, and room that is given back twice is given back once', async () => {
  const capacity = openCapacity(10);
  const all = await capacity.take(1_000);
  const next = capacity.take(10);
  const last = capacity.take(1);
  expect(await settled(next)).toBe(false);
  all[Symbol.dispose]();
  all[Symbol.dispose]();
  expect([await settled(next), await settled(last)]).toEqual([true, false]);
});
