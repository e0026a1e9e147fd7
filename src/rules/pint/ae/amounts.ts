// The arithmetic of lines, allowances and charges in the Emirates: to the cent, and nothing may be left out. Its rules work in
// floating point, where 1.05 × 36.90 rounds to 38.74; so do we.
import { ALLOWANCE_CHARGE } from '#rules/common/allowance-charge.ts';
import { isNumeric } from '#rules/common/numeric.ts';
import { type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, has, text, texts } from '#rules/engine/select.ts';
import { says } from '#rules/pint/conditions.ts';
import { figure } from '#rules/pint/totals.ts';
import { decimalOf } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const AMOUNT = 'cbc:Amount';
const BASE = 'cbc:BaseAmount';
const FACTOR = 'cbc:MultiplierFactorNumeric';

/** The amount of an allowance or charge is its percentage of its base, exactly or rounded to cents, where both are stated. */
export function percentage(id: string): Rule {
  const shareOf = (node: XmlElement): number => (float(node, BASE) * float(node, FACTOR)) / 100;
  const holds: Test = (node) => {
    if (!has(node, BASE) || !has(node, FACTOR)) return true;
    const stated = float(node, AMOUNT);
    return stated === shareOf(node) || stated === cents(shareOf(node));
  };
  const sentence = (node: XmlElement): string =>
    `The amount is ${written(float(node, AMOUNT))} but ${written(float(node, FACTOR))} % of ${written(float(node, BASE))} are ${written(cents(shareOf(node)))}: correct ${AMOUNT}, ${BASE} or ${FACTOR}.`;
  return rule(id, holds, sentence, AMOUNT);
}

const NET = 'cbc:LineExtensionAmount';
const PRICE = 'cac:Price/cbc:PriceAmount';
const PRICE_BASE = 'cac:Price/cbc:BaseQuantity';

export function lineAmount(id: string): Rule {
  const holds: Test = (line) => cents(float(line, NET)) === netOf(line);
  const sentence = (line: XmlElement): string =>
    `The line amount is ${written(float(line, NET))} but quantity ${written(quantityOf(line))} × price ${written(float(line, PRICE))} / base quantity ${written(float(line, PRICE_BASE))} + charges ${written(cents(adjustments(line, 'true')))} - allowances ${written(cents(adjustments(line, 'false')))} = ${written(netOf(line))}: correct ${NET} or what it is made of.`;
  return rule(id, holds, sentence, NET);
}

/** What quantity, price, charges and allowances make; not a number when one of the first is missing. */
function netOf(line: XmlElement): number {
  const goods = quantityOf(line) * (float(line, PRICE) / float(line, PRICE_BASE));
  return cents(goods + adjustments(line, 'true') - adjustments(line, 'false'));
}

function quantityOf(line: XmlElement): number {
  return float(line, has(line, 'cbc:InvoicedQuantity') ? 'cbc:InvoicedQuantity' : 'cbc:CreditedQuantity');
}

/** Only those count that state the indicator exactly so. */
function adjustments(line: XmlElement, indicator: string): number {
  const counted = all(line, ALLOWANCE_CHARGE).filter((one) => says(one, 'cbc:ChargeIndicator', indicator));
  return counted.flatMap((one) => texts(one, AMOUNT)).reduce((total, amount) => total + floatOf(amount), 0);
}

function float(node: XmlElement, path: string): number {
  return floatOf(text(node, path) ?? '');
}

function floatOf(value: string): number {
  return isNumeric(value) ? Number(value) : Number.NaN;
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

function written(number: number): string {
  return figure(decimalOf(String(number)));
}
