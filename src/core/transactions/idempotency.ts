// Idempotency keys: unseen → in flight → finished, or released when the request fails (specification, States). Keys in flight are in
// memory, since their requests end with the process; finished keys are rows. What is in flight at another core of the same database this
// one learns when it stores the document itself: that core has finished the key by then, or stores nothing.
import { findIdempotencyKey, forgetIdempotencyKeys, type KeyRow, putFinishedKey } from '#core/ledger/idempotency-keys.ts';
import type { Ledger, Rows } from '#core/ledger/schema.ts';
import { AppError } from '#domain/error.ts';
import type { Clock } from '#runtime/clock.ts';

/** A key older than this is treated as new (specification, Limits). */
const LIFETIME_MS = 24 * 60 * 60_000;

/** The response to a create request, as it is sent and as it is replayed. */
export interface Response {
  readonly contentType: string;
  readonly integrationId: string;
  readonly body: Uint8Array;
}

interface Use {
  readonly accountRegNo: string;
  readonly key: string;
  /** Of the request, without the query: `overwrite` does not distinguish requests. */
  readonly path: string;
  /** SHA-256 of the raw body, hex. */
  readonly fingerprint: string;
}

export interface IdempotencyParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Requests that this core works on, by account and key. */
  readonly keysInFlight: Map<string, Use>;
}

/** Keeps the response; part of the transaction that stores the message. Throws `in-flight` when another process has finished the key. */
export type Finish = (rows: Rows, response: Response) => Promise<void>;

/**
 * Does the work of a request once: a repeated request gets the response that was kept, also where the work throws `duplicate` since another
 * core did it meanwhile. When the work throws, the key can be used again. Throws `in-flight`, `key-reused`.
 */
export async function once(
  { ledger, clock, keysInFlight }: IdempotencyParts,
  use: Use,
  work: (finish: Finish) => Promise<Response>,
): Promise<Response> {
  const { accountRegNo, key, path, fingerprint } = use;
  const name = `${accountRegNo}\n${key}`;
  const other = keysInFlight.get(name);
  if (other) throw isRepeated(other, use) ? inFlight() : keyReused();
  keysInFlight.set(name, use);
  try {
    const startedAt = clock.now();
    const forgottenMs = startedAt - LIFETIME_MS;
    const finished = () => findIdempotencyKey(ledger.read, accountRegNo, key, forgottenMs);
    const earlier = await finished();
    if (earlier) return replayOf(earlier, use);
    try {
      return await work(async (rows, { contentType, integrationId, body }) => {
        const kept = { content_type: contentType, integration_id: integrationId, response: body };
        const row = { account_reg_no: accountRegNo, key, path, fingerprint, started_at: startedAt, ...kept };
        if (!(await putFinishedKey(rows, row, forgottenMs))) throw inFlight();
      });
    } catch (error) {
      // Another core may have finished this request meanwhile: then the earlier document is the one that the request came with.
      const elsewhere = error instanceof AppError && error.code === 'duplicate' ? await finished() : undefined;
      if (!elsewhere) throw error;
      return replayOf(elsewhere, use);
    }
  } finally {
    keysInFlight.delete(name);
  }
}

/** Forgets the keys whose time is over. */
export async function forgetOldKeys({ ledger, clock }: Omit<IdempotencyParts, 'keysInFlight'>): Promise<void> {
  await ledger.write([], (rows) => forgetIdempotencyKeys(rows, clock.now() - LIFETIME_MS));
}

function replayOf(row: KeyRow, use: Use): Response {
  if (!isRepeated(row, use)) throw keyReused();
  return { contentType: row.content_type, integrationId: row.integration_id, body: row.response };
}

function isRepeated(earlier: Pick<Use, 'path' | 'fingerprint'>, { path, fingerprint }: Use): boolean {
  return earlier.fingerprint === fingerprint && earlier.path === path;
}

function keyReused(): AppError {
  return new AppError('key-reused', 'This Idempotency-Key was used with another body or path: take a new key for a new request.');
}

function inFlight(): AppError {
  return new AppError('in-flight', 'The original request with this Idempotency-Key is still being worked on: try again shortly.');
}
