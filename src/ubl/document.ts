// A document in either notation as its tree.
import { unreadable } from '#domain/unreadable.ts';
import { readTree } from './read.ts';
import { readJsonTree } from './read-json.ts';
import { type Notation, sniff } from './sniff.ts';
import type { XmlElement } from './tree.ts';

interface ReadDocument {
  readonly root: XmlElement;
  readonly notation: Notation;
}

/** Throws `unreadable` when it is neither XML nor JSON, `invalid` with `details` when it is JSON but not of UBL's shape. */
export function readDocument(bytes: Uint8Array): ReadDocument {
  const notation = sniff(bytes, true);
  if (!notation) throw unreadable('truncated', 'The file is empty. Write the document again.');
  return { notation, root: notation === 'xml' ? readTree(bytes) : readJsonTree(bytes) };
}
