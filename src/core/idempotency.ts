// Idempotency keys: unseen → in flight → finished, or released when the request fails (specification, States).

import {
  findIdempotencyKey,
  finishIdempotencyKey,
  forgetIdempotencyKeys,
  type KeyRow,
  putInFlight,
  releaseIdempotencyKey,
} from '#core/ledger/idempotency-keys.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { AppError } from '#domain/error.ts';
import type { Context } from './context.ts';

/** A key older than this is treated as new (specification, Limits). */
const LIFETIME_MS = 24 * 60 * 60_000;
/** Longer than any request lives: a key that is still in flight then was left behind. */
const LEASE_MS = 10 * 60_000;

/** The response to a create request, as it is sent and as it is replayed. */
export interface Response {
  readonly contentType: string;
  readonly integrationId: string;
  readonly body: Uint8Array;
}

export interface Use {
  readonly accountRegNo: string;
  readonly key: string;
  /** Of the request, without the query: `overwrite` is not part of what is repeated. */
  readonly path: string;
  /** SHA-256 of the raw body, hex. */
  readonly fingerprint: string;
}

/** The key while it is ours. */
export interface Claim {
  /** Keeps the response; part of the transaction that stores the message. Throws `in-flight` when the key was lost to another request. */
  finish(rows: Rows, response: Response): Promise<void>;
  /** Lets the same key be tried again. */
  release(): Promise<void>;
}

/** Puts the key in flight; resolves with the response to replay when it is finished. Throws `in-flight`, `key-reused`. */
export async function claimKey(context: Context, use: Use): Promise<{ claim: Claim } | { replay: Response }> {
  const { ledger, clock } = context;
  const owner = Buffer.from(context.random(16)).toString('hex');
  const owned = { account_reg_no: use.accountRegNo, key: use.key, owner };
  const replay = await ledger.write(async (rows) => {
    const now = clock.now();
    const existing = await findIdempotencyKey(rows, use.accountRegNo, use.key);
    if (existing && isAlive(existing, now)) return answered(existing, use);
    const { path, fingerprint } = use;
    await putInFlight(rows, { ...owned, path, fingerprint, started_at: now, lease_until: now + LEASE_MS });
    return null;
  });
  if (replay) return { replay };
  return {
    claim: {
      async finish(rows, { contentType, integrationId, body }) {
        const finished = { at: clock.now(), contentType, integrationId, response: body };
        if (!(await finishIdempotencyKey(rows, owned, finished))) throw inFlight();
      },
      release: () => ledger.write((rows) => releaseIdempotencyKey(rows, owned)),
    },
  };
}

/** Forgets the keys whose time is over. */
export async function forgetOldKeys(context: Context): Promise<void> {
  await context.ledger.write((rows) => forgetIdempotencyKeys(rows, context.clock.now() - LIFETIME_MS));
}

function isAlive(row: KeyRow, nowMs: number): boolean {
  return row.started_at > nowMs - LIFETIME_MS && (row.finished_at !== null || row.lease_until > nowMs);
}

function answered(row: KeyRow, use: Use): Response {
  if (row.fingerprint !== use.fingerprint || row.path !== use.path) {
    throw new AppError('key-reused', 'This Idempotency-Key was used with another body or path: take a new key for a new request.');
  }
  if (row.response === null || row.content_type === null || row.integration_id === null) throw inFlight();
  return { contentType: row.content_type, integrationId: row.integration_id, body: row.response };
}

function inFlight(): AppError {
  return new AppError('in-flight', 'The original request with this Idempotency-Key is still being worked on: try again shortly.');
}
