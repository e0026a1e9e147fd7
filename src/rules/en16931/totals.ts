// The totals of the document: each is the sum of what it says, to the cent.
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { informational, maxDecimals, required } from '#rules/engine/kinds.ts';
import { context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { all, everywhere, fact, has, number, numbers, text, trimmed } from '#rules/engine/select.ts';
import { absolute, compare, type Decimal, equal, minus, ONE, plus, rounded, shown, sum, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { DOCUMENT, LINE_TAGS } from './places.ts';

const NET = 'cbc:LineExtensionAmount';
const ALLOWANCES = 'cbc:AllowanceTotalAmount';
const CHARGES = 'cbc:ChargeTotalAmount';
const WITHOUT_VAT = 'cbc:TaxExclusiveAmount';
const WITH_VAT = 'cbc:TaxInclusiveAmount';
const PREPAID = 'cbc:PrepaidAmount';
const ROUNDING = 'cbc:PayableRoundingAmount';
const PAYABLE = 'cbc:PayableAmount';

export const TOTALS: Pattern = [
  context('cac:LegalMonetaryTotal', [
    needed('BR-12', NET, 'sum of the lines'),
    needed('BR-13', WITHOUT_VAT, 'total without VAT'),
    needed('BR-14', WITH_VAT, 'total with VAT'),
    needed('BR-15', PAYABLE, 'amount to pay'),
    rule('BR-CO-10', sumsLines, linesSentence, NET),
    ofDocument('BR-CO-11', ALLOWANCES, 'allowances', isAllowance),
    ofDocument('BR-CO-12', CHARGES, 'charges', isCharge),
    rule('BR-CO-13', addsUpWithoutVat, withoutVatSentence, WITHOUT_VAT),
    rule('BR-CO-16', leavesToPay, payableSentence, PAYABLE),
    maxDecimals('BR-DEC-09', NET),
    maxDecimals('BR-DEC-10', ALLOWANCES),
    maxDecimals('BR-DEC-11', CHARGES),
    maxDecimals('BR-DEC-12', WITHOUT_VAT),
    maxDecimals('BR-DEC-14', WITH_VAT),
    maxDecimals('BR-DEC-16', PREPAID),
    maxDecimals('BR-DEC-17', ROUNDING),
    maxDecimals('BR-DEC-18', PAYABLE),
  ]),
  context(DOCUMENT, [
    rule('BR-CO-15', addsVat, vatSentence, `cac:LegalMonetaryTotal/${WITH_VAT}`),
    // The official tests look for the document's currency inside the amount, where there is none: they cannot fail. UBL-DT-01 sees to it.
    informational('BR-DEC-13'),
    informational('BR-DEC-15'),
  ]),
];

function needed(id: string, path: string, what: string): Rule {
  return required(id, path, `The document has no ${what}: add cac:LegalMonetaryTotal/${path}.`);
}

/** For a sentence: '1,000.00', or what is to be said where there is no number. */
function figure(amount: Decimal | undefined): string {
  return amount ? shown(amount) : 'not given';
}

/** 'lines 10.00 + charges 2.00 = 12.00', or the one term that there is. */
function addedUp(terms: readonly string[], total: Decimal): string {
  return terms.length === 1 ? `it is made of one amount only, ${terms[0]}` : `${terms.join(' ')} = ${shown(total)}`;
}

function unchecked(what: string, path: string): string {
  return `The ${what} does not follow from anything, because cac:LegalMonetaryTotal/${path} is missing or is no number: give it.`;
}

const netOfLines = fact((root) => rounded(sum(LINE_TAGS.flatMap((tag) => everywhere(root, tag)).flatMap((line) => numbers(line, NET)))));

function sumsLines(node: XmlElement, root: XmlElement): boolean {
  const stated = number(node, NET);
  return stated !== undefined && equal(stated, netOfLines(root));
}

function linesSentence(node: XmlElement, root: XmlElement): string {
  return `The sum of the lines is ${figure(number(node, NET))}, but their net amounts add up to ${shown(netOfLines(root))}: correct cac:LegalMonetaryTotal/${NET} or the ${NET} of a line.`;
}

/** The sum of the document's allowances or charges; undefined when it has none. */
function sumOf(node: XmlElement, kind: typeof isCharge): Decimal | undefined {
  const found = all(node, '../cac:AllowanceCharge').filter(kind);
  return found.length === 0 ? undefined : rounded(sum(found.flatMap((one) => numbers(one, 'cbc:Amount'))));
}

function ofDocument(id: string, path: string, what: string, kind: typeof isCharge): Rule {
  const holds = (node: XmlElement): boolean => {
    const stated = number(node, path);
    const added = sumOf(node, kind);
    return stated === undefined ? !has(node, path) && added === undefined : equal(stated, added ?? ZERO);
  };
  const sentence = (node: XmlElement): string =>
    `The total of ${what} is ${figure(number(node, path))}, but the ${what} of the document add up to ${shown(sumOf(node, kind) ?? ZERO)}: correct cac:LegalMonetaryTotal/${path}.`;
  return rule(id, holds, sentence, path);
}

function withoutVat(node: XmlElement): Decimal | undefined {
  const net = number(node, NET);
  if (!net || !(has(node, CHARGES) || has(node, ALLOWANCES))) return net;
  return rounded(minus(plus(net, number(node, CHARGES) ?? ZERO), number(node, ALLOWANCES) ?? ZERO));
}

function addsUpWithoutVat(node: XmlElement): boolean {
  const stated = number(node, WITHOUT_VAT);
  const added = withoutVat(node);
  return stated !== undefined && added !== undefined && equal(stated, added);
}

function withoutVatSentence(node: XmlElement): string {
  const added = withoutVat(node);
  if (!added) return unchecked('total without VAT', NET);
  const terms = [
    `lines ${figure(number(node, NET))}`,
    ...(has(node, ALLOWANCES) ? [`- allowances ${figure(number(node, ALLOWANCES))}`] : []),
    ...(has(node, CHARGES) ? [`+ charges ${figure(number(node, CHARGES))}`] : []),
  ];
  return `The total without VAT is ${figure(number(node, WITHOUT_VAT))} but ${addedUp(terms, added)}: correct cac:LegalMonetaryTotal/${WITHOUT_VAT} or the amounts it adds up.`;
}

/** Totals of VAT in the currency of the document; there must be one. */
function vatOf(root: XmlElement): readonly XmlElement[] {
  const currency = text(root, 'cbc:DocumentCurrencyCode');
  return all(root, 'cac:TaxTotal/cbc:TaxAmount').filter(({ attributes }) => attributes.get('currencyID') === currency);
}

function withVat(root: XmlElement): Decimal | undefined {
  const [vat] = vatOf(root);
  const net = number(root, `cac:LegalMonetaryTotal/${WITHOUT_VAT}`);
  const tax = vat && number(vat, '.');
  return net && tax && rounded(plus(net, tax));
}

function addsVat(node: XmlElement): boolean {
  if (!has(node, 'cbc:DocumentCurrencyCode')) return true;
  const stated = number(node, `cac:LegalMonetaryTotal/${WITH_VAT}`);
  const added = withVat(node);
  return vatOf(node).length === 1 && stated !== undefined && added !== undefined && equal(stated, added);
}

function vatSentence(node: XmlElement): string {
  const currency = trimmed(node, 'cbc:DocumentCurrencyCode');
  const [vat, ...more] = vatOf(node);
  if (!vat)
    return `No total of VAT is in ${currency}, the currency of the document: give one cac:TaxTotal/cbc:TaxAmount currencyID="${currency}".`;
  if (more.length > 0)
    return `${more.length + 1} totals of VAT are in ${currency}, the currency of the document: keep one cac:TaxTotal of them.`;
  const added = withVat(node);
  if (!added) return unchecked('total with VAT', WITHOUT_VAT);
  const [stated, net] = [WITH_VAT, WITHOUT_VAT].map((path) => number(node, `cac:LegalMonetaryTotal/${path}`));
  return `The total with VAT is ${figure(stated)} but net ${figure(net)} + VAT ${figure(number(vat, '.'))} = ${shown(added)}: correct cac:LegalMonetaryTotal/${WITH_VAT} or the amounts it adds up.`;
}

function leavesToPay(node: XmlElement): boolean {
  const payable = number(node, PAYABLE);
  const total = number(node, WITH_VAT);
  if (!payable || !total) return false;
  const owed = has(node, PREPAID) ? rounded(minus(total, number(node, PREPAID) ?? ZERO)) : total;
  return equal(has(node, ROUNDING) ? rounded(minus(payable, number(node, ROUNDING) ?? ZERO)) : payable, owed);
}

function payableSentence(node: XmlElement): string {
  const [total, prepaid, rounding] = [WITH_VAT, PREPAID, ROUNDING].map((path) => number(node, path));
  if (!total) return unchecked('amount to pay', WITH_VAT);
  const terms = [
    `total with VAT ${shown(total)}`,
    ...(prepaid ? [`- prepaid ${shown(prepaid)}`] : []),
    ...(rounding ? [`+ rounding ${shown(rounding)}`] : []),
  ];
  const owed = rounded(plus(minus(total, prepaid ?? ZERO), rounding ?? ZERO));
  return `The amount to pay is ${figure(number(node, PAYABLE))} but ${addedUp(terms, owed)}: correct cac:LegalMonetaryTotal/${PAYABLE} or the amounts it follows from${roundingAdvice(minus(number(node, PAYABLE) ?? owed, owed), rounding)}.`;
}

/** Less than one apart: it was rounded for paying, which has to be said. */
function roundingAdvice(difference: Decimal, stated: Decimal | undefined): string {
  const isRounding = stated === undefined && !equal(difference, ZERO) && compare(absolute(difference), ONE) < 0;
  return isRounding ? `; if it is rounded on purpose, add cbc:PayableRoundingAmount with ${shown(difference)}` : '';
}
