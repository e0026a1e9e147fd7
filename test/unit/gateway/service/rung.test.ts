// When a gateway may rely on rings, and how seldom it asks then.
import { describe, expect, it } from 'vitest';
import { Rung } from '#gateway/service/rung.ts';
import { manualClock } from '../../../support/clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RESTS = { pollSilentMs: 10 * MINUTE, reconcileMs: 6 * HOUR };

function sure() {
  const clock = manualClock();
  const rung = new Rung(clock);
  let looks = 0;
  rung.onDoubt(() => looks++);
  rung.listening(true);
  rung.answered('one');
  clock.advance(10 * MINUTE);
  expect(rung.isSure).toBe(true);
  return { clock, rung, looks: () => looks };
}

describe('Rings', () => {
  it('are relied upon when nothing was in doubt for ten minutes', () => {
    const clock = manualClock();
    const rung = new Rung(clock);
    rung.listening(true);
    rung.answered('one');
    clock.advance(10 * MINUTE - 1);
    expect(rung.isSure).toBe(false);
    clock.advance(1);
    rung.answered('one');
    expect(rung.isSure).toBe(true);
  });

  it.each([
    ['an answer does not speak of them', (rung: Rung) => rung.answered(undefined)],
    ['another core answers', (rung: Rung) => rung.answered('two')],
    ['they cannot be heard', (rung: Rung) => rung.listening(false)],
    ['they can be heard again', (rung: Rung) => rung.listening(true)],
  ])('are in doubt when %s: everything is looked at once, and they are relied upon later', (_, happens) => {
    const { clock, rung, looks } = sure();
    happens(rung);
    happens(rung);
    expect({ looks: looks(), isSure: rung.isSure }).toEqual({ looks: 1, isSure: false });
    rung.listening(true);
    rung.answered('one');
    clock.advance(10 * MINUTE);
    expect(rung.isSure).toBe(true);
  });

  it('of a service that never speaks of them are never relied upon', () => {
    const clock = manualClock();
    const rung = new Rung(clock);
    rung.listening(true);
    for (let minutes = 0; minutes < 100; minutes++) {
      clock.advance(MINUTE);
      rung.answered(undefined);
      expect(rung.isSure).toBe(false);
    }
  });

  it('make few feeds rest no longer than without them, and many for hours', () => {
    const { rung } = sure();
    expect([8, 80, 80_000].map((feeds) => rung.restMs(feeds, RESTS))).toEqual([10 * MINUTE, 40 * MINUTE, 6 * HOUR]);
    rung.answered(undefined);
    expect(rung.restMs(80_000, RESTS)).toBe(10 * MINUTE);
  });
});
