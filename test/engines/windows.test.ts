// The suite for windows: in memory, and in Redis, where those of several processes count together while it answers.
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openWindows } from '#engines/open.ts';
import type { Windows } from '#engines/windows.ts';
import { hasRedis, type StartedRedis, startRedis } from '../support/redis-server.ts';
import { until } from '../support/until.ts';

const SECONDS = 60;

async function opened(redis: StartedRedis | null): Promise<Windows> {
  const windows = await openWindows(redis?.place ?? null);
  onTestFinished(() => windows.close());
  return windows;
}

async function startedRedis(): Promise<StartedRedis> {
  const redis = await startRedis();
  onTestFinished(() => redis[Symbol.asyncDispose]());
  return redis;
}

const spent = async (windows: Windows, key: string, points = 1, name = 'calls') =>
  (await windows.open(name, SECONDS).spend(key, points)).points;

describe.each([
  ['in memory', true, async () => null],
  ['in Redis', hasRedis, startedRedis],
])('A window %s', (_, isHere, server) => {
  it.runIf(isHere)('counts for each key, and ends by itself', async () => {
    const window = (await opened(await server())).open('calls', 1);
    expect(await window.spend('one', 1)).toMatchObject({ points: 1 });
    expect(await window.spend('one', 0)).toMatchObject({ points: 1 });
    const { points, endsInMs } = await window.spend('one', 2);
    expect(points).toBe(3);
    expect(endsInMs).toBeLessThanOrEqual(1_000);
    expect(await window.spend('other', 1)).toMatchObject({ points: 1 });
    await until('its end', async () => (await window.spend('one', 0)).points === 0);
  });
});

describe('Windows in memory', () => {
  it('keep what was asked for recently, of 65,536 keys', async () => {
    const window = (await opened(null)).open('calls', SECONDS);
    await window.spend('first', 1);
    for (let key = 0; key < 65_535; key++) await window.spend(`${key}`, 1);
    expect(await window.spend('first', 0)).toMatchObject({ points: 1 });
    await window.spend('one more', 1);
    expect(await window.spend('first', 0)).toMatchObject({ points: 1 });
    expect(await window.spend('0', 0)).toMatchObject({ points: 0 });
  });
});

describe.runIf(hasRedis)('Windows in Redis', () => {
  let redis: StartedRedis;
  let one: Windows;
  let two: Windows;
  beforeEach(async () => {
    redis = await startedRedis();
    [one, two] = [await opened(redis), await opened(redis)];
    await until('both', async () => (await spent(one, 'begin')) + (await spent(two, 'begin')) > 3);
  });

  it('count together, those of one name', async () => {
    expect(await spent(one, 'key')).toBe(1);
    expect(await spent(two, 'key')).toBe(2);
    expect(await spent(two, 'key', 1, 'others')).toBe(1);
  });

  it('count each for itself while it is away, and together again', async () => {
    await redis.kill();
    expect(await spent(one, 'key')).toBe(1);
    expect(await spent(two, 'key')).toBe(1);
    await redis.start();
    const key = { of: 0 };
    await until('both', async () => {
      key.of++;
      await spent(one, `again ${key.of}`);
      return (await spent(two, `again ${key.of}`)) === 2;
    });
  });

  it('keep nobody waiting where it does not answer', async () => {
    redis.signal('SIGSTOP');
    const answers = await Promise.all(Array.from({ length: 100 }, () => spent(one, 'key', 0)));
    expect(answers).toHaveLength(100);
    redis.signal('SIGCONT');
  });

  it.each([
    ['more than can be spent', '9007199254740991'],
    ['more than can be counted', '9223372036854775807'],
    ['less than nothing', '-1000'],
    ['a window of years', '1', 'EX', '100000000'],
    ['a text', 'zebra'],
  ])('neither refuse nor grant for %s that another has written', async (_, ...value) => {
    await redis.ask('set', 'dropgate:window:calls:key', ...value);
    const window = one.open('calls', SECONDS);
    for (const points of [1, 2]) {
      const spent = await window.spend('key', 1);
      expect(spent.points).toBe(points);
      expect(spent.endsInMs).toBeGreaterThan(0);
      expect(spent.endsInMs).toBeLessThanOrEqual(SECONDS * 1_000);
    }
  });
});
