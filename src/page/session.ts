// Sessions of operators: who has logged in stands in a cookie with a MAC, by a key that is derived from the master key. The MAC is over the operator's
// stamp as well, which moves with password, disabling and logging out: a cookie of before opens nothing then, wherever it was taken.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { OperatorRow } from '#gateway/ledger/operators.ts';

export interface Session {
  readonly operator: string;
  readonly loggedInMs: number;
  /** When it was last asked for something, within a minute. */
  readonly seenMs: number;
}

/** A session ends by itself after so long, and after so long without a request. */
const LIFE_MS = 12 * 3_600_000;
const IDLE_MS = 3_600_000;
const RENEWED_AFTER_MS = 60_000;
/** No name of an operator has it. */
const BETWEEN = '~';

/** The text of a cookie. */
export function sealedSession(key: Uint8Array, { operator, loggedInMs, seenMs }: Session, stamp: string): string {
  const body = [operator, loggedInMs, seenMs].join(BETWEEN);
  return [body, mac(key, 'session', body, stamp)].join(BETWEEN);
}

/** Whose session a cookie says it is; nothing of that is known to be true. */
export function claimedOperator(cookie: string): string {
  return cookie.split(BETWEEN, 1)[0] ?? '';
}

/** The session of a cookie, held against the operator's row; undefined for one that is not ours, is over, or was ended. */
export function openedSession(key: Uint8Array, cookie: string, row: OperatorRow, nowMs: number): Session | undefined {
  const [operator, loggedIn, seen, given, ...rest] = cookie.split(BETWEEN);
  if (operator !== row.operator || row.disabled || given === undefined || rest.length > 0) return undefined;
  const body = [operator, loggedIn, seen].join(BETWEEN);
  if (!isSame(given, mac(key, 'session', body, row.stamp))) return undefined;
  const session = { operator, loggedInMs: Number(loggedIn), seenMs: Number(seen) };
  return nowMs - session.loggedInMs < LIFE_MS && nowMs - session.seenMs < IDLE_MS ? session : undefined;
}

/** The session with a later moment; undefined while that is not worth a cookie. */
export function renewed(session: Session, nowMs: number): Session | undefined {
  return nowMs - session.seenMs >= RENEWED_AFTER_MS ? { ...session, seenMs: nowMs } : undefined;
}

/** What forms of this session carry: another site knows it of none. */
export function formToken(key: Uint8Array, { operator, loggedInMs }: Session, stamp: string): string {
  return mac(key, 'form', [operator, loggedInMs].join(BETWEEN), stamp);
}

export function isSame(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHmac('sha256', 'compared').update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

function mac(key: Uint8Array, purpose: string, body: string, stamp: string): string {
  return createHmac('sha256', key).update([purpose, body, stamp].join('\n')).digest('base64url');
}
