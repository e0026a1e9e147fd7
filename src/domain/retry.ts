// When to try again: ladders of waits, jitter, and what a server asks for in Retry-After. All waits are in milliseconds.
import type { Random } from './id.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

// Submitting (submit-and-poll.md, step 7).

/** An outcome that is not known: timeout, 5xx, reset, an unreadable answer. The last wait repeats. */
export const UNKNOWN_WAITS_MS = [5 * SECOND, 15 * SECOND, 45 * SECOND, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE];
/** After this an item whose outcome is still unknown is held, never refused. */
export const UNKNOWN_TOTAL_MS = 72 * HOUR;
/** After this the dropper is told that it takes longer. */
export const DELAYED_AFTER_MS = 4 * HOUR;
/** After this the administrator is told. */
export const ALARM_AFTER_MS = HOUR;

/** The receiver is not found on the network; after the last wait the item is refused. */
export const LOOKUP_WAITS_MS = [5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR];

/** The service says that it is still working on the same key. */
export const IN_FLIGHT_WAITS_MS = [2 * SECOND, 4 * SECOND, 8 * SECOND, 16 * SECOND, 32 * SECOND, 60 * SECOND];
/** After so many, about ten minutes, the service is asked what it has; from then on the outcome counts as unknown. */
export const IN_FLIGHT_TRIES = 15;

/** How long an account or a family pauses after an answer that refuses the whole of it. */
export const PAUSE_ACCOUNT_MS = 5 * MINUTE;
export const PAUSE_FAMILY_MS = 15 * MINUTE;

/** An earlier document to the same receiver holds back later ones at most this long. */
export const ORDER_HOLD_MS = 10 * MINUTE;

/** An open attempt older than this is looked up before the document is posted again. */
export const LOOK_AFTER_MS = HOUR;

/** A service forgets its keys after 24 hours; until then a repeated request with the same key is safe. */
export const KEY_SAFE_MS = 23 * HOUR;

// Receiving.

/** A feed whose sweep failed: from the first wait when that sweep had come further than the one before, else from `SWEEP_FIRST_STEP` on. */
export const SWEEP_WAITS_MS = [4 * SECOND, 8 * SECOND, 16 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE, 10 * MINUTE];
export const SWEEP_FIRST_STEP = 4;

// Webhooks (decisions A2, webhook retry).

/** After the first try, the second, …; the last try comes at least 75.6 hours after the first. */
export const WEBHOOK_WAITS_MS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR];
/** A subscription without any success for so long is disabled. */
export const WEBHOOK_DISABLE_AFTER_MS = 5 * 24 * HOUR;

// The access point.

/** After a hand-over that failed; the last wait repeats until the transmission is given up. */
export const HAND_OVER_WAITS_MS = [10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR];
/** After the hand-over, and after each question what became of it; the last wait repeats. */
const QUESTION_WAITS_MS = [2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR];
/** After this the access point is asked no more: what it has not told by then, it will not tell. */
export const QUESTIONS_TOTAL_MS = 14 * 24 * HOUR;
/** The document of an answer comes within moments of its code, unless the access point has to bring it once more. */
export const ANSWER_WAIT_MS = 10 * MINUTE;
/** What an access point has not begun to send by then, it will not. */
export const STORED_MS_MAX = HOUR;

/** After a look-up of a participant of ours that had no answer; the last wait repeats. */
export const LOOKUP_OF_OURS_WAITS_MS = [15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR];

// Alarms.

/** After a digest that could not be told on a channel; the last wait repeats, and what happens meanwhile is told with it. */
export const ALARM_WAITS_MS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR];

/** A wait is longer by at most this part, so that what failed together does not come back together. */
const JITTER = 0.1;
/** Nobody may ask for a longer wait. */
const RETRY_AFTER_MS_MAX = 24 * HOUR;

/** The wait after `attempts` tries on a ladder; the last step repeats. */
export function waitAfter(waitsMs: readonly number[], attempts: number): number {
  return waitsMs[Math.min(Math.max(attempts, 1), waitsMs.length) - 1] ?? 0;
}

/** Never shorter than the wait. */
export function jittered(waitMs: number, random: Random): number {
  const fraction = new DataView(random(4).slice().buffer).getUint32(0) / 2 ** 32;
  return Math.ceil(waitMs * (1 + JITTER * fraction));
}

/** Until the access point is asked the next time, when it was `asked` already. */
export function untilQuestion(asked: number, random: Random): number {
  return jittered(waitAfter(QUESTION_WAITS_MS, asked + 1), random);
}

/**
 * The wait that Retry-After asks for: seconds, or a date (RFC 9110 §10.2.3), which is counted from the date of the answer where it has one, for
 * our clock may be wrong; unless that had passed the moment already. Below 0 when it has passed; null when it says nothing usable.
 */
export function retryAfterMs(retryAfter: string, nowMs: number, date = ''): number | null {
  const header = retryAfter.trim();
  const moment = Date.parse(header);
  const dated = Date.parse(date);
  const askedMs = /^\d+$/.test(header) ? Number(header) * SECOND : moment - (dated <= moment ? dated : nowMs);
  return Number.isNaN(askedMs) ? null : Math.min(askedMs, RETRY_AFTER_MS_MAX);
}
