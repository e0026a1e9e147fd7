// The envelopes of success: list, create response, status objects; as schemas, for the server's description and the client's checks.

import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { type Finding, findingsIn } from '#domain/document.ts';
import type { Family } from '#domain/family.ts';
import { parserOf, success } from './success.ts';

/** A UUID; who only hands it back, as a client does, need not be strict about that. */
const INTEGRATION_ID_MAX = 200;
const IntegrationId = Type.String({ minLength: 1, maxLength: INTEGRATION_ID_MAX });

/** True for what a service may name a document by; what is longer, no index keeps. */
export function isIntegrationId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= INTEGRATION_ID_MAX;
}

/** Beside `integrationId` stands the document under its family's name. */
export const ListItem = Type.Object({ integrationId: IntegrationId }, { additionalProperties: true });

export const ListEnvelope = success(Type.Array(ListItem));

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

/** What the receiver's side has answered. */
const NetworkAnswer = Type.Object({
  kind: Type.String({ description: '`mls`, `mlr` or `invoice-response`.' }),
  code: Type.String({ description: 'Of that kind: `AP`, `AB`, `RE`, …' }),
  text: Type.Union([Type.String(), Type.Null()]),
  at: Type.String({ format: 'date-time', description: 'When it came.' }),
  findings: Type.Array(FindingObject, { description: 'What it says about places of the document.' }),
});
type NetworkAnswer = Type.Static<typeof NetworkAnswer>;

const ReadAt = Type.Union([Type.String({ format: 'date-time' }), Type.Null()]);
const metadata = {
  status: Type.String(),
  /** Why it was rejected, or given up. */
  reason: Type.Optional(Type.String()),
};

export const StatusObject = Type.Object({
  uuid: IntegrationId,
  readAt: ReadAt,
  metadata: Type.Object({
    ...metadata,
    answer: Type.Optional(Type.Unsafe<NetworkAnswer>({ ...NetworkAnswer, description: 'By which it was delivered or rejected.' })),
  }),
});
export type StatusObject = Type.Static<typeof StatusObject>;
/** As any service may send it: an answer is ours to tell. */
const ToldStatus = Type.Object({ uuid: IntegrationId, readAt: ReadAt, metadata: Type.Object(metadata) });

const parseListEnvelope = parserOf(ListEnvelope);
const parseTold = parserOf(Type.Array(ToldStatus));
const answerCheck = Compile(Type.Object({ ...NetworkAnswer.properties, findings: Type.Unknown() }));

/** One message of a list, as its client sees it. */
interface ListedMessage {
  readonly integrationId: string;
  /** The document as JSON; undefined when the item does not carry it. */
  readonly document: unknown;
}

/** Reads a list; undefined when the body is none. */
export function parseList(family: Family, body: Uint8Array): ListedMessage[] | undefined {
  return parseListEnvelope(body)?.data.map((item) => ({ integrationId: item.integrationId, document: documentIn(item, family.name) }));
}

/** Reads statuses; undefined when the body holds none. */
export function parseStatuses(body: Uint8Array): StatusObject[] | undefined {
  return parseTold(body)?.map(({ metadata: told, ...status }) => {
    const answer: unknown = 'answer' in told ? told.answer : undefined;
    const { status: state, reason } = told;
    return {
      ...status,
      metadata: { status: state, ...(reason !== undefined && { reason }), ...(isAnswer(answer) && { answer: bounded(answer) }) },
    };
  });
}

function isAnswer(value: unknown): value is Omit<NetworkAnswer, 'findings'> & { findings: unknown } {
  return answerCheck.Check(value);
}

function bounded({ kind, code, text, at, findings }: Omit<NetworkAnswer, 'findings'> & { findings: unknown }): NetworkAnswer {
  return { kind, code, text, at, findings: findingsIn(findings) };
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

function documentIn(item: object, name: string): unknown {
  return Object.entries(item).find(([key]) => key === name)?.[1];
}
