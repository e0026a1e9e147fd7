// A stored document in either notation.
import { hash } from 'node:crypto';
import type { Content, MessageRow } from '#core/ledger/messages.ts';
import { selectContent } from '#core/ledger/pages.ts';
import { readTree } from '#ubl/read.ts';
import { readJsonTree } from '#ubl/read-json.ts';
import { writeXml } from '#ubl/write.ts';
import { jsonOf } from '#ubl/write-json.ts';
import type { Context } from './context.ts';

export function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

/** What a version of a message is kept under; it never changes. */
export function contentKey(integrationId: string, version: number): string {
  return `${integrationId}:${version}`;
}

/** The latest content of a message. */
export async function contentOf({ ledger, contents }: Context, message: MessageRow): Promise<Content> {
  return contents.take(contentKey(message.integration_id, message.version)) ?? selectContent(ledger.read, message);
}

/** The document as XML: the very bytes when it came as XML. */
export function xmlOf({ notation, bytes }: Content): Uint8Array {
  return notation === 'xml' ? bytes : writeXml(readJsonTree(bytes));
}

/** What stands under the family's name in a JSON list. */
export function jsonTextOf({ notation, bytes }: Content): string {
  return jsonOf(notation === 'xml' ? readTree(bytes) : readJsonTree(bytes));
}
