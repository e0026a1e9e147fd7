// The envelopes of success: list, create response, status objects; as schemas, for the server's description and the client's checks.
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Finding } from '#domain/document.ts';
import type { Family } from '#domain/family.ts';

/** A UUID; who only hands it back, as a client does, need not be strict about that. */
const IntegrationId = Type.String({ minLength: 1, maxLength: 200 });

/** Beside `integrationId` stands the document under its family's name. */
export const ListItem = Type.Object({ integrationId: IntegrationId }, { additionalProperties: true });

export const ListEnvelope = Type.Object({ status: Type.Literal('success'), data: Type.Array(ListItem) });

/** A broken rule: what is wrong and what to do, and where. */
const FindingObject = Type.Object({
  rule: Type.String(),
  severity: Type.Union([Type.Literal('fatal'), Type.Literal('warning')]),
  message: Type.String(),
  path: Type.Optional(Type.String()),
  pointer: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer()),
  column: Type.Optional(Type.Integer()),
  value: Type.Optional(Type.String()),
});

/** `data` carries the document's own id as well, under the family's `idKeys`. */
export const CreateEnvelope = Type.Object({
  status: Type.Literal('success'),
  data: Type.Object({ message: Type.String(), integrationId: IntegrationId }, { additionalProperties: true }),
  /** Only there when the document has warnings. */
  metadata: Type.Optional(Type.Object({ warnings: Type.Array(FindingObject) }, { additionalProperties: true })),
});
export type CreateEnvelope = Type.Static<typeof CreateEnvelope>;

export const StatusObject = Type.Object({
  uuid: IntegrationId,
  readAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  metadata: Type.Object({
    status: Type.String(),
    /** Why it was rejected, or given up. */
    reason: Type.Optional(Type.String()),
  }),
});
export type StatusObject = Type.Static<typeof StatusObject>;

const listCheck = Compile(ListEnvelope);
const statusesCheck = Compile(Type.Array(StatusObject));

/** One message of a list, as its client sees it. */
export interface ListedMessage {
  readonly integrationId: string;
  /** The document as JSON; undefined when the item does not carry it. */
  readonly document: unknown;
}

/** Reads a list; undefined when the body is none. */
export function parseList(family: Family, body: Uint8Array): ListedMessage[] | undefined {
  const parsed = parsedOf(body);
  if (!listCheck.Check(parsed)) return undefined;
  return parsed.data.map((item) => ({ integrationId: item.integrationId, document: documentIn(item, family.name) }));
}

/** Reads statuses; undefined when the body holds none. */
export function parseStatuses(body: Uint8Array): StatusObject[] | undefined {
  const parsed = parsedOf(body);
  return statusesCheck.Check(parsed) ? parsed : undefined;
}

/** The body of a create response, with the document id under every key that the family has for it. */
export function createEnvelope(
  family: Family,
  documentId: string,
  integrationId: string,
  warnings: readonly Finding[] = [],
): CreateEnvelope {
  const ids = Object.fromEntries(family.idKeys.map((key) => [key, documentId]));
  const data = { message: `${family.name} ${documentId} was received.`, ...ids, integrationId };
  return { status: 'success', data, ...(warnings.length > 0 && { metadata: { warnings: [...warnings] } }) };
}

function parsedOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

function documentIn(item: object, name: string): unknown {
  return Object.entries(item).find(([key]) => key === name)?.[1];
}
