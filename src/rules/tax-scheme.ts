// Why rules about VAT find none: the tax scheme has another name in the document ('MOMS', 'MwSt'), so that each of them only sees that
// something is missing.
import type { Finding } from '#domain/document.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { placeOf } from './place.ts';
import { everywhere, first, stringOf, trimmed } from './select.ts';

/** Elements whose tax scheme is always VAT. That of a party may be another one: a seller has other tax numbers, too (BT-32). */
const CATEGORIES = ['cac:ClassifiedTaxCategory', 'cac:TaxCategory'] as const;

/** One finding, at the first place; to be asked of a document that is refused, and judged by EN 16931. */
export function taxSchemeFindings(root: XmlElement): readonly Finding[] {
  const schemes = CATEGORIES.flatMap((category) => everywhere(root, category)).flatMap((category) => {
    const id = first(category, 'cac:TaxScheme/cbc:ID');
    return id && !/^(?:VAT)?$/i.test(trimmed(category, 'cac:TaxScheme/cbc:ID')) ? [id] : [];
  });
  const [id] = schemes;
  if (!id) return [];
  const value = stringOf(id).trim().slice(0, 100);
  const places = schemes.length === 1 ? '' : `, here and at ${schemes.length - 1} more places`;
  const message = `The tax scheme is '${value}', which the rules do not know as VAT: write VAT into cac:TaxScheme/cbc:ID${places}. What is found missing of VAT is mostly due to that.`;
  return [{ rule: 'tax-scheme', severity: 'fatal', message, ...placeOf(id), value }];
}
