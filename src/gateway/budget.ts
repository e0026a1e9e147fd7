// The requests that each account may still spend, as the service's RateLimit headers tell; without them 30 a minute are assumed.
// Submits come first: polls leave a reserve.
import type { Clock } from '#runtime/clock.ts';

const ASSUMED_REQUESTS = 30;
const ASSUMED_WINDOW_MS = 60_000;
/** Part of the window's requests that polls leave for submits. */
const RESERVE = 0.2;
/** Two resets that differ by less than this speak of one window. */
const SAME_WINDOW_MS = 2_000;

export type Purpose = 'submit' | 'poll';

interface Window {
  limit: number;
  remaining: number;
  resetAtMs: number;
  inFlight: number;
}

export interface Budget {
  /** Spends one request: 0 = go; otherwise nothing is spent, and it may be asked again after so many milliseconds. */
  spend(accountRegNo: string, purpose: Purpose): number;
  /** What was spent was not needed. */
  giveBack(accountRegNo: string): void;
  /** An answer has come, with its RateLimit-* values where it had them (counts, and seconds to the reset). */
  learn(accountRegNo: string, limits: { limit: number; remaining: number; resetSeconds: number } | null): void;
  /** The service said 429: nothing more for so long. */
  exhausted(accountRegNo: string, waitMs: number): void;
}

export function openBudget(clock: Clock): Budget {
  const windows = new Map<string, Window>();

  function windowOf(accountRegNo: string): Window {
    const now = clock.now();
    const window = windows.get(accountRegNo);
    if (window && now < window.resetAtMs) return window;
    const limit = window?.limit ?? ASSUMED_REQUESTS;
    const inFlight = window?.inFlight ?? 0;
    const fresh = { limit, remaining: limit - inFlight, resetAtMs: now + ASSUMED_WINDOW_MS, inFlight };
    windows.set(accountRegNo, fresh);
    return fresh;
  }

  return {
    spend(accountRegNo, purpose) {
      const window = windowOf(accountRegNo);
      const reserve = purpose === 'poll' ? Math.floor(window.limit * RESERVE) : 0;
      if (window.remaining <= reserve) return Math.max(window.resetAtMs - clock.now(), 1);
      window.remaining--;
      window.inFlight++;
      return 0;
    },
    giveBack(accountRegNo) {
      const window = windowOf(accountRegNo);
      window.remaining++;
      window.inFlight = Math.max(window.inFlight - 1, 0);
    },
    learn(accountRegNo, limits) {
      const window = windowOf(accountRegNo);
      window.inFlight = Math.max(window.inFlight - 1, 0);
      if (!limits) return;
      const resetAtMs = clock.now() + limits.resetSeconds * 1_000;
      const same = Math.abs(resetAtMs - window.resetAtMs) < SAME_WINDOW_MS && limits.limit === window.limit;
      window.remaining = same ? Math.min(window.remaining, limits.remaining) : limits.remaining - window.inFlight;
      window.limit = limits.limit;
      window.resetAtMs = resetAtMs;
    },
    exhausted(accountRegNo, waitMs) {
      const window = windowOf(accountRegNo);
      window.remaining = 0;
      window.resetAtMs = clock.now() + waitMs;
    },
  };
}
