// Windows in the memory of this process. They end by real time, also where the clock of a test stands still.
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import type { Window, Windows } from '#engines/windows.ts';

/** Limits differ from key to key: the limiter counts, and refuses nothing. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

export const memoryWindows: Windows = {
  open: (_name, seconds) => windowOf(new RateLimiterMemory({ points: UNLIMITED, duration: seconds })),
  close: () => undefined,
};

export function windowOf(limiter: Pick<RateLimiterAbstract, 'consume'>): Window {
  return {
    async spend(key, points) {
      const { consumedPoints, msBeforeNext } = await limiter.consume(key, points);
      return { points: consumedPoints, endsInMs: msBeforeNext };
    },
  };
}
