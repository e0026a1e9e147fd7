// What was used recently is kept, up to a weight.
import { expect, it } from 'vitest';
import { LruCache } from '#runtime/cache.ts';

it('what was used longest ago goes first', () => {
  const cache = new LruCache<string>(3, (value) => value.length);
  for (const key of ['a', 'b', 'c']) cache.put(key, key);
  expect(cache.get('a')).toBe('a');
  cache.put('d', 'd');
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual(['a', undefined, 'c', 'd']);
});

it('what is taken is no longer kept, and leaves its room to others', () => {
  const cache = new LruCache<string>(3, (value) => value.length);
  cache.put('a', 'aa');
  cache.put('b', 'b');
  expect([cache.take('a'), cache.take('a'), cache.get('a')]).toEqual(['aa', undefined, undefined]);
  cache.put('c', 'cc');
  expect([cache.get('b'), cache.get('c')]).toEqual(['b', 'cc']);
});

it('what is heavier than all that may be kept pushes nothing out', () => {
  const cache = new LruCache<string>(3, (value) => value.length);
  cache.put('a', 'a');
  expect(cache.put('long', 'long')).toBe('long');
  expect(cache.get('long')).toBeUndefined();
  expect(cache.get('a')).toBe('a');
});

it('a value that is put again takes the place of the one before', () => {
  const cache = new LruCache<string>(3, (value) => value.length);
  cache.put('a', 'xx');
  cache.put('b', 'b');
  cache.put('a', 'yy');
  expect([cache.get('a'), cache.get('b')]).toEqual(['yy', 'b']);
});
