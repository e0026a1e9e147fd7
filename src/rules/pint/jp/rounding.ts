// Tax in Japan is rate × base, rounded to whole yen in whatever way the seller chooses.
import type { Test } from '#rules/rule.ts';
import { number, trimmed } from '#rules/select.ts';
import { compare, type Decimal, minus, negated, ONE, over, rounded, shown, times } from '#ubl/decimal.ts';
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

/** A rate that rounds to 0 makes no tax; what is not subject to tax is not asked. */
export const isTaxRounded: Test = (node) => {
  if (trimmed(node, 'cac:TaxCategory/cbc:ID').toUpperCase() === 'O') return true;
  const stated = number(node, 'cbc:TaxAmount');
  const rate = number(node, 'cac:TaxCategory/cbc:Percent');
  const tax = taxOf(node);
  if (!stated || !rate) return false;
  if (rounded(rate, 0).units === 0n) return rounded(stated, 0).units === 0n;
  return tax !== undefined && compare(stated, floor(tax)) >= 0 && compare(stated, ceiling(tax)) <= 0;
};

export function taxRange(node: XmlElement): string {
  const tax = taxOf(node);
  if (!tax) return '0';
  const [low, high] = [shown(floor(tax), 0), shown(ceiling(tax), 0)];
  return low === high ? low : `${low} or ${high}`;
}
