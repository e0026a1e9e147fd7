// A clock that moves only when it is told to.
import type { Clock } from '#runtime/clock.ts';

export interface ManualClock extends Clock {
  /** Moves on, and calls back what is due on the way, in order. */
  advance(ms: number): void;
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
  };
}
