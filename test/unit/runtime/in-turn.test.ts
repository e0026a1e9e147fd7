import { expect, it } from 'vitest';
import { openTurnstile } from '#runtime/in-turn.ts';

it('turns come one after the other for each key, and one that fails does not stop the next', async () => {
  const inTurn = openTurnstile();
  const course: string[] = [];
  const gate = Promise.withResolvers<void>();
  const act = (name: string, wait?: Promise<void>) => async (): Promise<string> => {
    course.push(`${name} begins`);
    await wait;
    course.push(`${name} ends`);
    if (name === 'a1') throw new Error('a1');
    return name;
  };
  const all = [inTurn('a', act('a1', gate.promise)), inTurn('a', act('a2')), inTurn('b', act('b1'))];
  await all[2];
  expect(course).toEqual(['a1 begins', 'b1 begins', 'b1 ends']);
  gate.resolve();
  expect(await Promise.allSettled(all)).toMatchObject([{ status: 'rejected' }, { value: 'a2' }, { value: 'b1' }]);
  expect(course.slice(3)).toEqual(['a1 ends', 'a2 begins', 'a2 ends']);
});
