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
});
