// Token buckets: so many acts a second for each address (of IPv6: each /64), and a burst. rate-limiter-flexible counts by windows, with a
// clock of its own, and keeps any number of addresses; here the clock is a parameter, and memory is bounded.

import { LruCache } from './cache.ts';
import type { Clock } from './clock.ts';
import { sourceOf } from './networks.ts';

export interface RateLimit {
  /** Takes one token of the address; false when none is left. */
  take(address: string): boolean;
  /** Returns a token, for acts that turned out to be welcome. */
  giveBack(address: string): void;
}

const ADDRESSES_MAX = 65_536;

interface Bucket {
  readonly tokens: number;
  readonly atMs: number;
}

/** `limits` is asked each time: they may change. */
export function openRateLimit(clock: Clock, limits: () => { readonly perSecond: number; readonly burst: number }): RateLimit {
  const buckets = new LruCache<Bucket>(ADDRESSES_MAX);

  function tokensOf(source: string): number {
    const { perSecond, burst } = limits();
    const bucket = buckets.get(source);
    if (!bucket) return burst;
    const earned = (Math.max(clock.now() - bucket.atMs, 0) / 1_000) * perSecond;
    return Math.min(bucket.tokens + earned, burst);
  }

  return {
    take(address) {
      const source = sourceOf(address);
      const tokens = tokensOf(source);
      if (tokens < 1) return false;
      buckets.put(source, { tokens: tokens - 1, atMs: clock.now() });
      return true;
    },
    giveBack(address) {
      const source = sourceOf(address);
      buckets.put(source, { tokens: tokensOf(source) + 1, atMs: clock.now() });
    },
  };
}
