// A stored document in either notation.
import { LruCache } from '#runtime/cache.ts';
import { readTree } from '#ubl/read.ts';
import { readJsonTree } from '#ubl/read-json.ts';
import { writeXml } from '#ubl/write.ts';
import { jsonOf } from '#ubl/write-json.ts';

export interface Content {
  readonly notation: 'json' | 'xml';
  readonly sha256: string;
  readonly bytes: Uint8Array;
}

/** Characters of documents as JSON in the cache. */
const JSON_CHARACTERS_MAX = 32 * 1024 * 1024;
/** Bytes of recent incoming documents in the cache. */
const CONTENT_BYTES_MAX = 16 * 1024 * 1024;

/** Documents by `contentKey`: recent incoming ones, and what was made of stored ones. */
export function openDocumentCaches() {
  return {
    contents: new LruCache<Content>(CONTENT_BYTES_MAX, ({ bytes }) => bytes.buffer.byteLength),
    jsonTexts: new LruCache<string>(JSON_CHARACTERS_MAX, (text) => text.length),
  };
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
