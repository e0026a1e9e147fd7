// Where an element stands, for a finding: as a person writes it, and in the bytes that were read.
import type { Finding } from '#domain/document.ts';
import type { XmlElement } from '#ubl/tree.ts';

export type Place = Pick<Finding, 'path' | 'pointer' | 'line' | 'column'>;

export function placeOf(element: XmlElement): Place {
  const path = pathOf(element);
  return element.line > 0 ? { path, line: element.line, column: element.column } : { path };
}

/** `/Invoice/cac:InvoiceLine[2]/cbc:ID`: a number where there are several of the name. */
function pathOf(element: XmlElement): string {
  const { tag, parent } = element;
  if (!parent) return `/${tag}`;
  const alike = parent.children.filter((child) => child.tag === tag);
  const index = alike.length > 1 ? `[${alike.indexOf(element) + 1}]` : '';
  return `${pathOf(parent)}/${tag}${index}`;
}
