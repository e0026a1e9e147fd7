// The arithmetic of lines, allowances and charges in the Emirates: to the cent, and nothing may be left out.
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { figure } from '#rules/pint/totals.ts';
import { type Rule, rule, type Test } from '#rules/rule.ts';
import { all, number, numbers } from '#rules/select.ts';
import { type Decimal, equal, minus, over, plus, rounded, sum, times } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const HUNDRED: Decimal = { units: 100n, scale: 0 };

/** The amount of an allowance or charge is its percentage of its base, exactly or rounded to cents, where both are stated. */
export function percentage(id: string): Rule {
  const expected = (node: XmlElement): Decimal | undefined => {
    const base = number(node, 'cbc:BaseAmount');
    const factor = number(node, 'cbc:MultiplierFactorNumeric');
    return base && factor && over(times(base, factor), HUNDRED);
  };
  const holds: Test = (node) => {
    const share = expected(node);
    const stated = number(node, 'cbc:Amount');
    return share === undefined || (stated !== undefined && (equal(stated, share) || equal(stated, rounded(share))));
  };
  const sentence = (node: XmlElement): string =>
    `The amount is ${figure(number(node, 'cbc:Amount'))} but ${figure(number(node, 'cbc:MultiplierFactorNumeric'))} % of ${figure(number(node, 'cbc:BaseAmount'))} are ${figure(expected(node))}: correct cbc:Amount, cbc:BaseAmount or cbc:MultiplierFactorNumeric.`;
  return rule(id, holds, sentence, 'cbc:Amount');
}

function adjustments(line: XmlElement, kind: (node: XmlElement) => boolean): Decimal {
  return sum(
    all(line, 'cac:AllowanceCharge')
      .filter(kind)
      .flatMap((one) => numbers(one, 'cbc:Amount')),
  );
}

function quantityOf(line: XmlElement): Decimal | undefined {
  return number(line, 'cbc:InvoicedQuantity') ?? number(line, 'cbc:CreditedQuantity');
}

/** What quantity, price, charges and allowances make; undefined when one of the first is missing. */
function netOf(line: XmlElement): Decimal | undefined {
  const quantity = quantityOf(line);
  const price = number(line, 'cac:Price/cbc:PriceAmount');
  const base = number(line, 'cac:Price/cbc:BaseQuantity');
  const goods = quantity && price && base && over(times(quantity, price), base);
  return goods && rounded(minus(plus(goods, adjustments(line, isCharge)), adjustments(line, isAllowance)));
}

const NET = 'cbc:LineExtensionAmount';

export function lineAmount(id: string): Rule {
  const holds: Test = (line) => {
    const stated = number(line, NET);
    const net = netOf(line);
    return stated !== undefined && net !== undefined && equal(rounded(stated), net);
  };
  const sentence = (line: XmlElement): string =>
    `The line amount is ${figure(number(line, NET))} but quantity ${figure(quantityOf(line))} × price ${figure(number(line, 'cac:Price/cbc:PriceAmount'))} / base quantity ${figure(number(line, 'cac:Price/cbc:BaseQuantity'))} + charges ${figure(adjustments(line, isCharge))} - allowances ${figure(adjustments(line, isAllowance))} = ${figure(netOf(line))}: correct ${NET} or what it is made of.`;
  return rule(id, holds, sentence, NET);
}
