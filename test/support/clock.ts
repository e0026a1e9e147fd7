// A clock that moves only when it is told to, and one that hurries.
import { type Clock, systemClock } from '#runtime/clock.ts';

export interface ManualClock extends Clock {
  /** Moves on, and calls back what is due on the way, in order. */
  advance(ms: number): void;
  /** Somebody sets the clock: what was to come in a minute still comes in a minute. */
  step(ms: number): void;
}

export function manualClock(startMs = Date.parse('2026-11-21T10:00:00Z')): ManualClock {
  let nowMs = startMs;
  const timers = new Set<{ atMs: number; call: () => void }>();
  return {
    now: () => nowMs,
    after(delayMs, call) {
      const timer = { atMs: nowMs + Math.max(delayMs, 0), call };
      timers.add(timer);
      return { [Symbol.dispose]: () => void timers.delete(timer) };
    },
    advance(ms) {
      const endMs = nowMs + ms;
      for (;;) {
        const [next] = [...timers].filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
        if (!next) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.call();
      }
      nowMs = endMs;
    },
    step(ms) {
      nowMs += ms;
      for (const timer of timers) timer.atMs += ms;
    },
  };
}

/** A clock that is right when it is made, and from then on so many times as fast as others: what waits for minutes waits for a second. */
export function hurriedClock(times: number): Clock {
  const startMs = systemClock.now();
  return {
    now: () => startMs + (systemClock.now() - startMs) * times,
    after: (delayMs, call) => systemClock.after(delayMs / times, call),
  };
}
