// When a delivery is tried again (decisions A2, webhook retry): a ladder of waits, with jitter, and what the receiver asks for.
import type { Random } from '#domain/id.ts';
import { waitAfter } from '#domain/retry.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** After the first try, the second, …; the last try comes about 75.6 hours after the first. */
const WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
export const ATTEMPTS_MAX = WAITS_MS.length + 1;

/** A wait is longer or shorter by so much at the most, so that what failed together does not come back together. */
const JITTER = 0.1;
/** Nobody may ask for a longer wait. */
const RETRY_AFTER_MS_MAX = 24 * HOUR;
/** A subscription without any success for so long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR;

/** When to try again after `attempts` tries; null when that were enough. `pausedUntil` is what the receiver asked for. */
export function nextAttemptAt(attempts: number, nowMs: number, pausedUntil: number | null, random: Random): number | null {
  if (attempts >= ATTEMPTS_MAX) return null;
  const factor = 1 - JITTER + 2 * JITTER * fraction(random);
  return Math.max(nowMs + Math.round(waitAfter(WAITS_MS, attempts) * factor), pausedUntil ?? 0);
}

/** Statuses whose Retry-After is honoured. */
const ASKS_FOR_PEACE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Until when a receiver asks for peace: Retry-After as seconds or as a date (RFC 9110 §10.2.3), within bounds; null when it does not. */
export function pauseAfter(status: number, retryAfter: string | undefined, nowMs: number): number | null {
  if (retryAfter === undefined || !ASKS_FOR_PEACE.has(status)) return null;
  const untilMs = /^\d{1,9}$/.test(retryAfter.trim()) ? nowMs + Number(retryAfter) * SECOND : Date.parse(retryAfter);
  return untilMs > nowMs ? Math.min(untilMs, nowMs + RETRY_AFTER_MS_MAX) : null;
}

/** 0 to 1. */
function fraction(random: Random): number {
  return Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
}
