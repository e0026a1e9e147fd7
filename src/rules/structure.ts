// The structure of a document by the element model of UBL.
import type { Finding } from '#domain/document.ts';
import type { XmlElement } from '#ubl/tree.ts';

export function structureOf(_root: XmlElement, _version: '2.1' | '2.3'): readonly Finding[] {
  return [];
}
