// Where an element stands, for a finding: as a person writes it, and in the bytes that were read.
import type { Finding } from '#domain/document.ts';
import { pointerOf } from '#ubl/pointer.ts';
import { ordinalOf } from '#ubl/siblings.ts';
import type { XmlElement } from '#ubl/tree.ts';

type Place = Pick<Finding, 'path' | 'pointer' | 'line' | 'column'>;

export function placeOf(element: XmlElement): Place & Required<Pick<Place, 'path' | 'pointer'>> {
  const place = { path: pathOf(element), pointer: pointerOf(element) };
  return element.line > 0 ? { ...place, line: element.line, column: element.column } : place;
}

/** `/Invoice/cac:InvoiceLine[2]/cbc:ID`: a number where there are several of the name. */
function pathOf(element: XmlElement): string {
  const { tag, name, parent } = element;
  if (!parent) return `/${name}`;
  const { index, count } = ordinalOf(element);
  const step = tag.startsWith('{') ? `*:${name}` : tag;
  return `${pathOf(parent)}/${step}${count > 1 ? `[${index + 1}]` : ''}`;
}
