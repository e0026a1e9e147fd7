// What was used recently is kept, up to a weight.
import { expect, test } from 'vitest';
import { keepRecent } from '#runtime/recent.ts';

test('what was used longest ago goes first', () => {
  const recent = keepRecent<string>(3, (value) => value.length);
  for (const key of ['a', 'b', 'c']) recent.put(key, key);
  expect(recent.get('a')).toBe('a');
  recent.put('d', 'd');
  expect(['a', 'b', 'c', 'd'].map((key) => recent.get(key))).toEqual(['a', undefined, 'c', 'd']);
});

test('what is taken is no longer kept, and leaves its room to others', () => {
  const recent = keepRecent<string>(3, (value) => value.length);
  recent.put('a', 'aa');
  recent.put('b', 'b');
  expect([recent.take('a'), recent.take('a'), recent.get('a')]).toEqual(['aa', undefined, undefined]);
  recent.put('c', 'cc');
  expect([recent.get('b'), recent.get('c')]).toEqual(['b', 'cc']);
});

test('what is heavier than all that may be kept pushes nothing out', () => {
  const recent = keepRecent<string>(3, (value) => value.length);
  recent.put('a', 'a');
  expect(recent.put('long', 'long')).toBe('long');
  expect(recent.get('long')).toBeUndefined();
  expect(recent.get('a')).toBe('a');
});

test('a value that is put again takes the place of the one before', () => {
  const recent = keepRecent<string>(3, (value) => value.length);
  recent.put('a', 'xx');
  recent.put('b', 'b');
  recent.put('a', 'yy');
  expect([recent.get('a'), recent.get('b')]).toEqual(['yy', 'b']);
});
