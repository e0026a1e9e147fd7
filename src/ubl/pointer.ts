// Where an element stands in UBL JSON: a JSON pointer (RFC 6901) into the document as it was sent, or as it would be sent.
import { modelOf, type Type } from '#ubl/model/model.ts';
import { versionOf } from '#ubl/model/version.ts';
import { ordinalOf } from './siblings.ts';
import type { XmlElement } from './tree.ts';

/** `/Invoice/InvoiceLine/1/ID`: with an index where the model allows more than one or, for what came as JSON, where a list was sent. */
export function pointerOf(element: XmlElement): string {
  const line: XmlElement[] = [];
  for (let at: XmlElement | null = element; at; at = at.parent) line.unshift(at);
  const [root = element] = line;
  let type: Type | undefined = modelOf(versionOf(root)).documents.get(root.tag);
  return line
    .map((step) => {
      const child = type?.kind === 'aggregate' ? type.byTag.get(step.tag) : undefined;
      if (step !== root) type = child?.type;
      const index = step.listed === undefined ? (child?.many ? ordinalOf(step).index : null) : step.listed;
      return index === null ? `/${step.name}` : `/${step.name}/${index}`;
    })
    .join('');
}

/** A key as a part of a JSON pointer. */
export function pointerPart(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
