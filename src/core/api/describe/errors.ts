// The errors of the specification as schemas: one response per status, with the types it may carry and what it means.
import Type from 'typebox';
import { closed } from '#contract/closed.ts';
import { ERROR_TYPES } from '#contract/errors.ts';
import type { Schema } from './operation.ts';

interface ErrorDescription {
  readonly types: readonly string[];
  readonly description: string;
  readonly schema: Schema;
}

const Details = Type.Array(Type.Object({}, { additionalProperties: true }), { description: 'One finding per broken rule.' });

/** Specification, Errors: what each status means, and what its metadata carries beside the two debug fields. */
const MEANINGS: readonly (readonly [status: number, meaning: string, metadata: Record<string, Schema>])[] = [
  [400, 'The request is malformed, or an Idempotency-Key came back with another body.', { maxBytes: Type.Integer() }],
  [401, 'The key or token is missing, malformed, or not valid for the account in the path.', {}],
  [403, 'The credentials are valid, but the feature or scope is not enabled on the account.', {}],
  [404, 'Not found.', {}],
  [
    409,
    'The same document was submitted before, or the request with the same Idempotency-Key is still being worked on.',
    {
      integrationId: Type.String({ format: 'uuid', description: 'The stored document; absent while a request is in flight.' }),
      reason: Type.Enum(['duplicate_document', 'idempotency_in_flight']),
    },
  ],
  [422, 'The document is not valid, or its receiver was not found on the network.', { description: Type.String(), details: Details }],
  [429, 'The request budget is spent.', { limit: Type.Integer(), retryAfterSeconds: Type.Integer() }],
  [500, 'An internal failure; try again.', {}],
  [501, 'Not implemented.', {}],
  [503, 'The database is away; try again after Retry-After.', {}],
];

export const ERRORS: ReadonlyMap<number, ErrorDescription> = new Map(
  MEANINGS.map(([status, description, metadata]) => {
    const types = ERROR_TYPES.get(status) ?? [];
    return [status, { types, description, schema: envelope(status, types, metadata) }];
  }),
);

function envelope(status: number, types: readonly string[], metadata: Record<string, Schema>): Schema {
  const optional = Object.fromEntries(Object.entries(metadata).map(([name, schema]) => [name, Type.Optional(Type.Unsafe(schema))]));
  const common = {
    status: Type.Literal('error'),
    type: Type.Enum([...types], { description: 'Stable; branch on it.' }),
    data: Type.String({ description: 'For people; the wording may change.' }),
  };
  const debug = { debug_error_message: Type.String(), debug_error_code: Type.Literal(status) };
  // An internal failure is not explained to the client.
  if (status === 500 || status === 503) return closed(common);
  return closed({ ...common, metadata: Type.Object({ ...optional, ...debug }, { additionalProperties: true }) });
}
