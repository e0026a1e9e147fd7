import { describe, expect, it } from 'vitest';
import { memoryWindows } from '#engines/memory/windows.ts';
import { type ConnectionLimitSettings, openConnectionLimits } from '#gateway/sftp/auth/connection-limits.ts';
import { openBanList, WINDOW_SECONDS } from '#runtime/auth/ban-list.ts';

import { sourceOf } from '#runtime/networks.ts';
import { openRateLimit } from '#runtime/rate-limit.ts';
import { manualClock } from '../../../../support/clock.ts';
import { until } from '../../../../support/until.ts';

const SETTINGS: ConnectionLimitSettings = {
  unauthenticatedMax: 100,
  unauthenticatedPerAddressMax: 100,
  sessionsPerLoginMax: 20,
  arrivalsPerSecond: 5,
  arrivalsBurst: 20,
  allow: false,
  deny: false,
  exempt: false,
};

describe('servers that count penalties together', () => {
  it('ban an address for what it did at another one, from the next failed login on', async () => {
    const window = memoryWindows.open('penalties', WINDOW_SECONDS);
    const banned: string[] = [];
    const start = (name: string) =>
      openConnectionLimits(
        SETTINGS,
        manualClock(),
        (address) => banned.push(`${name} ${address}`),
        async (source, penaltyMs) => (await window.spend(source, penaltyMs)).points,
      );
    const [one, two] = [start('one'), start('two')];
    for (let n = 0; n < 3; n++) one.punish('192.0.2.7', 'failed-login');
    expect(banned).toEqual(['one 192.0.2.7']);
    expect(two.isBanned('192.0.2.7')).toBe(false);
    two.punish('192.0.2.8', 'failed-login');
    two.punish('192.0.2.7', 'failed-login');
    await until('the sum', () => two.isBanned('192.0.2.7'));
    expect(banned).toEqual(['one 192.0.2.7', 'two 192.0.2.7']);
    expect(two.isBanned('192.0.2.8')).toBe(false);
  });
});

describe('the ban list', () => {
  it('three failures that were counted together, with nothing forgiven, ban no address yet', () => {
    const bans = openBanList(manualClock());
    expect([bans.learn('a', 15_000), bans.isBanned('a'), bans.learn('a', 20_000), bans.isBanned('a')]).toEqual([false, false, true, true]);
  });

  it('adds penalties up, bans from 15 s on, and forgets them', () => {
    const clock = manualClock();
    const bans = openBanList(clock);
    expect([bans.punish('a', 5_000), bans.punish('a', 5_000), bans.isBanned('a')]).toEqual([false, false, false]);
    expect([bans.punish('a', 5_000), bans.isBanned('a'), bans.isBanned('b')]).toEqual([true, true, false]);
    clock.advance(14_999);
    expect(bans.isBanned('a')).toBe(true);
    clock.advance(1);
    expect(bans.isBanned('a')).toBe(false);
    bans.punish('a', 5_000);
    expect(bans.isBanned('a')).toBe(false);
  });

  it('forgets penalties while they add up: mistakes that are far apart ban no address', () => {
    const clock = manualClock();
    const bans = openBanList(clock);
    for (let n = 0; n < 100; n++) {
      expect(bans.punish('a', 5_000)).toBe(false);
      clock.advance(4_000);
      if (n % 3 === 2) clock.advance(6_000);
    }
  });

  it('bans for ten minutes at the most', () => {
    const clock = manualClock();
    const bans = openBanList(clock);
    for (let n = 0; n < 1_000; n++) bans.punish('a', 5_000);
    clock.advance(599_999);
    expect(bans.isBanned('a')).toBe(true);
    clock.advance(1);
    expect(bans.isBanned('a')).toBe(false);
  });

  it('forgets the address that was punished longest ago when there are too many', () => {
    const bans = openBanList(manualClock(), 2);
    for (const address of ['a', 'b', 'a', 'c']) bans.punish(address, 15_000);
    expect(['a', 'b', 'c'].map((address) => bans.isBanned(address))).toEqual([true, false, true]);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:1::5', '2001:db8:0:1::/64'],
    ['2001:DB8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['2001:db8:0:1:ffff:1:2:3', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['0:0:0:0:0:ffff:c000:201', '192.0.2.1'],
  ])('counts %s as %s', (address, source) => expect(sourceOf(address)).toBe(source));
});

describe('the rate limit', () => {
  it('is a burst, then so many a second, for each address', () => {
    const clock = manualClock();
    const rate = openRateLimit(clock, () => ({ perSecond: 5, burst: 20 }));
    const taken = (tries: number): number => Array.from({ length: tries }, () => rate.take('a')).filter(Boolean).length;
    expect(taken(30)).toBe(20);
    expect(rate.take('b')).toBe(true);
    clock.advance(1_000);
    expect(taken(30)).toBe(5);
    clock.advance(60_000);
    expect(taken(30)).toBe(20);
  });

  it('does not slow an address that logs in well', () => {
    const rate = openRateLimit(manualClock(), () => ({ perSecond: 5, burst: 20 }));
    for (let n = 0; n < 1_000; n++) {
      expect(rate.take('a')).toBe(true);
      rate.giveBack('a');
    }
  });
});

describe('connection limits', () => {
  const open = (settings: Partial<ConnectionLimitSettings> = {}, clock = manualClock()) => {
    const limits = openConnectionLimits({ ...SETTINGS, ...settings }, clock);
    const evicted: string[] = [];
    /** A queued connection counts as accepted. */
    const connect = (address: string): string => {
      const slot = limits.connect(address, () => evicted.push(address));
      return typeof slot === 'string' ? slot : 'accepted';
    };
    return { limits, connect, clock, evicted };
  };

  it('accept addresses that are allowed and not denied', () => {
    const { connect } = open({ allow: ['10.0.0.0/8', '2001:db8::/32'], deny: ['10.0.0.5'] });
    expect(['10.1.1.1', '10.0.0.5', '192.0.2.1', '2001:db8::1', '::1'].map(connect)).toEqual([
      'accepted',
      'denied',
      'not-allowed',
      'accepted',
      'not-allowed',
    ]);
    expect(open({ deny: ['10.0.0.0/8'] }).connect('192.0.2.1')).toBe('accepted');
  });

  it('ban an address that failed three times, longer when it goes on trying, and no other', () => {
    const { limits, connect, clock } = open();
    for (let n = 0; n < 3; n++) limits.punish('192.0.2.1', 'failed-login');
    clock.advance(14_000);
    expect([connect('192.0.2.1'), connect('192.0.2.2'), limits.isBanned('192.0.2.1')]).toEqual(['banned', 'accepted', true]);
    clock.advance(1_500);
    expect(connect('192.0.2.1')).toBe('banned');
    clock.advance(5_000);
    expect(connect('192.0.2.1')).toBe('accepted');
  });

  it('ban a whole /64', () => {
    const { limits, connect } = open();
    for (let n = 1; n <= 15; n++) limits.punish(`2001:db8::${n}`, 'no-login');
    expect([connect('2001:db8::ffff'), connect('2001:db8:0:1::1')]).toEqual(['banned', 'accepted']);
  });

  it('give all addresses of one /64 together no more slots than one address', () => {
    const { connect } = open({ unauthenticatedPerAddressMax: 10, arrivalsBurst: 40 });
    const arrivals = Array.from({ length: 32 }, (_, n) => connect(`2001:db8::${n + 1}`));
    // Ten are open, and twenty queued.
    expect(arrivals).toEqual([...Array.from({ length: 30 }, () => 'accepted'), 'full', 'full']);
    expect(connect('2001:db8:0:1::1')).toBe('accepted');
  });

  it.each(['allow', 'exempt'] as const)('neither ban nor slow an address of the list %s', (list) => {
    const { limits, connect } = open({ [list]: ['192.0.2.1'] });
    for (let n = 0; n < 100; n++) limits.punish('192.0.2.1', 'failed-login');
    expect(limits.isBanned('192.0.2.1')).toBe(false);
    expect(new Set(Array.from({ length: 100 }, () => connect('192.0.2.1')))).toEqual(new Set(['accepted']));
  });

  it('verify one password of an address at a time, and none of an address that is banned by then', async () => {
    const { limits } = open();
    const verified: string[] = [];
    const guess = (address: string) =>
      limits.verifyInTurn(address, async () => {
        verified.push(address);
        limits.punish(address, 'failed-login');
        return true;
      });
    const guesses = await Promise.all(Array.from({ length: 10 }, () => guess('192.0.2.1')));
    expect(guesses).toEqual([true, true, true, ...Array.from({ length: 7 }, () => false)]);
    expect(verified).toHaveLength(3);
    expect(await guess('192.0.2.2')).toBe(true);
  });

  it('slow an address that floods, and let others evict its connections', () => {
    const { connect, evicted } = open({ unauthenticatedMax: 21 });
    const arrivals = Array.from({ length: 10_000 }, () => connect('192.0.2.1'));
    expect([arrivals.indexOf('rate'), connect('192.0.2.2'), evicted.length, connect('192.0.2.3'), evicted]).toEqual([
      20,
      'accepted',
      0,
      'accepted',
      ['192.0.2.1'],
    ]);
  });
});
