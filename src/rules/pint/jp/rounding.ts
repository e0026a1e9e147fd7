// Tax in Japan is rate × base, rounded to whole yen in whatever way the seller chooses.

import type { Test } from '#rules/engine/rule.ts';
import { has, number, trimmed } from '#rules/engine/select.ts';
import { isZero } from '#rules/pint/conditions.ts';
import { compare, type Decimal, minus, negated, ONE, over, rounded, shown, times, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const HUNDRED: Decimal = { units: 100n, scale: 0 };

/** The next whole number below, or the number itself. */
function floor(a: Decimal): Decimal {
  const near = rounded(a, 0);
  return compare(near, a) > 0 ? minus(near, ONE) : near;
}

function ceiling(a: Decimal): Decimal {
  return negated(floor(negated(a)));
}

function taxOf(node: XmlElement): Decimal | undefined {
  const base = number(node, 'cbc:TaxableAmount');
  const rate = number(node, 'cac:TaxCategory/cbc:Percent');
  return base && rate && over(times(base, rate), HUNDRED);
}

const RATE = 'cac:TaxCategory/cbc:Percent';

function isUntaxed(node: XmlElement): boolean {
  return trimmed(node, 'cac:TaxCategory/cbc:ID').toUpperCase() === 'O';
}

/** A rate that rounds to 0 makes no tax; what is not subject to tax has neither a rate nor tax. */
export const isTaxRounded: Test = (node) => {
  const stated = number(node, 'cbc:TaxAmount');
  if (isUntaxed(node)) return !has(node, RATE) && isZero(stated);
  const rate = number(node, RATE);
  if (!stated || !rate) return false;
  if (isZero(rounded(rate, 0))) return isZero(stated);
  const tax = taxOf(node);
  return tax !== undefined && compare(stated, floor(tax)) >= 0 && compare(stated, ceiling(tax)) <= 0;
};

export function taxRangeSentence(node: XmlElement): string {
  if (isUntaxed(node))
    return 'What is not subject to tax (category O) has no rate and no tax: take cbc:Percent out, and write 0 into cbc:TaxAmount.';
  return `The tax must be ${taxRange(node)}, rate × base rounded to whole yen: correct cbc:TaxAmount, cbc:TaxableAmount or the rate.`;
}

function taxRange(node: XmlElement): string {
  const tax = taxOf(node);
  if (!tax || isZero(rounded(number(node, RATE) ?? ZERO, 0))) return '0';
  const [low, high] = [shown(floor(tax), 0), shown(ceiling(tax), 0)];
  return low === high ? low : `${low} or ${high}`;
}
