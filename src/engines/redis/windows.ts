// Windows in Redis, which all cores count in. While it does not answer, or answers what no core has counted, each counts for itself.
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { memoryWindows } from '#engines/memory/windows.ts';
import type { Windows } from '#engines/windows.ts';
import { connectToAsk, type RedisPlace } from './place.ts';

/** Each request waits for it. */
const ANSWER_MS = 100;
/** Limits differ from key to key: the limiter counts. It rejects what is beyond. */
const POINTS_MAX = Number.MAX_SAFE_INTEGER;

export function openRedisWindows(place: RedisPlace): Windows {
  // The bell tells the log where it is away.
  const redis = connectToAsk(place, () => undefined, ANSWER_MS);
  return {
    open(name, seconds) {
      const together = new RateLimiterRedis({
        storeClient: redis,
        points: POINTS_MAX,
        duration: seconds,
        keyPrefix: `dropgate:window:${name}`,
        rejectIfRedisNotReady: true,
      });
      const own = memoryWindows.open(name, seconds);
      return {
        async spend(key, points) {
          const answer = await together.consume(key, points).catch(() => null);
          if (!answer || !isCounted(answer, seconds)) return own.spend(key, points);
          return { points: answer.consumedPoints, endsInMs: answer.msBeforeNext };
        },
      };
    },
    close: () => redis.disconnect(),
  };
}

/** Others may write to the server, too: what they write must not refuse for longer than a window, nor grant more than there is. */
function isCounted({ consumedPoints, msBeforeNext }: RateLimiterRes, seconds: number): boolean {
  return isWithin(consumedPoints, POINTS_MAX) && isWithin(msBeforeNext, seconds * 1_000);
}

function isWithin(value: number, max: number): boolean {
  return value >= 0 && value <= max;
}
