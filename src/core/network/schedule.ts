// When a transmission is tried again, when the access point is asked again what became of it, and when participants of ours are looked up.
import { createHash } from 'node:crypto';
import type { Random } from '#domain/id.ts';
import { waitAfter } from '#domain/retry.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** After a try that failed; the last one repeats until it is given up. */
const TRY_WAITS_MS = [10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR];
/** After the hand-over, and after each question; the last one repeats. */
const ASK_WAITS_MS = [2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR];
/** After so long nobody asks any more: what the access point has not told by then, it will not tell. */
export const ASK_TOTAL_MS = 14 * 24 * HOUR;
/** The document of an answer comes within moments of its code, unless the access point has to bring it once more. */
export const ANSWER_WAIT_MS = 10 * MINUTE;
/** What an access point has not begun to send by then, it will not. */
export const STORED_MS_MAX = HOUR;
/** After a look-up of a participant of ours that had no answer; the last one repeats. */
const LOOK_WAITS_MS = [15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR];

const JITTER = 0.1;

export function nextTryAt(attempts: number, nowMs: number, random: Random): number {
  return jittered(waitAfter(TRY_WAITS_MS, attempts), nowMs, random);
}

/** `asked`: how often the access point was asked already. */
export function nextQuestionAt(asked: number, nowMs: number, random: Random): number {
  return jittered(waitAfter(ASK_WAITS_MS, asked + 1), nowMs, random);
}

/** Each participant has its moment of the day, so that many are spread over it, and a restart changes nothing. */
export function nextLookAt(participant: string, nowMs: number): number {
  const moment = Math.floor((createHash('sha256').update(participant).digest().readUInt32BE() / 2 ** 32) * DAY);
  const today = Math.floor(nowMs / DAY) * DAY + moment;
  return today > nowMs ? today : today + DAY;
}

/** `failures`: how many look-ups had no answer, the last one included. */
export function nextLookAfterFailure(failures: number, nowMs: number, random: Random): number {
  return jittered(waitAfter(LOOK_WAITS_MS, failures), nowMs, random);
}

/** What failed together does not come back together. */
function jittered(waitMs: number, nowMs: number, random: Random): number {
  const fraction = Buffer.from(random(4)).readUInt32BE() / 2 ** 32;
  return nowMs + Math.round(waitMs * (1 - JITTER + 2 * JITTER * fraction));
}
