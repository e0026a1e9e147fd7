// What costs something and is asked for by anybody is done seldom: all who ask meanwhile get what came of it last.
import type { Clock } from './clock.ts';

/** The work rests for so many times as long as it took, but no longer than this. */
const REST_TIMES = 20;
const REST_MS_MAX = 10_000;

/** `work`, begun again when `everyMs` have passed since it began, and when it has rested. */
export function seldom<Result>(clock: Clock, everyMs: number, work: () => Promise<Result>): () => Promise<Result> {
  let begunMs = 0;
  let nextMs = 0;
  let latest: Promise<Result> | undefined;
  return () => {
    const now = clock.now();
    // A clock that was put back ends the rest.
    if (latest && now >= begunMs && now < nextMs) return latest;
    begunMs = now;
    nextMs = Number.POSITIVE_INFINITY;
    const ended = (): void => {
      const endedMs = clock.now();
      nextMs = Math.max(begunMs + everyMs, endedMs + Math.min((endedMs - begunMs) * REST_TIMES, REST_MS_MAX));
    };
    latest = work();
    latest.then(ended, ended);
    return latest;
  };
}
