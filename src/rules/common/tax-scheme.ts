// Which tax an element is about.
import { trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** Its tax scheme is VAT, in whatever case that is written. */
export function isVat(node: XmlElement): boolean {
  return trimmed(node, 'cac:TaxScheme/cbc:ID').toUpperCase() === 'VAT';
}
