import { describe, expect, it } from 'vitest';
import { forEachLimit, InOrder, KeyedMutex, Semaphore } from '#runtime/concurrency.ts';

const isSettled = async (promise: Promise<unknown>): Promise<boolean> => {
  let is = false;
  void promise.then(() => (is = true));
  for (let turn = 0; turn < 10; turn++) await null;
  return is;
};

const nextTurn = (): Promise<void> => new Promise((turn) => setImmediate(turn));

const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe('a semaphore', () => {
  it('lets nobody overtake those who wait for room', async () => {
    const semaphore = new Semaphore(10);
    const first = await semaphore.take(6);
    const large = semaphore.take(8);
    const small = semaphore.take(1);
    expect([await isSettled(large), await isSettled(small)]).toEqual([false, false]);
    first[Symbol.dispose]();
    expect([await isSettled(large), await isSettled(small)]).toEqual([true, true]);
  });

  it('lets more than the maximum go alone, and takes room back once only', async () => {
    const semaphore = new Semaphore(10);
    const all = await semaphore.take(1_000);
    const next = semaphore.take(10);
    const last = semaphore.take(1);
    expect(await isSettled(next)).toBe(false);
    all[Symbol.dispose]();
    all[Symbol.dispose]();
    expect([await isSettled(next), await isSettled(last)]).toEqual([true, false]);
  });

  it('runs so many at a time, the others in the order of asking; one that fails gives its place on', async () => {
    const semaphore = new Semaphore(4);
    const begun: number[] = [];
    const ends = upTo(12).map(() => Promise.withResolvers<void>());
    const works = ends.map(({ promise }, n) =>
      semaphore.run(async () => {
        begun.push(n);
        await promise;
      }),
    );
    const settled = Promise.allSettled(works);
    expect(await isSettled(settled)).toBe(false);
    expect(begun).toEqual(upTo(4));
    ends[2]?.reject(new Error('it failed'));
    await expect(works[2]).rejects.toThrow('it failed');
    ends[0]?.resolve();
    expect(await isSettled(settled)).toBe(false);
    expect(begun).toEqual(upTo(6));
    for (const { resolve } of ends) resolve();
    expect((await settled).filter(({ status }) => status === 'fulfilled')).toHaveLength(11);
    expect(begun).toEqual(upTo(12));
  });
});

it('works in order begin at once, and none ends before those that were begun earlier, also where one of them fails', async () => {
  const order = new InOrder();
  const begun: number[] = [];
  const ended: number[] = [];
  const ends = upTo(4).map(() => Promise.withResolvers<void>());
  const works = ends.map(({ promise }, n) =>
    order
      .run(async () => {
        begun.push(n);
        await promise;
      })
      .finally(() => ended.push(n)),
  );
  const settled = Promise.allSettled(works);
  expect(begun).toEqual(upTo(4));
  ends[3]?.resolve();
  ends[1]?.reject(new Error('it failed'));
  await nextTurn();
  expect(ended).toEqual([]);
  ends[0]?.resolve();
  await nextTurn();
  expect(ended).toEqual([0, 1]);
  ends[2]?.resolve();
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(ended).toEqual(upTo(4));
});

it('a keyed mutex runs one work after the other for each key, also after one that failed', async () => {
  const mutex = new KeyedMutex();
  const course: string[] = [];
  const gate = Promise.withResolvers<void>();
  const act = (name: string, wait?: Promise<void>) => async (): Promise<string> => {
    course.push(`${name} begins`);
    await wait;
    course.push(`${name} ends`);
    if (name === 'a1') throw new Error('a1');
    return name;
  };
  const all = [mutex.run('a', act('a1', gate.promise)), mutex.run('a', act('a2')), mutex.run('b', act('b1'))];
  await all[2];
  expect(course).toEqual(['a1 begins', 'b1 begins', 'b1 ends']);
  gate.resolve();
  expect(await Promise.allSettled(all)).toMatchObject([{ status: 'rejected' }, { value: 'a2' }, { value: 'b1' }]);
  expect(course.slice(3)).toEqual(['a1 ends', 'a2 begins', 'a2 ends']);
});

describe('forEachLimit', () => {
  it('works on all in order, so many at once', async () => {
    const begun: number[] = [];
    let running = 0;
    let most = 0;
    await forEachLimit(upTo(20), 3, async (n) => {
      begun.push(n);
      most = Math.max(most, ++running);
      await null;
      running--;
    });
    expect([begun, most]).toEqual([upTo(20), 3]);
  });

  it('begins no more after an error, and throws the first one when all that has begun has ended', async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const working = forEachLimit(upTo(20), 2, async (n) => {
      begun.push(n);
      await null;
      if (n === 0) throw new Error('the first');
      await null;
      ended.push(n);
    });
    await expect(working).rejects.toThrow('the first');
    expect([begun, ended]).toEqual([[0, 1], [1]]);
  });
});
