// What an answer to a POST means (submit-and-poll.md, step 7). Only the specification's own error envelope is believed: a proxy's
// 400 refuses nothing.
import { parseErrorEnvelope, type ServiceError } from '#contract/errors.ts';
import { HEADER } from '#contract/headers.ts';
import { type Finding, findingsIn } from '#domain/document.ts';
import { PAUSE_ACCOUNT_MS, PAUSE_FAMILY_MS } from '#domain/retry.ts';
import type { Answer } from './core-client.ts';

export type Verdict =
  | { readonly kind: 'accepted'; readonly integrationId: string; readonly warnings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly error: ServiceError }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'in-flight' }
  | { readonly kind: 'conflict'; readonly integrationId: string; readonly error: ServiceError }
  | { readonly kind: 'no-receiver'; readonly error: ServiceError }
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** Nothing was sent: the partner may not act for the account any more. */
  | { readonly kind: 'unlinked' }
  /** `believed`: it was the service that said so, and then it did not take the document. */
  | {
      readonly kind: 'pause';
      readonly scope: 'account' | 'family';
      readonly waitMs: number;
      readonly reason: string;
      readonly believed: boolean;
    };

const RETRY_AFTER_DEFAULT_MS = 60_000;
const RETRY_AFTER_MAX_MS = 60 * 60_000;

type Judge = (error: ServiceError, answer: Answer) => Verdict;

const refused: Judge = (error) => ({ kind: 'refused', error });
const pauseFamily: Judge = ({ type, data }) => ({
  kind: 'pause',
  scope: 'family',
  waitMs: PAUSE_FAMILY_MS,
  reason: `${type}: ${data}`,
  believed: true,
});
const pauseAccount: Judge = ({ type, data }) => ({
  kind: 'pause',
  scope: 'account',
  waitMs: PAUSE_ACCOUNT_MS,
  reason: `${type}: ${data}`,
  believed: true,
});

const conflict: Judge = (error) => {
  const { integrationId, reason } = error.metadata;
  return typeof integrationId === 'string' && reason !== 'idempotency_in_flight'
    ? { kind: 'conflict', integrationId, error }
    : { kind: 'in-flight' };
};

const limited: Judge = (error, answer) => {
  const seconds = Number(answer.headers.get(HEADER.retryAfter) ?? error.metadata.retryAfterSeconds);
  const waitMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : RETRY_AFTER_DEFAULT_MS;
  return { kind: 'wait', waitMs: Math.min(waitMs, RETRY_AFTER_MAX_MS) };
};

/** By `status type`. What is not here pauses the family: it was not the service that we know who spoke. */
const JUDGES: ReadonlyMap<string, Judge> = new Map([
  ['400 E_BAD_REQUEST', refused],
  ['400 E_INVALID_PARAMETER', refused],
  ['401 E_UNAUTHORIZED_CLIENT', pauseAccount],
  ['401 E_CLIENT_UNSUCCESSFUL_AUTHENTICATION', pauseAccount],
  ['403 E_MISSING_PERMISSION', pauseFamily],
  ['404 E_MISSING', pauseFamily],
  ['409 E_CONFLICT', conflict],
  ['422 E_VALIDATION', refused],
  ['422 E_PEPPOL_PARTICIPANT_SMP_LOOKUP', (error) => ({ kind: 'no-receiver', error })],
  ['429 E_RATE_LIMITED', limited],
  ['501 E_NOT_IMPLEMENTED', pauseFamily],
]);

/** Judges an answer to a create request. */
export function judge(answer: Answer): Verdict {
  if (answer.status === 200) return accepted(answer);
  if (answer.status >= 500 && answer.status !== 501) return { kind: 'unknown', reason: `the service answered ${answer.status}` };
  const error = parseErrorEnvelope(answer.status, answer.body);
  const judged = error && JUDGES.get(`${answer.status} ${error.type}`);
  if (judged) return judged(error, answer);
  return {
    kind: 'pause',
    scope: 'family',
    waitMs: PAUSE_FAMILY_MS,
    reason: `an answer ${answer.status} that is not the service's own; is a proxy in the way?`,
    believed: false,
  };
}

function accepted({ body }: Answer): Verdict {
  const { data, metadata } = successIn(body);
  const integrationId = typeof data.integrationId === 'string' ? data.integrationId : '';
  if (integrationId === '') return { kind: 'unknown', reason: 'the service answered 200 with a body that cannot be read' };
  return { kind: 'accepted', integrationId, warnings: findingsIn(metadata.warnings) };
}

type Plain = Readonly<Record<string, unknown>>;

function successIn(body: Buffer): { data: Plain; metadata: Plain } {
  const parsed = parsedOf(body);
  const { status, data, metadata } = isObject(parsed) ? parsed : {};
  return { data: status === 'success' && isObject(data) ? data : {}, metadata: isObject(metadata) ? metadata : {} };
}

function parsedOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
