// The arithmetic of lines, prices, allowances and charges that jurisdictions check.
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { type Rule, rule, type Test } from '#rules/rule.ts';
import { all, has, number, numbers } from '#rules/select.ts';
import { type Decimal, decimalOf, equal, minus, near, ONE, over, plus, sum, times, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { ruleWhere } from './conditions.ts';
import { figure } from './totals.ts';

export function within(amount: string): Decimal {
  return decimalOf(amount) ?? ZERO;
}

/** For cac:Price/cac:AllowanceCharge: net price = gross price - discount. */
export function netPrice(id: string): Rule {
  const expected = (node: XmlElement): Decimal | undefined => {
    const gross = number(node, 'cbc:BaseAmount');
    const discount = number(node, 'cbc:Amount');
    return gross && discount && minus(gross, discount);
  };
  const holds: Test = (node) => {
    const net = number(node, '../cbc:PriceAmount');
    const price = expected(node);
    return !has(node, 'cbc:BaseAmount') || (net !== undefined && price !== undefined && equal(net, price));
  };
  const sentence = (node: XmlElement): string =>
    `The price is ${figure(number(node, '../cbc:PriceAmount'))} but gross price ${figure(number(node, 'cbc:BaseAmount'))} - discount ${figure(number(node, 'cbc:Amount'))} = ${figure(expected(node))}: correct cbc:PriceAmount, cbc:BaseAmount or cbc:Amount.`;
  return rule(id, holds, sentence, '../cbc:PriceAmount');
}

const HUNDRED: Decimal = { units: 100n, scale: 0 };

/** `base × factor / 100`; undefined unless both are there. */
function shareOfBase(node: XmlElement): Decimal | undefined {
  const base = number(node, 'cbc:BaseAmount');
  const factor = number(node, 'cbc:MultiplierFactorNumeric');
  return base && factor && over(times(base, factor), HUNDRED);
}

/** The amount of an allowance or charge is its percentage of its base, as far as this asks. */
export function percentage(id: string, fits: (amount: Decimal | undefined, expected: Decimal) => boolean): Rule {
  const holds: Test = (node) => {
    const expected = shareOfBase(node);
    return expected === undefined || fits(number(node, 'cbc:Amount'), expected);
  };
  const sentence = (node: XmlElement): string =>
    `The amount is ${figure(number(node, 'cbc:Amount'))} but base ${figure(number(node, 'cbc:BaseAmount'))} × ${figure(number(node, 'cbc:MultiplierFactorNumeric'))} % = ${figure(shareOfBase(node))}: correct cbc:Amount, cbc:BaseAmount or cbc:MultiplierFactorNumeric.`;
  return rule(id, holds, sentence, 'cbc:Amount');
}

/** No amount counts as 0. */
export const aboutTheShare = (amount: Decimal | undefined, expected: Decimal): boolean => near(amount ?? ZERO, expected, within('0.02'));

export function baseWithPercentage(id: string): Rule {
  const holds: Test = (node) => has(node, 'cbc:MultiplierFactorNumeric') === has(node, 'cbc:BaseAmount');
  return rule(
    id,
    holds,
    'A percentage needs its base, and a base its percentage: state cbc:BaseAmount and cbc:MultiplierFactorNumeric both, or neither.',
  );
}

function adjustmentsOf(line: XmlElement, kind: (node: XmlElement) => boolean): Decimal {
  return sum(
    all(line, 'cac:AllowanceCharge')
      .filter(kind)
      .flatMap((one) => numbers(one, 'cbc:Amount')),
  );
}

/** What the quantity and the price of a line make, and its own charges and allowances; undefined when something is missing for it. */
export interface LineReading {
  readonly quantity: (line: XmlElement) => Decimal | undefined;
  readonly price: (line: XmlElement) => Decimal | undefined;
  readonly baseQuantity: (line: XmlElement) => Decimal | undefined;
}

const BASE_QUANTITY = 'cac:Price/cbc:BaseQuantity';

const quantityOf = (line: XmlElement): Decimal | undefined => number(line, 'cbc:InvoicedQuantity') ?? number(line, 'cbc:CreditedQuantity');
const priceOf = (line: XmlElement): Decimal | undefined => number(line, 'cac:Price/cbc:PriceAmount');

/** Everything must be stated. */
export const AS_STATED: LineReading = { quantity: quantityOf, price: priceOf, baseQuantity: (line) => number(line, BASE_QUANTITY) };

/** A base quantity that is not stated is 1. */
export const BASE_OPTIONAL: LineReading = {
  ...AS_STATED,
  baseQuantity: (line) => (has(line, BASE_QUANTITY) ? number(line, BASE_QUANTITY) : ONE),
};

/** What is not stated is 1, 0 and 1; a base quantity of 0 is 1, too. */
export const ALL_OPTIONAL: LineReading = {
  quantity: (line) => quantityOf(line) ?? ONE,
  price: (line) => priceOf(line) ?? ZERO,
  baseQuantity: (line) => {
    const stated = number(line, BASE_QUANTITY);
    return stated === undefined || stated.units === 0n ? ONE : stated;
  },
};

export function lineAmount(
  id: string,
  { quantity, price, baseQuantity }: LineReading,
  fits: (amount: Decimal, expected: Decimal) => boolean,
): Rule {
  const path = 'cbc:LineExtensionAmount';
  const expected = (line: XmlElement): Decimal | undefined => {
    const count = quantity(line);
    const each = price(line);
    const base = baseQuantity(line);
    const goods = count && each && base && over(times(count, each), base);
    return goods && minus(plus(goods, adjustmentsOf(line, isCharge)), adjustmentsOf(line, isAllowance));
  };
  const holds: Test = (line) => {
    const stated = number(line, path);
    const amount = expected(line);
    return stated !== undefined && amount !== undefined && fits(stated, amount);
  };
  const sentence = (line: XmlElement): string =>
    `The line amount is ${figure(number(line, path))} but quantity ${figure(quantity(line))} × price ${figure(price(line))} / base quantity ${figure(baseQuantity(line))} + charges ${figure(adjustmentsOf(line, isCharge))} - allowances ${figure(adjustmentsOf(line, isAllowance))} = ${figure(expected(line))}: correct ${path} or what it is made of.`;
  return rule(id, holds, sentence, path);
}

/** Where something is to be paid, it is said until when. */
export function dueDate(id: string, amount: string, isKnown: Test): Rule {
  const isDue: Test = (node) => numbers(node, amount).some(({ units }) => units > 0n);
  const sentence = 'There is something to pay, but not until when: add cbc:DueDate, or cac:PaymentTerms/cbc:Note.';
  return ruleWhere(id, isDue, isKnown, sentence, amount);
}
