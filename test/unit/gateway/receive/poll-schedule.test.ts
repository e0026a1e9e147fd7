// When feeds are looked at: each has its own turns, active ones come sooner, and healthy webhooks spare polls.
import { describe, expect, it } from 'vitest';
import type { Feed } from '#gateway/model/feed.ts';
import { lastTurn } from '#gateway/model/share.ts';
import { Backoff } from '#gateway/receive/backoff.ts';
import { PollSchedule, type PollScheduleSettings } from '#gateway/receive/poll-schedule.ts';
import { NO_MARKS } from '#gateway/receive/read-marks.ts';
import { manualClock } from '../../../support/clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TIMED: PollScheduleSettings = { hinted: false, pollMs: MINUTE, pollSilentMs: 10 * MINUTE, reconcileMs: 6 * HOUR, bellCoverage: null };
const NOTHING = { hasNews: false, wentOn: false, hasCompared: false, hasQuarantined: false, marks: NO_MARKS };
const FEED = { accountRegNo: 'a', family: 'Invoice' } as const;

function open(settings: PollScheduleSettings = TIMED) {
  const clock = manualClock();
  return { clock, schedule: new PollSchedule(settings, clock) };
}

describe('turns', () => {
  it('of 80,000 feeds are spread over the time between two of one feed', () => {
    const perMinute = new Map<number, number>();
    const now = Date.parse('2026-11-21T10:00:00Z');
    for (let account = 0; account < 10_000; account++) {
      for (const family of [
        'Invoice',
        'CreditNote',
        'Order',
        'OrderResponse',
        'OrderChange',
        'OrderCancellation',
        'Catalogue',
        'DespatchAdvice',
      ]) {
        const turn = lastTurn(`55600${account} ${family}`, 6 * HOUR, now);
        expect(turn).toBeLessThanOrEqual(now);
        expect(turn).toBeGreaterThan(now - 6 * HOUR);
        const minute = Math.floor((now - turn) / MINUTE);
        perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1);
      }
    }
    // 222 in a minute on average.
    expect(perMinute.size).toBe(360);
    expect(Math.max(...perMinute.values())).toBeLessThan(320);
  });

  it('come every six hours for what is recent, once a day for what is deep, and at once after a start', () => {
    const { clock, schedule } = open();
    schedule.begin('a');
    const due = (deepAgo = 0) => schedule.due(FEED, { deepAt: clock.now() - deepAgo });
    const compared = () => schedule.pauseAfter(FEED, { ...NOTHING, hasCompared: true });
    expect(due()).toBe('recent');
    schedule.pauseAfter(FEED, NOTHING);
    expect(due()).toBe('recent');
    compared();
    clock.advance(1);
    expect(due()).toBeNull();
    expect(due(25 * HOUR)).toBe('deep');
    clock.advance(7 * HOUR);
    expect(due()).toBe('recent');
    compared();
    // A clock that has been put back: what was done tomorrow was not done.
    expect(due(-HOUR)).toBe('deep');
    clock.advance(-HOUR);
    expect(due()).toBe('recent');
    clock.advance(HOUR);
    expect(due()).toBeNull();
    // Others may have served it meanwhile.
    schedule.leave('a');
    schedule.begin('a');
    expect(due()).toBe('recent');
  });

  it('that were missed twice are noticed', () => {
    const { clock, schedule } = open();
    schedule.begin('a');
    clock.advance(12 * HOUR + 1);
    schedule.pauseAfter(FEED, { ...NOTHING, hasCompared: true });
    expect(schedule.neglected()).toHaveLength(7);
    expect(schedule.neglected()).not.toContainEqual(FEED);
    clock.advance(12 * HOUR + 1);
    expect(schedule.neglected()).toHaveLength(8);
    expect(schedule.neglected()).toContainEqual(FEED);
    schedule.leave('a');
    expect(schedule.neglected()).toEqual([]);
  });
});

describe('the next sweep', () => {
  it('comes after a minute for a feed that had something new within the hour, after ten for a silent one', () => {
    const { clock, schedule } = open();
    const pause = (hasNews: boolean) => schedule.pauseAfter(FEED, { ...NOTHING, hasNews });
    expect(pause(false)).toBe(10 * MINUTE);
    expect(pause(true)).toBe(MINUTE);
    clock.advance(59 * MINUTE);
    expect(pause(false)).toBe(MINUTE);
    clock.advance(2 * MINUTE);
    expect(pause(false)).toBe(10 * MINUTE);
  });

  it('comes after a quarter of an hour while hints come, and as before when a document came without one', () => {
    const { clock, schedule } = open();
    const pause = (hasNews = false) => schedule.pauseAfter(FEED, { ...NOTHING, hasNews });
    schedule.hinted('a');
    expect(pause()).toBe(15 * MINUTE);
    clock.advance(MINUTE);
    expect(pause(true)).toBe(15 * MINUTE);
    clock.advance(10 * MINUTE);
    expect(pause(true)).toBe(MINUTE);
    schedule.hinted('a');
    clock.advance(25 * HOUR);
    expect(pause()).toBe(10 * MINUTE);
  });

  it('of a service that rings is the next turn of the reconcile, unless something is stuck, or could not be marked, or is above where it went on', () => {
    const { clock, schedule } = open({ ...TIMED, hinted: true });
    const turn = lastTurn('a Invoice', 6 * HOUR, clock.now()) + 6 * HOUR;
    const lateMs = clock.now() + schedule.pauseAfter(FEED, NOTHING) - turn;
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(10_000);
    expect(schedule.pauseAfter(FEED, { ...NOTHING, hasQuarantined: true })).toBeLessThanOrEqual(15 * MINUTE);
    const failed = { ...NOTHING, marks: { moreInMs: 0, hasFailed: true } };
    expect(schedule.pauseAfter(FEED, failed)).toBeLessThanOrEqual(15 * MINUTE);
    expect(schedule.pauseAfter(FEED, { ...NOTHING, wentOn: true })).toBe(0);
  });
});

it('of very many feeds that are rung for reliably comes after hours', () => {
  const bellCoverage = { isSure: true, restMs: (feeds: number) => (feeds === 8_000 ? HOUR : 0) };
  const { clock, schedule } = open({ ...TIMED, bellCoverage });
  for (let account = 0; account < 1_001; account++) schedule.begin(`account-${account}`);
  schedule.leave('account-0');
  const pause = schedule.pauseAfter(FEED, NOTHING);
  const turn = lastTurn('a Invoice', HOUR, clock.now()) + HOUR - clock.now();
  expect(pause - turn).toBeGreaterThanOrEqual(0);
  expect(pause - turn).toBeLessThan(10_000);
  bellCoverage.isSure = false;
  expect(schedule.pauseAfter(FEED, NOTHING)).toBe(10 * MINUTE);
});

it('feeds that rest have their turns together, none before its own', () => {
  const { clock, schedule } = open({ ...TIMED, hinted: true });
  const feeds = Array.from({ length: 8_000 }, (_, index): Feed => ({ accountRegNo: `account-${index}`, family: 'Invoice' }));
  for (const { accountRegNo } of feeds) schedule.begin(accountRegNo);
  const turns = feeds.map((feed) => ({ feed, atMs: clock.now() + schedule.pauseAfter(feed, { ...NOTHING, hasCompared: true }) }));
  // Six hours have 2,160 times ten seconds.
  expect(new Set(turns.map(({ atMs }) => atMs)).size).toBeLessThanOrEqual(2_161);
  for (const { feed, atMs } of turns.sort((one, other) => one.atMs - other.atMs)) {
    clock.advance(atMs - clock.now());
    expect(schedule.due(feed, { deepAt: atMs }), feed.accountRegNo).toBe('recent');
  }
});

describe('after a failure', () => {
  const waits = (backoff: Backoff, times: number) => Array.from({ length: times }, () => backoff.add('a Invoice').waitMs / 1_000);

  it('a feed waits for half a minute at the most, doubled with each try in vain up to ten minutes', () => {
    const backoff = new Backoff();
    const [first = 0, second = 0, third = 0] = waits(backoff, 3);
    expect(first).toBeGreaterThanOrEqual(15);
    expect(first).toBeLessThanOrEqual(30);
    expect([second, third]).toEqual([expect.closeTo(2 * first, 1), expect.closeTo(4 * first, 1)]);
    expect(Math.max(...waits(backoff, 10))).toBeLessThanOrEqual(600);
    backoff.clear('a Invoice');
    expect(backoff.add('a Invoice')).toEqual({ waitMs: first * 1_000, times: 1 });
  });

  it('one that came further waits for a few seconds, and longer only with each try in vain', () => {
    const backoff = new Backoff();
    waits(backoff, 5);
    backoff.ease('a Invoice');
    const [first = 0, second = 0] = waits(backoff, 2);
    expect(first).toBeGreaterThan(1.5);
    expect(first).toBeLessThan(4);
    expect(second).toBeCloseTo(2 * first, 1);
  });

  it('feeds that failed together do not come again together', () => {
    const backoff = new Backoff();
    const at = Array.from({ length: 100 }, (_, index) => backoff.add(`account-${index} Invoice`).waitMs);
    expect(new Set(at).size).toBeGreaterThan(90);
  });
});
