// The files inside a document: which there are, and how large they are. Nothing is decoded.
import { base64Length } from '#ubl/model/lexical.ts';
import type { XmlElement } from './tree.ts';

interface Attachment {
  readonly element: XmlElement;
  /** As its sender named it; null when it has no name. */
  readonly name: string | null;
  readonly mediaType: string | null;
  /** After decoding; null when the content is no base64. Worked out by reading all of it. */
  readonly sizeBytes: () => number | null;
}

/** In the order of the document. */
export function attachmentsOf(root: XmlElement): readonly Attachment[] {
  const found: Attachment[] = [];
  collect(root, found);
  return found;
}

function collect(element: XmlElement, found: Attachment[]): void {
  for (const child of element.children) {
    if (child.tag === 'cbc:EmbeddedDocumentBinaryObject') found.push(attachmentOf(child));
    else if (child.children.length > 0) collect(child, found);
  }
}

function attachmentOf(element: XmlElement): Attachment {
  const { attributes, text } = element;
  return {
    element,
    name: attributes.get('filename') ?? null,
    mediaType: attributes.get('mimeCode') ?? null,
    sizeBytes: () => base64Length(text) ?? null,
  };
}
