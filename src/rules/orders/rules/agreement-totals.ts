// The totals of an order agreement: each is checked when it is stated, what is missing counts as zero.
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { everywhere, fact, has, text } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { ALLOWANCES, CHARGES, type Equation, equation, NET, orZero, summed, TO_PAY, WITH_TAX, WITHOUT_TAX } from './equations.ts';
import { withoutMinusIfGiven, zeroOrMoreIfGiven } from './numbers.ts';

const indicates = (value: string) => (node: XmlElement) => text(node, 'cbc:ChargeIndicator') === value;

/** An equation for a total that is asked only where it is stated. */
function total(words: string, path: string, terms: Equation['terms']): Equation {
  return { words, path, stated: orZero(path), terms, asked: (node) => has(node, path) };
}

const LINES = total('total of the lines', NET, [
  { words: 'their sum', sign: '+', of: summed('cac:OrderLine/cac:LineItem/cbc:LineExtensionAmount') },
]);
const ALL_CHARGES = total('total of charges', CHARGES, [
  { words: 'the sum of the charges of the document', sign: '+', of: summed('cac:AllowanceCharge/cbc:Amount', indicates('true')) },
]);
const ALL_ALLOWANCES = total('total of allowances', ALLOWANCES, [
  { words: 'the sum of the allowances of the document', sign: '+', of: summed('cac:AllowanceCharge/cbc:Amount', indicates('false')) },
]);
const TOTAL_WITHOUT_TAX = total('total without tax', WITHOUT_TAX, [
  { words: 'the total of the lines', sign: '+', of: orZero(NET) },
  { words: 'charges', sign: '+', of: orZero(CHARGES) },
  { words: 'allowances', sign: '-', of: orZero(ALLOWANCES) },
]);
const AMOUNT_TO_PAY = total('amount to pay', TO_PAY, [
  { words: 'the total with tax', sign: '+', of: orZero(WITH_TAX) },
  { words: 'prepaid', sign: '-', of: orZero('cbc:PrepaidAmount') },
  { words: 'rounding', sign: '+', of: orZero('cbc:PayableRoundingAmount') },
]);
const TOTAL_WITH_TAX: Equation = {
  words: 'total with tax',
  path: WITH_TAX,
  stated: orZero(WITH_TAX),
  terms: [
    { words: 'the total without tax', sign: '+', of: orZero(WITHOUT_TAX) },
    { words: 'tax', sign: '+', of: (_node, root) => orZero('cac:TaxTotal/cbc:TaxAmount')(root, root) },
  ],
};

const everyLineHasAmount = fact((root) => {
  const amounts = everywhere(root, 'cac:LineItem').flatMap(({ children }) => children.filter(({ tag }) => tag === NET));
  return everywhere(root, 'cac:OrderLine').length === amounts.length;
});

export const AGREEMENT_TOTALS: Context = context('cac:LegalMonetaryTotal', [
  rule(
    'PEPPOL-T110-R014',
    (_node, root) => everyLineHasAmount(root),
    'The agreement states totals, but not every line its amount: add cbc:LineExtensionAmount to each cac:LineItem.',
  ),
  withoutMinusIfGiven('PEPPOL-T110-R005', TO_PAY),
  zeroOrMoreIfGiven('PEPPOL-T110-R006', NET),
  equation('PEPPOL-T110-R007', LINES),
  equation('PEPPOL-T110-R008', ALL_CHARGES),
  equation('PEPPOL-T110-R009', ALL_ALLOWANCES),
  equation('PEPPOL-T110-R010', TOTAL_WITHOUT_TAX),
  equation('PEPPOL-T110-R011', TOTAL_WITH_TAX),
  equation('PEPPOL-T110-R012', AMOUNT_TO_PAY),
]);
