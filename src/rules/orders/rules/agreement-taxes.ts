// The VAT breakdown of an order agreement, and the categories that its lines and allowances use.
import { shown as told } from '#rules/engine/kinds.ts';
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { all, everywhere, fact, has, number, numbers, text, trimmed } from '#rules/engine/select.ts';
import { type Decimal, equal, percentOf, rounded, shown, sum } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { equation, given } from './equations.ts';
import { rates } from './taxes.ts';

const CATEGORY = 'cac:TaxSubtotal/cac:TaxCategory';

/** Where an exemption needs no words, and where it does. */
const TAXED = ' S Z L M ';
const EXEMPT = ' E AE O K G ';
const isOneOf = (codes: string) => (node: XmlElement) => codes.includes(` ${trimmed(node, 'cbc:ID')} `);

const breakdown = fact((root) => all(root, `cac:TaxTotal/${CATEGORY}`));
const categories = fact((root) => new Set(breakdown(root).map((one) => trimmed(one, 'cbc:ID'))));
/** A category and its rate, to a millionth. */
const ratedCategory = (node: XmlElement): string => {
  const rate = number(node, 'cbc:Percent');
  return `${trimmed(node, 'cbc:ID')} ${rate ? shown(rounded(rate, 6), 6) : ''}`;
};
const ratedCategories = fact((root) => new Set(breakdown(root).map(ratedCategory)));
/** There is a total of tax at all, be it of a line. */
const isTaxed = fact((root) => everywhere(root, 'cac:TaxTotal').length > 0);

function expectedTax(subtotal: XmlElement): Decimal | undefined {
  const [taxable, rate] = [number(subtotal, 'cbc:TaxableAmount'), number(subtotal, 'cac:TaxCategory/cbc:Percent')];
  return taxable && rate && rounded(percentOf(taxable, rate));
}

/** To the cent; without a rate, or at a rate that rounds to zero, the tax rounds to zero. */
function followsFromRate(subtotal: XmlElement): boolean {
  const [tax, rate] = [number(subtotal, 'cbc:TaxAmount'), number(subtotal, 'cac:TaxCategory/cbc:Percent')];
  if (!tax) return false;
  if (!rate || rounded(rate, 0).units === 0n) return rounded(tax, 0).units === 0n;
  const expected = expectedTax(subtotal);
  return expected !== undefined && equal(tax, expected);
}

function taxSentence(subtotal: XmlElement): string {
  const [tax, taxable, rate] = ['cbc:TaxAmount', 'cbc:TaxableAmount', 'cac:TaxCategory/cbc:Percent'].map((path) => number(subtotal, path));
  if (!tax || !taxable) return 'The VAT subtotal lacks its tax or what is taxed: give both cbc:TaxAmount and cbc:TaxableAmount.';
  if (!rate) return `The VAT is ${shown(tax)} without a rate: add cac:TaxCategory/cbc:Percent, or correct cbc:TaxAmount.`;
  return `The VAT is ${shown(tax)} but ${shown(rate, 0)} % of ${shown(taxable)} are ${shown(expectedTax(subtotal) ?? tax)}: correct cbc:TaxAmount, cbc:TaxableAmount or the rate.`;
}

function categorySentence(node: XmlElement): string {
  const rate = has(node, 'cbc:Percent') ? ` at ${told(trimmed(node, 'cbc:Percent'))} %` : '';
  return `VAT category ${told(trimmed(node, 'cbc:ID')) || '(none)'}${rate} is used here, but cac:TaxTotal has no cac:TaxSubtotal for it: add one, or correct the category.`;
}

export const AGREEMENT_TAXES: readonly Context[] = [
  context('cac:TaxTotal/cac:TaxSubtotal', [rule('PEPPOL-T110-R024', followsFromRate, taxSentence, 'cbc:TaxAmount')]),
  context('/OrderResponse/cac:TaxTotal', (node) => has(node, 'cac:TaxSubtotal'), [
    equation('PEPPOL-T110-R025', {
      words: 'total of VAT',
      path: 'cbc:TaxAmount',
      stated: given('cbc:TaxAmount'),
      terms: [{ words: 'the sum of its subtotals', sign: '+', of: (node) => rounded(sum(numbers(node, 'cac:TaxSubtotal/cbc:TaxAmount'))) }],
    }),
  ]),
  context(CATEGORY, (node) => !has(node, 'cbc:TaxExemptionReason'), [
    rule(
      'PEPPOL-T110-R028',
      isOneOf(TAXED),
      (node) =>
        `VAT category ${told(trimmed(node, 'cbc:ID')) || '(none)'} needs the reason why no VAT is charged: add cbc:TaxExemptionReason (S, Z, L and M need none).`,
    ),
  ]),
  context(CATEGORY, (node) => has(node, 'cbc:TaxExemptionReason'), [
    rule(
      'PEPPOL-T110-R029',
      isOneOf(EXEMPT),
      (node) =>
        `VAT category ${told(trimmed(node, 'cbc:ID')) || '(none)'} has no exemption: take out cbc:TaxExemptionReason (only E, AE, O, K and G have one).`,
      'cbc:TaxExemptionReason',
    ),
  ]),
  context('cac:AllowanceCharge/cac:TaxCategory | cac:Item/cac:ClassifiedTaxCategory', [
    rule(
      'PEPPOL-T110-R026',
      (node, root) => !isTaxed(root) || !has(node, 'cbc:Percent') || ratedCategories(root).has(ratedCategory(node)),
      categorySentence,
    ),
    rule('PEPPOL-T110-R027', (node, root) => !isTaxed(root) || categories(root).has(text(node, 'cbc:ID') ?? ''), categorySentence),
    ...rates({ given: 'PEPPOL-T110-R019', standard: 'PEPPOL-T110-R020' }),
  ]),
];
