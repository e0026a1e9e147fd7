// One try to deliver one event: sends the request, and classifies the response (decisions A2, webhook success).
import { Compile } from 'typebox/compile';
import { API_KEY_HEADER, Auth, DELIVERY_TIMEOUT_S } from '#contract/webhooks.ts';
import { secretPlace } from '#core/ledger/sealed.ts';
import type { Due } from '#core/ledger/webhook-events.ts';
import type { WebhookRow } from '#core/ledger/webhooks.ts';
import { messageOf } from '#domain/error.ts';
import { ownJson } from '#domain/json.ts';
import { retryAfterMs } from '#domain/retry.ts';
import type { Clock } from '#runtime/clock.ts';
import { isUnreachable, type Outbound } from '#runtime/outbound/outbound.ts';
import { signedHeaders } from '#runtime/outbound/signature.ts';
import type { Seal } from '#runtime/seal.ts';
import type { Bearers } from './oauth.ts';

/** Bytes of the receiver's response that are read, and dropped. */
const RESPONSE_BYTES_MAX = 64 * 1024;
const GONE = 410;
const UNAUTHORIZED = 401;
/** Statuses whose Retry-After is honoured. */
const BUSY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  /** `pausedUntil`: the receiver asks to wait until then. `unreachable`: no connection was made, to it or to its token server. */
  | { readonly kind: 'failed'; readonly reason: string; readonly pausedUntil: number | null; readonly unreachable: boolean }
  /** The receiver wants no events any more. */
  | { readonly kind: 'gone'; readonly reason: string }
  /** We stopped during the try: its outcome is unknown. */
  | { readonly kind: 'interrupted' };

export interface AttemptParts {
  readonly outbound: Pick<Outbound, 'request'>;
  readonly bearers: Bearers;
  readonly seal: Pick<Seal, 'open'>;
  readonly clock: Clock;
  /** Cuts the requests under way. */
  readonly signal: AbortSignal;
}

/** Never throws. */
export async function attemptDelivery(parts: AttemptParts, webhook: WebhookRow, event: Due): Promise<Outcome> {
  try {
    const auth = authOf(parts, webhook);
    const first = await post(parts, webhook, event, auth, null);
    const { status } = first;
    // A token may have been revoked before its end: once more with a new one.
    const last = status === UNAUTHORIZED && first.token !== null ? await post(parts, webhook, event, auth, first.token) : first;
    return outcomeOf(last.status, pausedUntil(last, parts.clock.now()));
  } catch (error) {
    if (parts.signal.aborted) return { kind: 'interrupted' };
    return { kind: 'failed', reason: messageOf(error), pausedUntil: null, unreachable: isUnreachable(error) };
  }
}

/** Null when the receiver does not ask to wait. */
function pausedUntil({ status, retryAfter = '' }: Posted, nowMs: number): number | null {
  const waitMs = BUSY.has(status) ? retryAfterMs(retryAfter, nowMs) : null;
  return waitMs !== null && waitMs > 0 ? nowMs + waitMs : null;
}

function outcomeOf(status: number, pausedUntil: number | null): Outcome {
  const reason = `The receiver answered ${status}.`;
  if (status >= 200 && status < 300) return { kind: 'delivered', status };
  return status === GONE ? { kind: 'gone', reason } : { kind: 'failed', reason, pausedUntil, unreachable: false };
}

interface Posted {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** The Bearer token that was sent. */
  readonly token: string | null;
}

async function post(parts: AttemptParts, webhook: WebhookRow, event: Due, auth: Auth | null, rejected: string | null): Promise<Posted> {
  const { outbound, clock, signal, bearers } = parts;
  const token = auth?.type === 'oauth' ? await bearers.token(auth, rejected, signal) : null;
  const { status, headers } = await outbound.request({
    method: 'POST',
    url: webhook.url,
    headers: {
      ...(token === null ? fixedHeaders(auth) : { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      ...signedHeaders(signingSecretOf(parts, webhook), event.event_id, clock.now(), event.body),
    },
    body: event.body,
    timeoutMs: DELIVERY_TIMEOUT_S * 1_000,
    responseBytesMax: RESPONSE_BYTES_MAX,
    signal,
  });
  return { status, retryAfter: headers.get('retry-after'), token };
}

function fixedHeaders(auth: Auth | null): Record<string, string> {
  if (auth?.type === 'api_key') return { [auth.header ?? API_KEY_HEADER]: auth.value };
  if (auth?.type !== 'basic') return {};
  return { authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}` };
}

/** Null unless the operator has set one. */
function signingSecretOf({ seal }: AttemptParts, { id, signing_sealed: sealed }: WebhookRow): string | null {
  return sealed && seal.open(sealed, secretPlace('signing secret of webhook', id));
}

const isAuth = Compile(Auth);

function authOf({ seal }: AttemptParts, { id, auth_sealed: sealed }: WebhookRow): Auth | null {
  if (sealed === null) return null;
  const text = seal.open(sealed, secretPlace('authentication of webhook', id));
  return ownJson(text, isAuth, 'The outbound authentication in the ledger cannot be read.');
}
