// Allowances and charges, on the document, on its lines and on the prices.
import { shown } from '#rules/kinds.ts';
import { type Context, context, rule } from '#rules/rule.ts';
import { has, number, trimmed } from '#rules/select.ts';
import { type Decimal, equal, shown as figure, minus, near, times, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const ON_DOCUMENT_AND_LINES = [
  'Invoice/cac:AllowanceCharge',
  'Invoice/cac:InvoiceLine/cac:AllowanceCharge',
  'CreditNote/cac:AllowanceCharge',
  'CreditNote/cac:CreditNoteLine/cac:AllowanceCharge',
].join(' | ');

const PERCENT = 'cbc:MultiplierFactorNumeric';
const BASE = 'cbc:BaseAmount';
const TOLERANCE: Decimal = { units: 2n, scale: 2 };
const HUNDREDTH: Decimal = { units: 1n, scale: 2 };

const never = (): boolean => false;

export const ALLOWANCE_RULES: readonly Context[] = [
  context(ON_DOCUMENT_AND_LINES, (node) => has(node, PERCENT) && !has(node, BASE), [
    rule(
      'PEPPOL-EN16931-R041',
      never,
      'The percentage has no amount that it is of: add cbc:BaseAmount, or remove cbc:MultiplierFactorNumeric.',
      PERCENT,
    ),
  ]),
  context(ON_DOCUMENT_AND_LINES, (node) => !has(node, PERCENT) && has(node, BASE), [
    rule(
      'PEPPOL-EN16931-R042',
      never,
      'The base amount has no percentage: add cbc:MultiplierFactorNumeric, or remove cbc:BaseAmount.',
      BASE,
    ),
  ]),
  context(ON_DOCUMENT_AND_LINES, [
    rule('PEPPOL-EN16931-R040', isShareOfBase, shareSentence, 'cbc:Amount'),
    rule(
      'PEPPOL-EN16931-R043',
      (node) => ['true', 'false'].includes(trimmed(node, 'cbc:ChargeIndicator')),
      (node) =>
        `The charge indicator is '${shown(trimmed(node, 'cbc:ChargeIndicator'))}': write true for a charge, false for an allowance.`,
      'cbc:ChargeIndicator',
    ),
  ]),
];

export const PRICE_ALLOWANCE_RULES: readonly Context[] = [
  context('cac:Price/cac:AllowanceCharge', [
    rule(
      'PEPPOL-EN16931-R044',
      (node) => trimmed(node, 'cbc:ChargeIndicator') === 'false',
      'A price can have a discount but no charge: write false into cbc:ChargeIndicator, and put charges on the line.',
      'cbc:ChargeIndicator',
    ),
    rule('PEPPOL-EN16931-R046', isGrossLessDiscount, grossSentence, '../cbc:PriceAmount'),
  ]),
];

function shareOf(node: XmlElement): { amount: Decimal; base: Decimal; percent: Decimal; expected: Decimal } | undefined {
  const base = number(node, BASE);
  const percent = number(node, PERCENT);
  const amount = has(node, 'cbc:Amount') ? number(node, 'cbc:Amount') : ZERO;
  if (!base || !percent || !amount) return undefined;
  return { amount, base, percent, expected: times(times(base, percent), HUNDREDTH) };
}

function isShareOfBase(node: XmlElement): boolean {
  const share = shareOf(node);
  return !share || near(share.amount, share.expected, TOLERANCE);
}

function shareSentence(node: XmlElement): string {
  const share = shareOf(node);
  if (!share) return '';
  const { amount, base, percent, expected } = share;
  return `The amount is ${figure(amount)} but ${figure(percent, 0)} % of ${figure(base)} are ${figure(expected)}: correct cbc:Amount, cbc:MultiplierFactorNumeric (a percentage) or cbc:BaseAmount.`;
}

/** What is not there makes the comparison false; what is no number is a matter of structure. */
function isGrossLessDiscount(node: XmlElement): boolean {
  if (!has(node, BASE)) return true;
  if (!has(node, 'cbc:Amount') || !has(node, '../cbc:PriceAmount')) return false;
  const gross = number(node, BASE);
  const discount = number(node, 'cbc:Amount');
  const net = number(node, '../cbc:PriceAmount');
  return !gross || !discount || !net || equal(net, minus(gross, discount));
}

function grossSentence(node: XmlElement): string {
  const [net, gross, discount] = ['../cbc:PriceAmount', BASE, 'cbc:Amount'].map((path) => number(node, path));
  if (!net || !gross || !discount)
    return 'A price with a gross price (cbc:BaseAmount) needs its discount in cbc:Amount and the net price in cbc:PriceAmount: add them.';
  return `The net price is ${figure(net)} but gross ${figure(gross)} - discount ${figure(discount)} = ${figure(minus(gross, discount))}: correct cbc:PriceAmount, or the gross price or the discount in cac:AllowanceCharge.`;
}
