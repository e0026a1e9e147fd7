// Ids that come due, by one timer: in order, once, the earlier of two times, and whatever becomes of the clock.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { DueTimes } from '#engines/memory/due-times.ts';
import type { Clock } from '#runtime/clock.ts';
import { manualClock } from '../../../support/clock.ts';

it('each id comes once, at the earliest time that was planned, in the order of times', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 500_000 })), { maxLength: 80 }), (plans) => {
      const clock = manualClock();
      const begin = clock.now();
      const came: [string, number][] = [];
      using times = new DueTimes(clock, (id) => came.push([id, clock.now() - begin]));
      const earliest = new Map<string, number>();
      for (const [id, after] of plans) {
        times.plan(String(id), begin + after);
        earliest.set(String(id), Math.min(after, earliest.get(String(id)) ?? after));
      }
      clock.advance(500_000);
      expect(new Map(came)).toEqual(earliest);
      expect(came.map(([, at]) => at)).toEqual([...earliest.values()].sort((a, b) => a - b));
      expect(times.size).toBe(0);
    }),
  );
});

/** A clock that can be set, while its timers go on as they do. */
function settable() {
  const steady = manualClock();
  let set = 0;
  const clock: Clock = { now: () => steady.now() + set, after: steady.after };
  const change = (ms: number): void => {
    set += ms;
  };
  return { clock, steady, set: change };
}

it.each([
  ['back', -25 * 3_600_000],
  ['forward', 25 * 3_600_000],
])('a clock that is set %s by a day delays and hurries nothing by more than a minute', (_, by) => {
  const { clock, steady, set } = settable();
  const came: string[] = [];
  using times = new DueTimes(clock, (id) => came.push(id));
  for (let minute = 1; minute <= 10; minute++) times.plan(`before ${minute}`, clock.now() + minute * 60_000);
  set(by);
  times.plan('after', clock.now() + 5 * 60_000 + 1);
  const beside = (minute: number): void => {
    expect(came).toContain(`before ${minute - 1}`);
    expect(came).not.toContain(`before ${minute + 2}`);
  };
  steady.advance(2 * 60_000);
  beside(2);
  steady.advance(3 * 60_000);
  beside(5);
  steady.advance(10 * 60_000);
  expect(came).toHaveLength(11);
});

it('what is disposed of comes no more', () => {
  const clock = manualClock();
  const came: string[] = [];
  const times = new DueTimes(clock, (id) => came.push(id));
  times.plan('a', clock.now() + 10);
  times[Symbol.dispose]();
  clock.advance(100);
  expect(came).toEqual([]);
});
