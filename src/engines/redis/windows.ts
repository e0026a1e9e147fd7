// Windows in Redis, which all cores count in. While it does not answer each counts for itself.
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import { UNLIMITED, windowOf } from '#engines/memory/windows.ts';
import type { Windows } from '#engines/windows.ts';
import { connectToAsk, type RedisPlace } from './place.ts';

/** Each request waits for it. */
const ANSWER_MS = 100;

export function openRedisWindows(place: RedisPlace): Windows {
  // The bell tells the log where it is away.
  const redis = connectToAsk(place, () => undefined, ANSWER_MS);
  return {
    open(name, seconds) {
      const limits = { points: UNLIMITED, duration: seconds };
      const insuranceLimiter = new RateLimiterMemory(limits);
      const keyPrefix = `dropgate:window:${name}`;
      return windowOf(new RateLimiterRedis({ storeClient: redis, ...limits, keyPrefix, rejectIfRedisNotReady: true, insuranceLimiter }));
    },
    close: () => redis.disconnect(),
  };
}
