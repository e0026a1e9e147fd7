// Allowances and charges that are worked out: a percentage of an amount, a discount on a gross price.
import { type Context, context, type Rule, rule } from '#rules/engine/rule.ts';
import { has, number } from '#rules/engine/select.ts';
import { type Decimal, equal, shown as figure, minus, near, percentOf, rounded, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** Where allowances and charges have a percentage: not on prices. */
export const ON_DOCUMENT_AND_LINES = [
  'Invoice/cac:AllowanceCharge',
  'Invoice/cac:InvoiceLine/cac:AllowanceCharge',
  'CreditNote/cac:AllowanceCharge',
  'CreditNote/cac:CreditNoteLine/cac:AllowanceCharge',
].join(' | ');

const PERCENT = 'cbc:MultiplierFactorNumeric';
const BASE = 'cbc:BaseAmount';
const TOLERANCE: Decimal = { units: 2n, scale: 2 };

const never = (): boolean => false;

/** A percentage of nothing; the context of an allowance charge that has one, before those of any. */
export function percentageHasBase(id: string, path: string): Context {
  const sentence = 'The percentage has no amount that it is of: add cbc:BaseAmount, or remove cbc:MultiplierFactorNumeric.';
  return context(path, (node) => has(node, PERCENT) && !has(node, BASE), [rule(id, never, sentence, PERCENT)]);
}

export function baseHasPercentage(id: string, path: string): Context {
  const sentence = 'The base amount has no percentage: add cbc:MultiplierFactorNumeric, or remove cbc:BaseAmount.';
  return context(path, (node) => !has(node, PERCENT) && has(node, BASE), [rule(id, never, sentence, BASE)]);
}

/** The amount is the percentage of its base amount, where both are given. */
export function shareOfBase(id: string): Rule {
  const holds = (node: XmlElement): boolean => {
    const share = shareOf(node);
    return !share || near(share.amount, share.expected, TOLERANCE);
  };
  return rule(id, holds, shareSentence, 'cbc:Amount');
}

function shareOf(node: XmlElement): { amount: Decimal; base: Decimal; percent: Decimal; expected: Decimal } | undefined {
  const base = number(node, BASE);
  const percent = number(node, PERCENT);
  const amount = has(node, 'cbc:Amount') ? number(node, 'cbc:Amount') : ZERO;
  if (!base || !percent || !amount) return undefined;
  return { amount, base, percent, expected: percentOf(base, percent) };
}

function shareSentence(node: XmlElement): string {
  const share = shareOf(node);
  if (!share) return '';
  const { amount, base, percent, expected } = share;
  return `The amount is ${figure(amount)} but ${figure(percent, 0)} % of ${figure(base)} are ${figure(rounded(expected))}: correct cbc:Amount, cbc:MultiplierFactorNumeric (a percentage) or cbc:BaseAmount.`;
}

/** The net price is the gross price less the discount; of the allowance on a price. */
export function grossLessDiscount(id: string): Rule {
  return rule(id, isGrossLessDiscount, grossSentence, '../cbc:PriceAmount');
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
