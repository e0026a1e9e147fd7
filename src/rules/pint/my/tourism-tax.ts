// Tourism tax of Malaysia (TTX): an amount for each night, not a rate; its subtotal is the sum of what lines, charges and allowances state.
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { type Context, context, rule, type Test } from '#rules/engine/rule.ts';
import { all, fact, number, numbers } from '#rules/engine/select.ts';
import { within } from '#rules/pint/amounts.ts';
import { NO_RATE } from '#rules/pint/categories.ts';
import { codeOf, isUnder } from '#rules/pint/tax-uses.ts';
import { figure, lines } from '#rules/pint/totals.ts';
import { absolute, type Decimal, minus, near, plus, sum } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

function isTaxed(node: XmlElement, path: string): boolean {
  return all(node, path).some((category) => codeOf(category) === 'TTX');
}

function adjustments(root: XmlElement, kind: (node: XmlElement) => boolean): Decimal {
  const taxed = all(root, 'cac:AllowanceCharge').filter((one) => kind(one) && isTaxed(one, 'cac:TaxCategory'));
  return sum(taxed.flatMap((one) => numbers(one, 'cbc:Amount')));
}

const expected = fact((root): Decimal => {
  const taxed = lines(root).filter((line) => isTaxed(line, 'cac:Item/cac:ClassifiedTaxCategory'));
  const ofLines = sum(taxed.flatMap((line) => numbers(line, 'cac:TaxTotal/cbc:TaxAmount')));
  return minus(plus(ofLines, adjustments(root, isCharge)), adjustments(root, isAllowance));
});

const TAX = '../cbc:TaxAmount';

const isSum: Test = (node, root) => {
  const stated = number(node, TAX);
  return stated !== undefined && lines(root).length > 0 && near(absolute(stated), expected(root), within('0.02'));
};

export const TOURISM_TAX: Context = context(
  '/*/cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory',
  (node) => codeOf(node) === 'TTX' && isUnder(node, 'AAL'),
  [
    rule('aligned-ibrp-ttx-08', NO_RATE.fits, 'Tourism tax (TTX) has no rate: take cbc:Percent out.', 'cbc:Percent'),
    rule(
      'aligned-ibrp-ttx-09',
      isSum,
      (node, root) =>
        `The tourism tax is ${figure(number(node, TAX))} but what lines, charges and allowances state adds up to ${figure(expected(root))}: correct cbc:TaxAmount, or cac:TaxTotal/cbc:TaxAmount of the lines.`,
      TAX,
    ),
  ],
);
