// A stored document in either notation.
import { hash } from 'node:crypto';
import { readTree } from '#ubl/read.ts';
import { readJsonTree } from '#ubl/read-json.ts';
import { writeXml } from '#ubl/write.ts';
import { jsonOf } from '#ubl/write-json.ts';

export interface Content {
  readonly notation: 'json' | 'xml';
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

export function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

/** The cache key of a version of a message, whose content never changes. */
export function contentKey(integrationId: string, version: number): string {
  return `${integrationId}:${version}`;
}

/** The document as XML: the original bytes when it came as XML. */
export function xmlOf({ notation, bytes }: Content): Uint8Array {
  return notation === 'xml' ? bytes : writeXml(readJsonTree(bytes));
}

/** The document as it stands under the family's name in a JSON list. */
export function jsonTextOf({ notation, bytes }: Content): string {
  return jsonOf(notation === 'xml' ? readTree(bytes) : readJsonTree(bytes));
}
