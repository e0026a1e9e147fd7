import { describe, expect, it } from 'vitest';
import { openPenalties } from '#gateway/sftp/auth/ban-list.ts';
import { type GateSettings, openGate } from '#gateway/sftp/auth/connection-gate.ts';
import { sourceOf } from '#runtime/networks.ts';
import { openRate } from '#runtime/rate-limit.ts';
import { manualClock } from '../../../../support/clock.ts';

const SETTINGS: GateSettings = {
  unauthenticatedMax: 100,
  unauthenticatedPerAddressMax: 100,
  sessionsPerLoginMax: 20,
  arrivalsPerSecond: 5,
  arrivalsBurst: 20,
  allow: false,
  deny: false,
  exempt: false,
};

describe('penalties', () => {
  it('add up, keep out from 15 s on, and run out', () => {
    const clock = manualClock();
    const penalties = openPenalties(clock);
    expect([penalties.punish('a', 5_000), penalties.punish('a', 5_000), penalties.isBarred('a')]).toEqual([false, false, false]);
    expect([penalties.punish('a', 5_000), penalties.isBarred('a'), penalties.isBarred('b')]).toEqual([true, true, false]);
    clock.advance(14_999);
    expect(penalties.isBarred('a')).toBe(true);
    clock.advance(1);
    expect(penalties.isBarred('a')).toBe(false);
    penalties.punish('a', 5_000);
    expect(penalties.isBarred('a')).toBe(false);
  });

  it('run out while they add up: mistakes that are far apart keep nobody out', () => {
    const clock = manualClock();
    const penalties = openPenalties(clock);
    for (let n = 0; n < 100; n++) {
      expect(penalties.punish('a', 5_000)).toBe(false);
      clock.advance(4_000);
      if (n % 3 === 2) clock.advance(6_000);
    }
  });

  it('keep out for ten minutes at the most', () => {
    const clock = manualClock();
    const penalties = openPenalties(clock);
    for (let n = 0; n < 1_000; n++) penalties.punish('a', 5_000);
    clock.advance(599_999);
    expect(penalties.isBarred('a')).toBe(true);
    clock.advance(1);
    expect(penalties.isBarred('a')).toBe(false);
  });

  it('forget the address that was punished longest ago when there are too many', () => {
    const penalties = openPenalties(manualClock(), 2);
    for (const address of ['a', 'b', 'a', 'c']) penalties.punish(address, 15_000);
    expect(['a', 'b', 'c'].map((address) => penalties.isBarred(address))).toEqual([true, false, true]);
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
  ])('count %s as %s', (address, source) => expect(sourceOf(address)).toBe(source));
});

describe('the rate', () => {
  it('is a burst, then so many a second, for each address', () => {
    const clock = manualClock();
    const rate = openRate(clock, { arrivalsPerSecond: 5, arrivalsBurst: 20 });
    const taken = (tries: number): number => Array.from({ length: tries }, () => rate.take('a')).filter(Boolean).length;
    expect(taken(30)).toBe(20);
    expect(rate.take('b')).toBe(true);
    clock.advance(1_000);
    expect(taken(30)).toBe(5);
    clock.advance(60_000);
    expect(taken(30)).toBe(20);
  });

  it('does not slow an address that logs in well', () => {
    const rate = openRate(manualClock(), { arrivalsPerSecond: 5, arrivalsBurst: 20 });
    for (let n = 0; n < 1_000; n++) {
      expect(rate.take('a')).toBe(true);
      rate.giveBack('a');
    }
  });
});

describe('the gate', () => {
  const open = (settings: Partial<GateSettings> = {}, clock = manualClock()) => {
    const gate = openGate({ ...SETTINGS, ...settings }, clock);
    const dropped: string[] = [];
    /** In line for a place is as good as in. */
    const arrive = (address: string): string => {
      const arrival = gate.arrive(address, () => dropped.push(address));
      return typeof arrival === 'string' ? arrival : 'in';
    };
    return { gate, arrive, clock, dropped };
  };

  it('lets in who is allowed and not denied', () => {
    const { arrive } = open({ allow: ['10.0.0.0/8', '2001:db8::/32'], deny: ['10.0.0.5'] });
    expect(['10.1.1.1', '10.0.0.5', '192.0.2.1', '2001:db8::1', '::1'].map(arrive)).toEqual([
      'in',
      'denied',
      'not-allowed',
      'in',
      'not-allowed',
    ]);
    expect(open({ deny: ['10.0.0.0/8'] }).arrive('192.0.2.1')).toBe('in');
  });

  it('keeps out who failed three times, longer when it knocks on, and nobody else', () => {
    const { gate, arrive, clock } = open();
    for (let n = 0; n < 3; n++) gate.punish('192.0.2.1', 'failed-login');
    clock.advance(14_000);
    expect([arrive('192.0.2.1'), arrive('192.0.2.2'), gate.isBarred('192.0.2.1')]).toEqual(['penalty', 'in', true]);
    clock.advance(1_500);
    expect(arrive('192.0.2.1')).toBe('penalty');
    clock.advance(5_000);
    expect(arrive('192.0.2.1')).toBe('in');
  });

  it('keeps a whole /64 out', () => {
    const { gate, arrive } = open();
    for (let n = 1; n <= 15; n++) gate.punish(`2001:db8::${n}`, 'no-login');
    expect([arrive('2001:db8::ffff'), arrive('2001:db8:0:1::1')]).toEqual(['penalty', 'in']);
  });

  it('gives all addresses of one /64 no more room together than one address: the places are for others, too', () => {
    const { arrive } = open({ unauthenticatedPerAddressMax: 10, arrivalsBurst: 40 });
    const arrivals = Array.from({ length: 32 }, (_, n) => arrive(`2001:db8::${n + 1}`));
    // Ten are inside, and twenty in line.
    expect(arrivals).toEqual([...Array.from({ length: 30 }, () => 'in'), 'full', 'full']);
    expect(arrive('2001:db8:0:1::1')).toBe('in');
  });

  it.each(['allow', 'exempt'] as const)('neither punishes nor slows an address of the list %s', (list) => {
    const { gate, arrive } = open({ [list]: ['192.0.2.1'] });
    for (let n = 0; n < 100; n++) expect(gate.punish('192.0.2.1', 'failed-login')).toBe(false);
    expect(new Set(Array.from({ length: 100 }, () => arrive('192.0.2.1')))).toEqual(new Set(['in']));
  });

  it('judges one password of an address at a time, and none of one that is kept out by then', async () => {
    const { gate } = open();
    const judged: string[] = [];
    const guess = (address: string) =>
      gate.inTurn(
        address,
        async () => {
          judged.push(address);
          gate.punish(address, 'failed-login');
          return true;
        },
        false,
      );
    const guesses = await Promise.all(Array.from({ length: 10 }, () => guess('192.0.2.1')));
    expect(guesses).toEqual([true, true, true, ...Array.from({ length: 7 }, () => false)]);
    expect(judged).toHaveLength(3);
    expect(await guess('192.0.2.2')).toBe(true);
  });

  it('slows an address that floods, and lets the others take its places', () => {
    const { arrive, dropped } = open({ unauthenticatedMax: 21 });
    const arrivals = Array.from({ length: 10_000 }, () => arrive('192.0.2.1'));
    expect([arrivals.indexOf('rate'), arrive('192.0.2.2'), dropped.length, arrive('192.0.2.3'), dropped]).toEqual([
      20,
      'in',
      0,
      'in',
      ['192.0.2.1'],
    ]);
  });
});
