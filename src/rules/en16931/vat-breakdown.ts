// The VAT breakdown: its subtotals, each complete and right by itself.
import { isVat } from '#rules/common/tax-scheme.ts';
import { maxDecimals, required } from '#rules/engine/kinds.ts';
import { context, type Pattern, rule } from '#rules/engine/rule.ts';
import { all, has, number, numbers, trimmed } from '#rules/engine/select.ts';
import { absolute, compare, type Decimal, equal, minus, negated, ONE, percentOf, plus, rounded, shown, sum, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { DOCUMENT } from './places.ts';

const SUBTOTAL = 'cac:TaxTotal/cac:TaxSubtotal';

export const VAT_BREAKDOWN: Pattern = [
  context(DOCUMENT, [required('BR-CO-18', SUBTOTAL, `The document has no VAT breakdown: add at least one ${SUBTOTAL}.`)]),
  context('/Invoice/cac:TaxTotal | /CreditNote/cac:TaxTotal', [rule('BR-CO-14', sumsSubtotals, subtotalsSentence, 'cbc:TaxAmount')]),
  context(SUBTOTAL, [
    required('BR-45', 'cbc:TaxableAmount', 'The VAT subtotal has no taxable amount: add cbc:TaxableAmount.'),
    required('BR-46', 'cbc:TaxAmount', 'The VAT subtotal has no amount of VAT: add cbc:TaxAmount.'),
    rule(
      'BR-47',
      (node) => vatCategories(node).some((category) => has(category, 'cbc:ID')),
      'The VAT subtotal has no VAT category: add cac:TaxCategory with cbc:ID and the tax scheme VAT.',
    ),
    rule(
      'BR-48',
      (node) => vatCategories(node).some((category) => has(category, 'cbc:Percent') || trimmed(category, 'cbc:ID') === 'O'),
      'The VAT subtotal has no rate: add cac:TaxCategory/cbc:Percent (only category O, not subject to VAT, has none).',
    ),
    rule('BR-CO-17', followsFromRate, rateSentence, 'cbc:TaxAmount'),
    maxDecimals('BR-DEC-19', 'cbc:TaxableAmount'),
    maxDecimals('BR-DEC-20', 'cbc:TaxAmount'),
  ]),
];

function vatCategories(node: XmlElement): readonly XmlElement[] {
  return all(node, 'cac:TaxCategory').filter(isVat);
}

function sumOfSubtotals(node: XmlElement): Decimal {
  return rounded(sum(numbers(node, 'cac:TaxSubtotal/cbc:TaxAmount')));
}

function sumsSubtotals(node: XmlElement): boolean {
  if (!has(node, 'cac:TaxSubtotal')) return true;
  const stated = number(node, 'cbc:TaxAmount');
  return stated !== undefined && equal(stated, sumOfSubtotals(node));
}

function subtotalsSentence(node: XmlElement): string {
  const stated = number(node, 'cbc:TaxAmount');
  return `The total of VAT is ${stated ? shown(stated) : 'not given'}, but its subtotals add up to ${shown(sumOfSubtotals(node))}: correct cac:TaxTotal/cbc:TaxAmount or a cac:TaxSubtotal/cbc:TaxAmount.`;
}

/** `taxable` × `percent` / 100, to the cent. Whether both are negative does not matter to the rules. */
export function vatOn(taxable: Decimal, percent: Decimal): Decimal {
  return rounded(percentOf(absolute(taxable), percent));
}

/** The same for a sentence, with its sign. */
export function signedVatOn(taxable: Decimal, percent: Decimal): Decimal {
  return taxable.units < 0n ? negated(vatOn(taxable, percent)) : vatOn(taxable, percent);
}

/** Less than one unit of currency apart: each line may have been rounded by itself. */
export function isNearly(tax: Decimal, expected: Decimal): boolean {
  return compare(minus(absolute(tax), ONE), expected) < 0 && compare(plus(absolute(tax), ONE), expected) > 0;
}

function rateOf(node: XmlElement): Decimal | undefined {
  const [category] = vatCategories(node);
  return category && number(category, 'cbc:Percent');
}

function followsFromRate(node: XmlElement): boolean {
  const tax = number(node, 'cbc:TaxAmount');
  if (!tax) return false;
  const rate = rateOf(node);
  if (!rate || equal(rounded(rate, 0), ZERO)) return equal(rounded(tax, 0), ZERO);
  const taxable = number(node, 'cbc:TaxableAmount');
  return taxable !== undefined && isNearly(tax, vatOn(taxable, rate));
}

function rateSentence(node: XmlElement): string {
  const [taxable, tax, rate] = [number(node, 'cbc:TaxableAmount'), number(node, 'cbc:TaxAmount'), rateOf(node)];
  if (!taxable || !tax) return 'The VAT subtotal lacks the taxable amount or the VAT on it: give both cbc:TaxableAmount and cbc:TaxAmount.';
  if (!rate) return `The VAT subtotal has ${shown(tax)} of VAT, but no rate: add cac:TaxCategory/cbc:Percent, or make cbc:TaxAmount 0.`;
  return `The VAT of the subtotal is ${shown(tax)} but ${shown(rate, 0)} % of ${shown(taxable)} is ${shown(signedVatOn(taxable, rate))}: correct cbc:TaxAmount, cbc:TaxableAmount or the rate.`;
}
