// What an answer to a POST means (submit-and-poll.md, step 7). Only the specification's own error envelope is believed: a proxy's
// 400 refuses nothing.

import { isIntegrationId } from '#contract/envelopes.ts';
import { parseErrorEnvelope, type ServiceError } from '#contract/errors.ts';
import { type Finding, findingsIn } from '#domain/document.ts';
import type { AppError } from '#domain/error.ts';
import { isRecord, parsedJson } from '#domain/json.ts';
import { PAUSE_ACCOUNT_MS, PAUSE_FAMILY_MS } from '#domain/retry.ts';
import { waitOf429 } from '#gateway/service/budget.ts';
import type { Answer } from '#gateway/service/transport.ts';

export type ResponseClass =
  | { readonly kind: 'accepted'; readonly integrationId: string; readonly warnings: readonly Finding[] }
  | { readonly kind: 'refused'; readonly error: ServiceError }
  /** `posted`: the document may have got through. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly posted: boolean }
  | { readonly kind: 'in-flight' }
  | { readonly kind: 'conflict'; readonly integrationId: string; readonly error: ServiceError }
  | { readonly kind: 'no-receiver'; readonly error: ServiceError }
  | { readonly kind: 'wait'; readonly waitMs: number }
  /** The service was not asked: the budget had nothing left for a look. */
  | { readonly kind: 'short'; readonly waitMs: number }
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

/** What an item may be dealt with by, without a comparison of what the service has. */
export type Decided = Exclude<ResponseClass, { readonly kind: 'conflict' }>;

type Classifier = (error: ServiceError, answer: Answer, now: number) => ResponseClass;

const refused: Classifier = (error) => ({ kind: 'refused', error });
const pauseFamily: Classifier = ({ type, data }) => ({
  kind: 'pause',
  scope: 'family',
  waitMs: PAUSE_FAMILY_MS,
  reason: `${type}: ${data}`,
  believed: true,
});
const pauseAccount: Classifier = ({ type, data }) => ({
  kind: 'pause',
  scope: 'account',
  waitMs: PAUSE_ACCOUNT_MS,
  reason: `${type}: ${data}`,
  believed: true,
});

const conflict: Classifier = (error) => {
  const { integrationId, reason } = error.metadata;
  return isIntegrationId(integrationId) && reason !== 'idempotency_in_flight'
    ? { kind: 'conflict', integrationId, error }
    : { kind: 'in-flight' };
};

const limited: Classifier = (error, { headers }, now) => ({
  kind: 'wait',
  waitMs: waitOf429(headers, now, error.metadata.retryAfterSeconds),
});

/** By `status type`. What is not here pauses the family: it was not the service that we know who spoke. */
const CLASSIFIERS: ReadonlyMap<string, Classifier> = new Map([
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
export function classify(answer: Answer, now: number): ResponseClass {
  if (answer.status === 200) return accepted(answer);
  if (answer.status >= 500 && answer.status !== 501) return unknown(`the service answered ${answer.status}`);
  const error = parseErrorEnvelope(answer.status, answer.body);
  const classifier = error && CLASSIFIERS.get(`${answer.status} ${error.type}`);
  return classifier ? classifier(error, answer, now) : foreign(answer);
}

/** Judges an answer to the question what the service has, when it does not tell. Nothing of it ends an item. */
export function classifyLook(answer: Answer, now: number): Decided {
  const response = classify(answer, now);
  if (response.kind === 'wait') return response;
  // Nothing was posted, whether the service answered or a proxy.
  if (response.kind === 'pause') return { ...response, believed: true };
  return unknown(`the service answered ${answer.status} when it was asked what it has`, false);
}

/**
 * No answer came: it is not known what became of the request, unless none could be made (authority.ts). `posts`: it would have sent
 * the document.
 */
export function classOfError({ code, message: reason, facts }: AppError, posts: boolean): Decided {
  const waitMs = typeof facts.waitMs === 'number' ? facts.waitMs : PAUSE_ACCOUNT_MS;
  if (code === 'forbidden') return { kind: 'unlinked' };
  if (code === 'wrong-credentials') return { kind: 'pause', scope: 'account', waitMs, reason, believed: true };
  return code === 'rate-limited' ? { kind: 'wait', waitMs } : unknown(reason, posts);
}

function unknown(reason: string, posted = true): Decided {
  return { kind: 'unknown', reason, posted };
}

/** It was not the service that we know who spoke. */
function foreign(answer: Answer): ResponseClass {
  return {
    kind: 'pause',
    scope: 'family',
    waitMs: PAUSE_FAMILY_MS,
    reason: `an answer ${answer.status} that is not the service's own; is a proxy in the way?`,
    believed: false,
  };
}

function accepted({ body }: Answer): ResponseClass {
  const { data, metadata } = successIn(body);
  const { integrationId } = data;
  if (!isIntegrationId(integrationId)) return unknown('the service answered 200 with a body that cannot be read');
  return { kind: 'accepted', integrationId, warnings: findingsIn(metadata.warnings) };
}

type Plain = Readonly<Record<string, unknown>>;

function successIn(body: Buffer): { data: Plain; metadata: Plain } {
  const parsed = parsedJson(body);
  const { status, data, metadata } = isRecord(parsed) ? parsed : {};
  return { data: status === 'success' && isRecord(data) ? data : {}, metadata: isRecord(metadata) ? metadata : {} };
}
