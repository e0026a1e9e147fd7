// When to try again: ladders of waits, in milliseconds (submit-and-poll.md, step 7).

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

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

/** The wait after `attempts` tries on a ladder; the last step repeats. */
export function waitAfter(waitsMs: readonly number[], attempts: number): number {
  return waitsMs[Math.min(Math.max(attempts, 1), waitsMs.length) - 1] ?? 0;
}
