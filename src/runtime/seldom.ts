// Limits how often expensive work is repeated: callers between two runs share the latest result.
import type { Clock } from './clock.ts';

/** The pause after a run is so many times as long as the run, at most `REST_MS_MAX`. */
const REST_TIMES = 20;
const REST_MS_MAX = 10_000;

/** Returns the latest result of `work`. Runs it again when `everyMs` have passed since it began and the pause is over. */
export function seldom<Result>(clock: Clock, everyMs: number, work: () => Promise<Result>): () => Promise<Result> {
  let begunMs = 0;
  let nextMs = 0;
  let latest: Promise<Result> | undefined;
  return () => {
    const now = clock.now();
    // A clock that was set back ends the pause.
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
