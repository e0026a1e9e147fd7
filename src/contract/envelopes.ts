// The envelopes of success: list, create response, status objects; as schemas, for the server's description and the client's checks.
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Family } from '#domain/family.ts';

/** A UUID; who only hands it back, as a client does, need not be strict about that. */
const IntegrationId = Type.String({ minLength: 1, maxLength: 200 });

/** Beside `integrationId` stands the document under its family's name. */
export const ListItem = Type.Object({ integrationId: IntegrationId }, { additionalProperties: true });

export const ListEnvelope = Type.Object({ status: Type.Literal('success'), data: Type.Array(ListItem) });

/** `data` carries the document's own id as well, under the family's `idKeys`. */
export const CreateEnvelope = Type.Object({
  status: Type.Literal('success'),
  data: Type.Object({ message: Type.String(), integrationId: IntegrationId }, { additionalProperties: true }),
});
export type CreateEnvelope = Type.Static<typeof CreateEnvelope>;

export const StatusObject = Type.Object({
  uuid: IntegrationId,
  readAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  metadata: Type.Object({ status: Type.String() }),
});
export type StatusObject = Type.Static<typeof StatusObject>;

const listCheck = Compile(ListEnvelope);

/** One message of a list, as its client sees it. */
export interface ListedMessage {
  readonly integrationId: string;
  /** The document as JSON; undefined when the item does not carry it. */
  readonly document: unknown;
}

/** Reads a list; undefined when the body is none. */
export function parseList(family: Family, body: Uint8Array): ListedMessage[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
  if (!listCheck.Check(parsed)) return undefined;
  return parsed.data.map((item) => ({ integrationId: item.integrationId, document: documentIn(item, family.name) }));
}

/** The body of a create response, with the document id under every key that the family has for it. */
export function createEnvelope(family: Family, documentId: string, integrationId: string): CreateEnvelope {
  const ids = Object.fromEntries(family.idKeys.map((key) => [key, documentId]));
  return { status: 'success', data: { message: `${family.name} ${documentId} was received.`, ...ids, integrationId } };
}

function documentIn(item: object, name: string): unknown {
  return Object.entries(item).find(([key]) => key === name)?.[1];
}
