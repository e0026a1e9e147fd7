// The totals of an order, and of what changes it.
import { type Context, context, warning } from '#rules/engine/rule.ts';
import { has, number, trimmed } from '#rules/engine/select.ts';
import { minus, plus, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import {
  ALLOWANCES,
  CHARGES,
  type Equation,
  equation,
  type Figure,
  given,
  NET,
  orZero,
  summed,
  TO_PAY,
  WITH_TAX,
  WITHOUT_TAX,
} from './equations.ts';
import { zeroOrMore } from './numbers.ts';

const indicates = (value: string) => (node: XmlElement) => trimmed(node, 'cbc:ChargeIndicator') === value;
const sumOfAllowances = summed('cac:AllowanceCharge/cbc:Amount', indicates('false'));
const sumOfCharges = summed('cac:AllowanceCharge/cbc:Amount', indicates('true'));
const sumOfLines = summed('cac:OrderLine/cac:LineItem/cbc:LineExtensionAmount');

const netAfterAll: Figure = (node) => {
  const net = number(node, NET);
  const [taken, added] = [orZero(ALLOWANCES), orZero(CHARGES)].map((figure) => figure(node, node));
  return net && taken && added && plus(minus(net, taken), added);
};
/** What is not stated is worked out. */
const withoutTax: Figure = (node) => (has(node, WITHOUT_TAX) ? number(node, WITHOUT_TAX) : netAfterAll(node, node));
const tax: Figure = (_node, root) => orZero('cac:TaxTotal/cbc:TaxAmount')(root, root);

/** The total with tax is stated, and not zero: the official rules take zero for none. */
const statesTotalWithTax = (node: XmlElement): boolean => (number(node, WITH_TAX) ?? ZERO).units !== 0n;

const EQUATIONS: Readonly<Record<string, Equation>> = {
  R008: { words: 'total of the lines', path: NET, stated: given(NET), terms: [{ words: 'their sum', sign: '+', of: sumOfLines }] },
  R009: {
    words: 'total of allowances',
    path: ALLOWANCES,
    stated: orZero(ALLOWANCES),
    terms: [{ words: 'the sum of the allowances of the document', sign: '+', of: sumOfAllowances }],
  },
  R010: {
    words: 'total of charges',
    path: CHARGES,
    stated: orZero(CHARGES),
    terms: [{ words: 'the sum of the charges of the document', sign: '+', of: sumOfCharges }],
  },
  R011: {
    words: 'total without tax',
    path: WITHOUT_TAX,
    stated: withoutTax,
    terms: [
      { words: 'the total of the lines', sign: '+', of: given(NET) },
      { words: 'allowances', sign: '-', of: orZero(ALLOWANCES) },
      { words: 'charges', sign: '+', of: orZero(CHARGES) },
    ],
  },
  R016: {
    words: 'amount to pay',
    path: TO_PAY,
    stated: given(TO_PAY),
    asked: statesTotalWithTax,
    terms: [
      { words: 'the total with tax', sign: '+', of: given(WITH_TAX) },
      { words: 'prepaid', sign: '-', of: orZero('cbc:PrepaidAmount') },
      { words: 'rounding', sign: '+', of: orZero('cbc:PayableRoundingAmount') },
    ],
  },
  R017: {
    words: 'total with tax',
    path: WITH_TAX,
    stated: given(WITH_TAX),
    asked: (node, root) => statesTotalWithTax(node) && has(root, 'cac:TaxTotal'),
    terms: [
      { words: 'the total without tax', sign: '+', of: withoutTax },
      { words: 'tax', sign: '+', of: tax },
    ],
  },
};

/** A change may tell changed lines only, so that a sum which differs there only warns. */
export function orderTotals(transaction: 'T01' | 'T114'): Context {
  const equations = Object.entries(EQUATIONS).map(([number, one]) => {
    const made = equation(`PEPPOL-${transaction}-${number}`, one);
    return transaction === 'T114' && number === 'R008' ? warning(made) : made;
  });
  return context('cac:AnticipatedMonetaryTotal', [
    zeroOrMore(`PEPPOL-${transaction}-R006`, TO_PAY),
    zeroOrMore(`PEPPOL-${transaction}-R007`, NET),
    ...equations,
  ]);
}
