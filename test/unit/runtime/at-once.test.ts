import { expect, it } from 'vitest';
import { atOnce } from '#runtime/at-once.ts';

it('so many run at a time, the others in the order of asking; one that fails gives its place on', async () => {
  const turn = atOnce(4);
  const begun: number[] = [];
  const ends = Array.from({ length: 12 }, () => Promise.withResolvers<void>());
  const works = ends.map(({ promise }, n) =>
    turn(async () => {
      begun.push(n);
      await promise;
      return n;
    }),
  );
  const settled = Promise.allSettled(works);
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);
  expect(begun).toEqual(upTo(4));
  ends[2]?.reject(new Error('it failed'));
  await expect(works[2]).rejects.toThrow('it failed');
  ends[0]?.resolve();
  await works[0];
  expect(begun).toEqual(upTo(6));
  for (const { resolve } of ends) resolve();
  expect((await settled).filter(({ status }) => status === 'fulfilled')).toHaveLength(11);
  expect(begun).toEqual(upTo(12));
});
