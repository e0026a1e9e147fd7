// The stand-in's request budget: so many requests of an account in a window that begins with the first; told in headers, or not.
import type { Clock } from '#runtime/clock.ts';
import { refusal, type Scripted } from '../scripted-service.ts';

export interface RequestLimit {
  readonly requests: number;
  readonly windowMs: number;
  /** Whether RateLimit-* headers tell of it. */
  readonly told: boolean;
}

export interface Limits {
  /** Counts a request; undefined when it may be answered, else the 429. */
  spend(accountRegNo: string): Scripted | undefined;
  headers(accountRegNo: string): Record<string, string>;
  /** Requests answered with 429. */
  refused(): number;
}

export function openLimits(clock: Clock, limit: RequestLimit): Limits {
  const windows = new Map<string, { endMs: number; left: number }>();
  let refused = 0;

  function windowOf(accountRegNo: string): { endMs: number; left: number } {
    const now = clock.now();
    const known = windows.get(accountRegNo);
    if (known && now < known.endMs) return known;
    const fresh = { endMs: now + limit.windowMs, left: limit.requests };
    windows.set(accountRegNo, fresh);
    return fresh;
  }
  const secondsLeft = (accountRegNo: string): number => Math.ceil((windowOf(accountRegNo).endMs - clock.now()) / 1_000);

  return {
    spend(accountRegNo) {
      const window = windowOf(accountRegNo);
      if (window.left > 0) {
        window.left--;
        return undefined;
      }
      refused++;
      const retryAfterSeconds = secondsLeft(accountRegNo);
      return {
        ...refusal(429, 'E_RATE_LIMITED', { limit: limit.requests, retryAfterSeconds }),
        headers: { 'retry-after': String(retryAfterSeconds) },
      };
    },
    headers(accountRegNo) {
      if (!limit.told) return {};
      return {
        'ratelimit-limit': String(limit.requests),
        'ratelimit-remaining': String(windowOf(accountRegNo).left),
        'ratelimit-reset': String(secondsLeft(accountRegNo)),
        'ratelimit-policy': `${limit.requests};w=${limit.windowMs / 1_000}`,
      };
    },
    refused: () => refused,
  };
}
