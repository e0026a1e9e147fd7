import { expect, it } from 'vitest';
import { ownerOf } from '#gateway/nodes/rendezvous.ts';

const HOMES = Array.from({ length: 3_000 }, (_, at) => `home-${at}`);

it('shares the homes about evenly, and where a node goes or comes only its own change hands', () => {
  const names = ['a', 'b', 'c'];
  const before = new Map(HOMES.map((home) => [home, ownerOf(home, names)]));
  for (const name of names) {
    const share = HOMES.filter((home) => before.get(home) === name).length;
    expect(share).toBeGreaterThan(900);
    expect(share).toBeLessThan(1_100);
  }
  for (const home of HOMES) if (before.get(home) !== 'b') expect(ownerOf(home, ['c', 'a'])).toBe(before.get(home));
  expect(ownerOf('home', [])).toBeUndefined();
});
