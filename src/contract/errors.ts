// Errors on the wire: which code becomes which status and type, the envelope, and how a client reads it back.

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { AppError, ErrorCode } from '#domain/error.ts';
import { parsedJson } from '#domain/json.ts';

interface Row {
  readonly status: number;
  readonly type: string;
  /** `metadata.reason`, where one type has two meanings. */
  readonly reason?: string;
}

const INTERNAL: Row = { status: 500, type: 'E_INTERNAL_PROXY_ERROR' };
/** The same, where it is known when to try again: nothing was done. */
const AWAY: Row = { ...INTERNAL, status: 503 };
const BAD_REQUEST: Row = { status: 400, type: 'E_BAD_REQUEST' };
const VALIDATION: Row = { status: 422, type: 'E_VALIDATION' };

/** Specification, Errors. */
// biome-ignore format: one row, one code
const ROWS: Readonly<Record<ErrorCode, Row>> = {
  usage:               BAD_REQUEST,
  locked:              INTERNAL,
  'bad-request':       BAD_REQUEST,
  unauthenticated:     { status: 401, type: 'E_UNAUTHORIZED_CLIENT' },
  'wrong-credentials': { status: 401, type: 'E_CLIENT_UNSUCCESSFUL_AUTHENTICATION' },
  forbidden:           { status: 403, type: 'E_MISSING_PERMISSION' },
  missing:             { status: 404, type: 'E_MISSING' },
  exists:              { status: 409, type: 'E_CONFLICT' },
  duplicate:           { status: 409, type: 'E_CONFLICT', reason: 'duplicate_document' },
  'in-flight':         { status: 409, type: 'E_CONFLICT', reason: 'idempotency_in_flight' },
  'key-reused':        BAD_REQUEST,
  'rate-limited':      { status: 429, type: 'E_RATE_LIMITED' },
  unreadable:          VALIDATION,
  invalid:             VALIDATION,
  'unknown-receiver':  { status: 422, type: 'E_PEPPOL_PARTICIPANT_SMP_LOOKUP' },
  'too-large':         BAD_REQUEST,
  quota:               BAD_REQUEST,
  name:                BAD_REQUEST,
  storage:             INTERNAL,
  'not-implemented':   { status: 501, type: 'E_NOT_IMPLEMENTED' },
  internal:            INTERNAL,
};

/** The types that each status may carry, for the description. */
export const ERROR_TYPES: ReadonlyMap<number, readonly string[]> = new Map(
  [...Map.groupBy([...Object.values(ROWS), AWAY], ({ status }) => status)].map(([status, rows]) => [
    status,
    [...new Set(rows.map(({ type }) => type))],
  ]),
);

const ErrorEnvelope = Type.Object({
  status: Type.Literal('error'),
  type: Type.String(),
  data: Type.String(),
  metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
type ErrorEnvelope = Type.Static<typeof ErrorEnvelope>;

/** The other shape, shown once in the specification, for a despatch advice. */
const OddEnvelope = Type.Object({ statusCode: Type.Integer(), error: Type.String(), message: Type.String() });

const envelopeCheck = Compile(ErrorEnvelope);
const oddCheck = Compile(OddEnvelope);

/** The status and the body with which an error is answered. What went wrong inside is not told: that is for the log. */
export function errorAnswer(error: AppError): { status: number; body: ErrorEnvelope } {
  const { status, type, reason } = ROWS[error.code];
  if (status === 500 && error.facts.retryAfterSeconds !== undefined) {
    return { status: AWAY.status, body: { status: 'error', type, data: error.message } };
  }
  if (status === 500) return { status, body: { status: 'error', type, data: 'An internal error occurred; try again.' } };
  const metadata = {
    ...error.facts,
    ...(reason === undefined ? {} : { reason }),
    ...(status === 422 ? { description: error.message } : {}),
    debug_error_message: `${error.code}: ${error.message}`,
    debug_error_code: status,
  };
  return { status, body: { status: 'error', type, data: error.message, metadata } };
}

/** An error of the service, as its client sees it. */
export interface ServiceError {
  readonly status: number;
  readonly type: string;
  readonly data: string;
  /** Empty when there was none. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Reads an error body of either shape; undefined when it is not the service's own (a proxy's page, cut off, or for another status). */
export function parseErrorEnvelope(status: number, body: Uint8Array): ServiceError | undefined {
  const parsed = parsedJson(body);
  if (envelopeCheck.Check(parsed)) return { status, type: parsed.type, data: parsed.data, metadata: parsed.metadata ?? {} };
  if (oddCheck.Check(parsed) && parsed.statusCode === status) {
    return { status, type: parsed.error, data: parsed.message, metadata: {} };
  }
  return undefined;
}
