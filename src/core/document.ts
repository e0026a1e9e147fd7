// A body that becomes a document: read, checked against the endpoint; and a stored document in either notation.
import { createHash } from 'node:crypto';
import type { Notation } from '#contract/headers.ts';
import type { DocumentHead, Finding } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import type { Family } from '#domain/family.ts';
import { readHead } from '#ubl/head.ts';
import { readTree } from '#ubl/read.ts';
import { readJsonTree } from '#ubl/read-json.ts';
import { writeXml } from '#ubl/write.ts';
import { jsonOf } from '#ubl/write-json.ts';
import type { Content } from './ledger/messages.ts';

export interface IncomingDocument {
  readonly head: DocumentHead;
  readonly content: Content;
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Reads the body of a create request; `digest` is its SHA-256. Throws `bad-request` when it is a list of messages, `unreadable` or `invalid` when it is no
 * complete document of the family.
 */
export function readDocument(family: Family, notation: Notation, body: Uint8Array, digest: string): IncomingDocument {
  if (notation === 'json' && /^\s*\[/.test(Buffer.from(body.subarray(0, 1024)).toString('latin1'))) {
    throw new AppError('bad-request', `The body is a list: send one object { "${family.name}": { … } } per request.`);
  }
  // What came as JSON must be writable as XML, for whoever reads it that way.
  const head = readHead(notation === 'json' ? writeXml(readJsonTree(body)) : body);
  if (head.notation !== 'xml') throw refused('content-type', 'The Content-Type says XML, but the body is JSON: send application/json.');
  if (head.enveloped) throw refused('envelope', `The body is an SBDH envelope: send the ${head.family} in it by itself.`);
  if (head.family !== family.name) {
    throw refused(
      'family',
      `The body is of the family ${head.family}, but this endpoint takes ${family.name}: send it to its own endpoint.`,
    );
  }
  return { head, content: { notation, sha256: digest, bytes: body } };
}

/** The document as XML: the very bytes when it came as XML. */
export function xmlOf({ notation, bytes }: Content): Uint8Array {
  return notation === 'xml' ? bytes : writeXml(readJsonTree(bytes));
}

/** What stands under the family's name in a JSON list. */
export function jsonTextOf({ notation, bytes }: Content): string {
  return jsonOf(notation === 'xml' ? readTree(bytes) : readJsonTree(bytes));
}

function refused(rule: string, message: string): AppError {
  const finding: Finding = { rule, severity: 'fatal', message };
  return new AppError('invalid', message, { facts: { details: [finding] } });
}
