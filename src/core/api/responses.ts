// Writes the responses of the transaction endpoints, in either notation.
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { createEnvelope, type StatusObject } from '#contract/envelopes.ts';
import { HEADER, MEDIA_TYPE, type Notation } from '#contract/headers.ts';
import type { MessageRow } from '#core/ledger/messages.ts';
import { selectContent } from '#core/ledger/pages.ts';
import { type KeptResponse, selectDecisive } from '#core/ledger/receptions.ts';
import type { Ledger, Rows } from '#core/ledger/schema.ts';
import { type Content, contentKey, jsonTextOf, xmlOf } from '#core/model/document.ts';
import type { Response } from '#core/transactions/idempotency.ts';
import { isoTime } from '#domain/day.ts';
import type { Finding } from '#domain/document.ts';
import type { Family } from '#domain/family.ts';
import type { LruCache } from '#runtime/cache.ts';
import { plainXml } from './plain-xml.ts';

export interface DocumentParts {
  readonly ledger: Ledger;
  /** Recent incoming documents by `contentKey`: most are fetched once, within a moment. */
  readonly contents: Pick<LruCache<Content>, 'take'>;
  /** Recently listed documents as JSON, by `contentKey`: polls ask for the newest ones again and again. */
  readonly jsonTexts: Pick<LruCache<string>, 'get' | 'put'>;
}

/** The create response; in XML the same data under the root `success` (specification, Create response). */
export function createResponse(
  family: Family,
  notation: Notation,
  documentId: string,
  integrationId: string,
  warnings: readonly Finding[],
): Response {
  const envelope = createEnvelope(family, documentId, integrationId, warnings);
  const { data, metadata } = envelope;
  const body =
    notation === 'json' ? Buffer.from(JSON.stringify(envelope)) : plainXml('success', { ...data, ...(metadata && { metadata }) });
  return { contentType: MEDIA_TYPE[notation], integrationId, body };
}

export function sendResponse(reply: FastifyReply, { contentType, integrationId, body }: Response): FastifyReply {
  return reply
    .header('content-type', contentType)
    .header(HEADER.integrationId, integrationId)
    .send(Buffer.from(body.buffer, body.byteOffset, body.byteLength));
}

/** XML: the document itself, with its integrationId in the header. There is exactly one. */
export async function sendDocument(parts: DocumentParts, reply: FastifyReply, message: MessageRow): Promise<FastifyReply> {
  const content = await contentOf(parts, message);
  return sendResponse(reply, { contentType: MEDIA_TYPE.xml, integrationId: message.integration_id, body: xmlOf(content) });
}

/** A list up to this size is put together before it is sent; a longer one is sent piece by piece. */
const WHOLE_BYTES_MAX = 4 * 1024 * 1024;

/** JSON: the list envelope. Each document takes a turn of the event loop of its own. */
export async function sendList(
  parts: DocumentParts,
  reply: FastifyReply,
  family: Family,
  page: readonly MessageRow[],
): Promise<FastifyReply> {
  const pieces = listPieces(parts, family, page);
  reply.header('content-type', MEDIA_TYPE.json);
  if (page.reduce((sum, { size }) => sum + size, 0) > WHOLE_BYTES_MAX) return reply.send(Readable.from(pieces));
  let whole = '';
  for await (const piece of pieces) whole += piece;
  return reply.send(whole);
}

async function* listPieces(parts: DocumentParts, family: Family, page: readonly MessageRow[]): AsyncGenerator<string> {
  yield '{"status":"success","data":[';
  for (const [index, message] of page.entries()) {
    const comma = index > 0 ? ',' : '';
    yield `${comma}{"${family.name}":${await jsonOfMessage(parts, message)},"integrationId":"${message.integration_id}"}`;
    await new Promise((turn) => setImmediate(turn));
  }
  yield ']}';
}

async function jsonOfMessage(parts: DocumentParts, message: MessageRow): Promise<string> {
  const { jsonTexts } = parts;
  const key = contentKey(message.integration_id, message.version);
  return jsonTexts.get(key) ?? jsonTexts.put(key, jsonTextOf(await contentOf(parts, message)));
}

/** The latest content of a message. */
async function contentOf({ ledger, contents }: DocumentParts, message: MessageRow): Promise<Content> {
  return contents.take(contentKey(message.integration_id, message.version)) ?? selectContent(ledger.read, message);
}

/** A bare array whatever Accept says (decisions A3, Status endpoints). */
export async function sendStatuses(rows: Rows, reply: FastifyReply, page: readonly MessageRow[]): Promise<FastifyReply> {
  const decisive = await selectDecisive(rows, page);
  const statuses = page.map(
    (message): StatusObject => ({
      uuid: message.integration_id,
      readAt: message.direction === 'outgoing' ? null : isoTime(message.read_at),
      metadata: {
        status: message.status,
        ...(message.status_reason !== null && { reason: message.status_reason }),
        ...responseIn(decisive.get(message.status_response ?? 0)),
      },
    }),
  );
  return reply.header('content-type', MEDIA_TYPE.json).send(JSON.stringify(statuses));
}

function responseIn(response: KeptResponse | undefined): Pick<StatusObject['metadata'], 'answer'> {
  if (!response) return {};
  const { kind, code, reason: text, receivedAt, findings } = response;
  return { answer: { kind, code, text, at: isoTime(receivedAt), findings: [...findings] } };
}
