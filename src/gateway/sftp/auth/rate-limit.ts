// How fast an address may open new connections: so many a second, and a burst. A login that succeeds gives its turn back.

import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import { sourceOf } from '#runtime/networks.ts';

export interface RateLimits {
  readonly arrivalsPerSecond: number;
  readonly arrivalsBurst: number;
}

export interface Rate {
  /** Takes one turn of the address; false when none is left. */
  take(address: string): boolean;
  /** The turn was used well: addresses that log in are never slowed. */
  giveBack(address: string): void;
}

const ADDRESSES_MAX = 65_536;

interface Bucket {
  /** More than the burst counts as the burst. */
  readonly turns: number;
  readonly atMs: number;
}

export function openRate(clock: Clock, { arrivalsPerSecond, arrivalsBurst }: RateLimits): Rate {
  const buckets = new LruCache<Bucket>(ADDRESSES_MAX);

  function turnsOf(source: string): number {
    const bucket = buckets.get(source);
    if (!bucket) return arrivalsBurst;
    const earned = (Math.max(clock.now() - bucket.atMs, 0) / 1_000) * arrivalsPerSecond;
    return Math.min(bucket.turns + earned, arrivalsBurst);
  }
  function keep(source: string, turns: number): void {
    buckets.put(source, { turns, atMs: clock.now() });
  }

  return {
    take(address) {
      const source = sourceOf(address);
      const turns = turnsOf(source);
      if (turns < 1) return false;
      keep(source, turns - 1);
      return true;
    },
    giveBack(address) {
      const source = sourceOf(address);
      keep(source, turnsOf(source) + 1);
    },
  };
}
