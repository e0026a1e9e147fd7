import { expect, it } from 'vitest';
import { inGroups } from '#domain/groups.ts';

it('keeps the order, and the last group has the rest', () => {
  expect(inGroups([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(inGroups([1, 2], 2)).toEqual([[1, 2]]);
  expect(inGroups([], 2)).toEqual([]);
});
