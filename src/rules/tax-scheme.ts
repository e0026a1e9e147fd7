// Why rules about VAT find none: the tax scheme has another name in the document ('MOMS', 'MwSt'), so that each of them only sees that
// something is missing.
import type { Finding } from '#domain/document.ts';
import { placeOf } from '#rules/engine/place.ts';
import { everywhere, first, isBelow, stringOf, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { ABOUT_VAT } from './about-vat.ts';

/** Elements whose tax scheme is always VAT. That of a party may be another one: a seller has other tax numbers, too (BT-32). */
const CATEGORIES = ['cac:ClassifiedTaxCategory', 'cac:TaxCategory'] as const;
const EXTENSIONS = 'ext:UBLExtensions';

/** One finding, at the first place, beside those about VAT that refuse a document judged by EN 16931; what stands in extensions is no part of it. */
export function taxSchemeFindings(root: XmlElement, broken: readonly Finding[]): readonly Finding[] {
  if (!broken.some(({ rule }) => ABOUT_VAT.test(rule))) return [];
  const categories = CATEGORIES.flatMap((category) => everywhere(root, category)).filter((category) => !isBelow(category, EXTENSIONS));
  const schemes = categories.flatMap((category) => {
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
