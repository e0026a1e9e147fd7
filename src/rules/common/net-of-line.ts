// The net amount of a line: quantity × price, with what its charges add and its allowances take off.
import { type Rule, rule } from '#rules/engine/rule.ts';
import { all, has, number, numbers, trimmed } from '#rules/engine/select.ts';
import { type Decimal, equal, shown as figure, minus, near, ONE, over, plus, rounded, sum, times, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { ALLOWANCE_CHARGE, isAllowance, isCharge } from './allowance-charge.ts';

/** The quantity that a price is for. */
const BASE_QUANTITY = 'cac:Price/cbc:BaseQuantity';

const TOLERANCE: Decimal = { units: 2n, scale: 2 };

/** Of what was invoiced, or credited. */
export function quantityPath({ tag }: XmlElement): string {
  return tag === 'Invoice' ? 'cbc:InvoicedQuantity' : 'cbc:CreditedQuantity';
}

/** The same for a line itself. */
export function quantityOf({ tag }: XmlElement): string {
  return tag === 'cac:CreditNoteLine' ? 'cbc:CreditedQuantity' : 'cbc:InvoicedQuantity';
}

/** What of a line counts as a charge and what as an allowance, and what becomes of the sum of each. */
interface Adjustments {
  readonly isCharge: (node: XmlElement) => boolean;
  readonly isAllowance: (node: XmlElement) => boolean;
  readonly read: (sum: Decimal) => Decimal;
}

/** They say so in letters, 1 and 0 do not count; and are rounded to cents. */
export const SPELT_IN_CENTS: Adjustments = { isCharge: spelt('true'), isAllowance: spelt('false'), read: rounded };
/** The same, with all their digits. */
export const SPELT: Adjustments = { ...SPELT_IN_CENTS, read: (sum) => sum };
/** In either spelling of xs:boolean, with all their digits. */
export const IN_ANY_SPELLING: Adjustments = { isCharge, isAllowance, read: (sum) => sum };

function spelt(indicator: string): (node: XmlElement) => boolean {
  return (node) => trimmed(node, 'cbc:ChargeIndicator') === indicator;
}

/** A missing quantity is 1, a missing price 0, a base quantity that is missing or zero 1. */
export function netOfLine(id: string, adjustments: Adjustments, quantity = quantityPath): Rule {
  const figuresIn = (line: XmlElement, root: XmlElement): Figures | undefined => figuresOf(line, quantity(root), adjustments);
  const holds = (line: XmlElement, root: XmlElement): boolean => {
    const figures = figuresIn(line, root);
    return !figures || near(figures.net, figures.expected, TOLERANCE);
  };
  return rule(id, holds, (line, root) => netSentence(figuresIn(line, root)), 'cbc:LineExtensionAmount');
}

interface Figures {
  readonly net: Decimal;
  readonly quantity: Decimal;
  readonly price: Decimal;
  readonly base: Decimal;
  readonly charges: Decimal;
  readonly allowances: Decimal;
  readonly expected: Decimal;
}

/** Undefined when one of them is no number, which is a matter of structure. */
function figuresOf(line: XmlElement, quantityPath: string, { isCharge, isAllowance, read }: Adjustments): Figures | undefined {
  const net = numberOr(line, 'cbc:LineExtensionAmount', ZERO);
  const quantity = numberOr(line, quantityPath, ONE);
  const price = numberOr(line, 'cac:Price/cbc:PriceAmount', ZERO);
  const stated = numberOr(line, BASE_QUANTITY, ONE);
  if (!net || !quantity || !price || !stated) return undefined;
  const base = equal(stated, ZERO) ? ONE : stated;
  const charges = read(totalOf(line, isCharge));
  const allowances = read(totalOf(line, isAllowance));
  // Multiplied first: a price that the base quantity does not divide would lose digits before it counts.
  const goods = times(quantity, price);
  const priced = over(goods, base) ?? goods;
  return { net, quantity, price, base, charges, allowances, expected: minus(plus(priced, charges), allowances) };
}

function netSentence(figures: Figures | undefined): string {
  if (!figures) return '';
  const { net, quantity, price, base, charges, allowances, expected } = figures;
  const per = equal(base, ONE) ? '' : ` per ${figure(base, 0)}`;
  const added = equal(charges, ZERO) ? '' : ` + charges ${figure(charges)}`;
  const taken = equal(allowances, ZERO) ? '' : ` - allowances ${figure(allowances)}`;
  return `The net amount of the line is ${figure(net)} but quantity ${figure(quantity, 0)} × price ${figure(price)}${per}${added}${taken} = ${figure(rounded(expected))}: correct cbc:LineExtensionAmount, or what it is worked out from.`;
}

function numberOr(line: XmlElement, path: string, missing: Decimal): Decimal | undefined {
  return has(line, path) ? number(line, path) : missing;
}

/** The charges of a line, or its allowances, together. */
function totalOf(line: XmlElement, counts: (node: XmlElement) => boolean): Decimal {
  const counted = all(line, ALLOWANCE_CHARGE).filter(counts);
  return sum(counted.flatMap((one) => numbers(one, 'cbc:Amount')));
}

/** The quantity that the price is for is above zero, where it is given. */
export function baseQuantityAboveZero(id: string): Rule {
  const holds = (line: XmlElement): boolean => {
    const base = number(line, BASE_QUANTITY);
    return !base || base.units > 0n;
  };
  const sentence = (line: XmlElement): string =>
    `The price is for a quantity of ${trimmed(line, BASE_QUANTITY)}: write a number above zero into cbc:BaseQuantity.`;
  return rule(id, holds, sentence, BASE_QUANTITY);
}
