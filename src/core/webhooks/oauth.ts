// Bearer tokens for deliveries, by OAuth client credentials (RFC 6749 §4.4): fetched when they are needed, kept in memory until they end.

import { hash } from 'node:crypto';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type Auth, DELIVERY_TIMEOUT_S } from '#contract/webhooks.ts';
import { AppError } from '#domain/error.ts';
import { parsedJson } from '#domain/json.ts';
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Outbound, OutboundResponse } from '#runtime/outbound/outbound.ts';

export type Client = Extract<Auth, { type: 'oauth' }>;

export interface Bearers {
  /** A token of the client; a new one when the last was `rejected`. Throws `internal` when none can be had. */
  token(client: Client, rejected: string | null, signal: AbortSignal): Promise<string>;
}

const ANSWER_BYTES_MAX = 64 * 1024;
/** Characters of all tokens that are kept; most have about a thousand. */
const KEPT_CHARACTERS_MAX = 16 * 1024 * 1024;
/** The weight of an entry beside its token; also while it is fetched. */
const BESIDE_CHARACTERS = 512;
/** A token is not used in its last minute (decisions A2). */
const MARGIN_MS = 60_000;
/** When the response does not say how long its token is valid. */
const LIFETIME_S = 300;

const TokenAnswer = Compile(
  Type.Object({
    access_token: Type.String({ maxLength: 16_384, pattern: '^[\\x21-\\x7e]+$' }),
    token_type: Type.String({ pattern: '^[Bb][Ee][Aa][Rr][Ee][Rr]$' }),
    expires_in: Type.Optional(Type.Number({ minimum: 0 })),
  }),
);

interface Kept {
  readonly text: Promise<string>;
  /** Null while it is being fetched, and 0 when that failed. */
  readonly usableUntil: number | null;
  readonly known: string | null;
}

function weightOf({ known }: Kept): number {
  return BESIDE_CHARACTERS + (known?.length ?? 0);
}

export function openBearers(outbound: Pick<Outbound, 'request'>, clock: Clock): Bearers {
  const tokens = new LruCache<Kept>(KEPT_CHARACTERS_MAX, weightOf);

  const isUsable = (kept: Kept, rejected: string | null): boolean =>
    kept.usableUntil === null || (kept.usableUntil > clock.now() && kept.known !== rejected);

  function fetchAnew(key: string, client: Client, signal: AbortSignal): Promise<string> {
    const fetched = fetchToken(outbound, client, signal);
    const text = fetched.then(({ text }) => text);
    const begun = tokens.put(key, { text, usableUntil: null, known: null });
    const settle = (now: Omit<Kept, 'text'>): void => {
      if (tokens.get(key) === begun) tokens.put(key, { text, ...now });
    };
    fetched.then(
      ({ text: known, lifetimeMs }) => settle({ usableUntil: clock.now() + lifetimeMs - MARGIN_MS, known }),
      () => settle({ usableUntil: 0, known: null }),
    );
    return text;
  }

  return {
    // Deliveries that come together share one fetch.
    token(client, rejected, signal) {
      const key = keyOf(client);
      const kept = tokens.get(key);
      return kept && isUsable(kept, rejected) ? kept.text : fetchAnew(key, client, signal);
    },
  };
}

/** The cache key of a client: a digest, without its secret. */
function keyOf({ tokenUrl, clientId, clientSecret }: Client): string {
  return hash('sha256', JSON.stringify([tokenUrl, clientId, clientSecret]), 'base64');
}

/** How a client authenticates: servers must take the header, and some take the body only (RFC 6749 §2.3.1). */
const WAYS: readonly ((client: Client) => { headers: Record<string, string>; form: Record<string, string> })[] = [
  ({ clientId, clientSecret }) => ({
    headers: { authorization: `Basic ${Buffer.from(`${formEncoded(clientId)}:${formEncoded(clientSecret)}`).toString('base64')}` },
    form: {},
  }),
  ({ clientId, clientSecret }) => ({ headers: {}, form: { client_id: clientId, client_secret: clientSecret } }),
];

async function fetchToken(
  outbound: Pick<Outbound, 'request'>,
  client: Client,
  signal: AbortSignal,
): Promise<{ text: string; lifetimeMs: number }> {
  let status = 0;
  for (const way of WAYS) {
    const { headers, form } = way(client);
    const answer = await outbound.request({
      method: 'POST',
      url: client.tokenUrl,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString(),
      timeoutMs: DELIVERY_TIMEOUT_S * 1_000,
      responseBytesMax: ANSWER_BYTES_MAX,
      signal,
    });
    status = answer.status;
    if (status === 200) return tokenIn(answer);
    if (status !== 400 && status !== 401) break;
  }
  // Only the status: the body may repeat the secret.
  throw new AppError('internal', `The token server answered ${status}.`);
}

function tokenIn({ body }: OutboundResponse): { text: string; lifetimeMs: number } {
  const answer = parsedJson(body);
  if (!TokenAnswer.Check(answer)) throw new AppError('internal', 'The token server answered with no Bearer token.');
  return { text: answer.access_token, lifetimeMs: (answer.expires_in ?? LIFETIME_S) * 1_000 };
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
