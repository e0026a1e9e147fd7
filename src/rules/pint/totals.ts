// The arithmetic of cac:LegalMonetaryTotal and cac:TaxTotal, with the figures in the sentence.
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, fact, first, has, number, numbers, text, trimmed } from '#rules/engine/select.ts';
import { type Decimal, equal, minus, plus, rounded, shown, sum, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { isZero } from './conditions.ts';

/** What is stated is compared as it stands, or rounded first: PINT does the one, Singapore the other. */
type Reading = (stated: Decimal) => Decimal;

export const asStated: Reading = (stated) => stated;
export const asRounded: Reading = (stated) => rounded(stated);

export const lines = fact((root) => [...all(root, 'cac:InvoiceLine'), ...all(root, 'cac:CreditNoteLine')]);

const netOfLines = fact((root) => sum(lines(root).flatMap((line) => numbers(line, 'cbc:LineExtensionAmount'))));
const charges = fact((root) => all(root, 'cac:AllowanceCharge').filter(isCharge));
const allowances = fact((root) => all(root, 'cac:AllowanceCharge').filter(isAllowance));

const amountsOf = (nodes: readonly XmlElement[]): Decimal => sum(nodes.flatMap((node) => numbers(node, 'cbc:Amount')));

function orZero(node: XmlElement, path: string): Decimal {
  return number(node, path) ?? ZERO;
}

export function figure(amount: Decimal | undefined): string {
  return amount === undefined ? 'missing' : shown(amount);
}

function equals(stated: Decimal | undefined, expected: Decimal | undefined): boolean {
  return stated !== undefined && expected !== undefined && equal(stated, expected);
}

export function lineTotal(id: string, read: Reading): Rule {
  const path = 'cbc:LineExtensionAmount';
  const holds: Test = (node, root) => {
    const stated = number(node, path);
    return equals(stated && read(stated), rounded(netOfLines(root)));
  };
  const sentence = (node: XmlElement, root: XmlElement): string =>
    `The sum of the lines is ${figure(number(node, path))} but the line amounts add up to ${shown(rounded(netOfLines(root)))}: correct ${path} or the lines.`;
  return rule(id, holds, sentence, path);
}

function adjustments(id: string, path: string, listed: (root: XmlElement) => readonly XmlElement[], what: string, read: Reading): Rule {
  const holds: Test = (node, root) => {
    const stated = number(node, path);
    if (stated) return equal(read(stated), rounded(amountsOf(listed(root))));
    return !has(node, path) && listed(root).length === 0;
  };
  const sentence = (node: XmlElement, root: XmlElement): string =>
    `The sum of ${what} is ${figure(number(node, path))} but those of the document add up to ${shown(rounded(amountsOf(listed(root))))}: correct ${path} or the ${what}.`;
  return rule(id, holds, sentence, path);
}

export function allowanceTotal(id: string, read: Reading): Rule {
  return adjustments(id, 'cbc:AllowanceTotalAmount', allowances, 'allowances', read);
}

export function chargeTotal(id: string, read: Reading): Rule {
  return adjustments(id, 'cbc:ChargeTotalAmount', charges, 'charges', read);
}

/** Prices contain the tax: totals are worked out the other way round, and these rules are silent. */
export const isTaxIncluded = fact((root) =>
  all(root, 'cac:TaxTotal/cbc:TaxIncludedIndicator').some(({ text }) => ['true', '1'].includes(text.trim())),
);

function netOf(node: XmlElement): Decimal {
  return minus(
    plus(orZero(node, 'cbc:LineExtensionAmount'), orZero(node, 'cbc:ChargeTotalAmount')),
    orZero(node, 'cbc:AllowanceTotalAmount'),
  );
}

export function taxExclusiveTotal(id: string, read: Reading): Rule {
  const path = 'cbc:TaxExclusiveAmount';
  const holds: Test = (node) => {
    const stated = number(node, path);
    if (!stated || !has(node, 'cbc:LineExtensionAmount')) return false;
    const isAdjusted = has(node, 'cbc:ChargeTotalAmount') || has(node, 'cbc:AllowanceTotalAmount');
    return isAdjusted ? equal(read(stated), rounded(netOf(node))) : equal(stated, netOf(node));
  };
  const sentence = (node: XmlElement): string =>
    `The total without tax is ${figure(number(node, path))} but lines ${figure(number(node, 'cbc:LineExtensionAmount'))} - allowances ${shown(orZero(node, 'cbc:AllowanceTotalAmount'))} + charges ${shown(orZero(node, 'cbc:ChargeTotalAmount'))} = ${shown(rounded(netOf(node)))}: correct ${path} or the amounts that it adds up.`;
  return rule(id, holds, sentence, path);
}

/** The tax in the currency of the document, once for each total that states it. */
const taxes = fact((root) => all(root, 'cac:TaxTotal').flatMap((total) => taxesIn(total, root)));

function taxesIn(total: XmlElement, root: XmlElement): readonly Decimal[] {
  const currency = text(root, 'cbc:DocumentCurrencyCode');
  const amounts = all(total, 'cbc:TaxAmount').filter(({ attributes }) => attributes.get('currencyID') === currency);
  return currency === undefined ? [] : amounts.flatMap((amount) => numbers(amount, '.'));
}

const GROSS = 'cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount';

const grossOf = (root: XmlElement): Decimal | undefined => {
  const [tax] = taxes(root);
  const net = number(root, 'cac:LegalMonetaryTotal/cbc:TaxExclusiveAmount');
  return tax && net && rounded(plus(net, tax));
};

/** For the document: total with tax = total without + tax. */
export function isGrossRight(root: XmlElement): boolean {
  return equals(number(root, GROSS), grossOf(root));
}

/** The first tax total is the one in the currency of the document. */
export function isFirstTaxInDocumentCurrency(root: XmlElement): boolean {
  const total = first(root, 'cac:TaxTotal');
  return total !== undefined && taxesIn(total, root).length > 0;
}

export function taxInclusiveTotal(id: string, holds: Test): Rule {
  const sentence = (root: XmlElement): string => {
    const net = number(root, 'cac:LegalMonetaryTotal/cbc:TaxExclusiveAmount');
    const [tax] = taxes(root);
    const currency = trimmed(root, 'cbc:DocumentCurrencyCode') || 'not stated';
    if (!tax)
      return `No tax total is in the document's currency (${currency}), so the total with tax cannot be checked: state cac:TaxTotal/cbc:TaxAmount in it.`;
    if (isGrossRight(root))
      return `The tax in the document's currency (${currency}) is to be stated once, before any other: correct the order of the cac:TaxTotal, or take one out.`;
    return `The total with tax is ${figure(number(root, GROSS))} but net ${figure(net)} + tax ${figure(tax)} = ${figure(grossOf(root))}: correct ${GROSS} or the amounts it adds up.`;
  };
  return rule(id, holds, sentence, GROSS);
}

/** The sum of the tax of the subtotals, where there are any. */
export function taxTotal(id: string, read: Reading): Rule {
  const expected = (node: XmlElement): Decimal => rounded(sum(numbers(node, 'cac:TaxSubtotal/cbc:TaxAmount')));
  const holds: Test = (node) => {
    const stated = number(node, 'cbc:TaxAmount');
    return !has(node, 'cac:TaxSubtotal') || (stated !== undefined && equal(read(stated), expected(node)));
  };
  const sentence = (node: XmlElement): string =>
    `The tax is ${figure(number(node, 'cbc:TaxAmount'))} but the subtotals of its categories add up to ${shown(expected(node))}: correct cbc:TaxAmount or the subtotals.`;
  return rule(id, holds, sentence, 'cbc:TaxAmount');
}

function payableOf(node: XmlElement): Decimal | undefined {
  const gross = number(node, 'cbc:TaxInclusiveAmount');
  return gross && minus(gross, orZero(node, 'cbc:PrepaidAmount'));
}

/** A prepaid or rounding amount of zero counts as none for PINT; for Singapore it is there as soon as it is stated. */
export function payableTotal(id: string, read: Reading, counts: (amount: Decimal | undefined) => boolean): Rule {
  const path = 'cbc:PayableAmount';
  const holds: Test = (node) => {
    const stated = number(node, path);
    const due = payableOf(node);
    if (!stated || !due) return false;
    const rounding = number(node, 'cbc:PayableRoundingAmount');
    const isPrepaid = counts(number(node, 'cbc:PrepaidAmount'));
    if (rounding && counts(rounding)) return equal(rounded(minus(stated, rounding)), isPrepaid ? rounded(due) : read(due));
    return isPrepaid ? equal(read(stated), rounded(due)) : equal(stated, due);
  };
  const sentence = (node: XmlElement): string => {
    const due = payableOf(node);
    const total = due && rounded(plus(due, orZero(node, 'cbc:PayableRoundingAmount')));
    return `The amount to pay is ${figure(number(node, path))} but total with tax ${figure(number(node, 'cbc:TaxInclusiveAmount'))} - prepaid ${shown(orZero(node, 'cbc:PrepaidAmount'))} + rounding ${shown(orZero(node, 'cbc:PayableRoundingAmount'))} = ${figure(total)}: correct ${path} or the amounts that it adds up.`;
  };
  return rule(id, holds, sentence, path);
}

export const countsUnlessZero = (amount: Decimal | undefined): boolean => amount !== undefined && !isZero(amount);
export const countsIfStated = (amount: Decimal | undefined): boolean => amount !== undefined;
