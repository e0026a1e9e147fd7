// When a gateway may rely on rings, and how seldom it asks then.
import { describe, expect, it } from 'vitest';
import { BellCoverage } from '#gateway/service/bell-coverage.ts';
import { manualClock } from '../../../support/clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RESTS = { pollSilentMs: 10 * MINUTE, reconcileMs: 6 * HOUR };

function sure() {
  const clock = manualClock();
  const coverage = new BellCoverage(clock);
  let looks = 0;
  coverage.onDoubt(() => looks++);
  coverage.listening(true);
  coverage.answered('one');
  clock.advance(10 * MINUTE);
  expect(coverage.isSure).toBe(true);
  return { clock, coverage, looks: () => looks };
}

describe('Rings', () => {
  it('are relied upon when nothing was in doubt for ten minutes', () => {
    const clock = manualClock();
    const coverage = new BellCoverage(clock);
    coverage.listening(true);
    coverage.answered('one');
    clock.advance(10 * MINUTE - 1);
    expect(coverage.isSure).toBe(false);
    clock.advance(1);
    coverage.answered('one');
    expect(coverage.isSure).toBe(true);
  });

  it.each([
    ['an answer does not speak of them', (coverage: BellCoverage) => coverage.answered(undefined)],
    ['another core answers', (coverage: BellCoverage) => coverage.answered('two')],
    ['they cannot be heard', (coverage: BellCoverage) => coverage.listening(false)],
    ['they can be heard again', (coverage: BellCoverage) => coverage.listening(true)],
  ])('are in doubt when %s: everything is looked at once, and they are relied upon later', (_, happens) => {
    const { clock, coverage, looks } = sure();
    happens(coverage);
    happens(coverage);
    expect({ looks: looks(), isSure: coverage.isSure }).toEqual({ looks: 1, isSure: false });
    coverage.listening(true);
    coverage.answered('one');
    clock.advance(10 * MINUTE);
    expect(coverage.isSure).toBe(true);
  });

  it('of a service that never speaks of them are never relied upon', () => {
    const clock = manualClock();
    const coverage = new BellCoverage(clock);
    coverage.listening(true);
    for (let minutes = 0; minutes < 100; minutes++) {
      clock.advance(MINUTE);
      coverage.answered(undefined);
      expect(coverage.isSure).toBe(false);
    }
  });

  it('make few feeds rest no longer than without them, and many for hours', () => {
    const { coverage } = sure();
    expect([8, 80, 80_000].map((feeds) => coverage.restMs(feeds, RESTS))).toEqual([10 * MINUTE, 40 * MINUTE, 6 * HOUR]);
    coverage.answered(undefined);
    expect(coverage.restMs(80_000, RESTS)).toBe(10 * MINUTE);
  });
});
