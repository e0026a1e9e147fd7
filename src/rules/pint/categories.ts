// What jurisdictions ask of a tax category: its rate on lines, allowances and charges, and its subtotal. One table row, one category.
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { type Share, shareOf, taxable } from '#rules/en16931/vat-shares.ts';
import { type Context, context, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { has, number } from '#rules/engine/select.ts';
import { absolute, type Decimal, equal, near, over, rounded, shown, sum, times, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { hasAny, isPositive, isZero } from './conditions.ts';
import { codeOf, countOf, isUnder, type Use } from './tax-uses.ts';

/** The rate that belongs to a category. */
export interface Rate {
  readonly fits: (category: XmlElement) => boolean;
  /** What it must be, and what to do. */
  readonly wanted: string;
}

const rateOf = (category: XmlElement): Decimal | undefined => number(category, 'cbc:Percent');

export const ZERO_RATE: Rate = { fits: (category) => isZero(rateOf(category)), wanted: 'must be 0: write 0 into cbc:Percent' };
export const POSITIVE_RATE: Rate = {
  fits: (category) => isPositive(rateOf(category)),
  wanted: 'must be above 0: write the rate into cbc:Percent',
};
export const NO_RATE: Rate = { fits: (category) => !has(category, 'cbc:Percent'), wanted: 'must not be stated: take cbc:Percent out' };
export const ANY_RATE: Rate = { fits: (category) => has(category, 'cbc:Percent'), wanted: 'must be stated: add cbc:Percent' };

/** The ids of one category's rules: `08` of `e` is `aligned-ibrp-e-08`. */
export const alignedIds =
  (letters: string, ending = '') =>
  (number: string): string =>
    `aligned-ibrp-${letters}-${number}${ending}`;

export interface Category {
  readonly code: string;
  readonly name: string;
  /** The tax whose category it is: VAT, GST. */
  readonly scheme: string;
  /** The official id for the number of a rule. */
  readonly id: (number: string) => string;
  /** 01: what is used must be in the breakdown, exactly once, or at least once, or (whatever the tax is called) if and only if. */
  readonly used?: 'once' | 'some' | 'if and only if';
  /** 05 */
  readonly line?: Rate;
  /** 06 and 07 */
  readonly adjustment?: Rate;
  /** 08: the taxable amount is what lines, charges and allowances make: to the cent, or for each rate within so much. */
  readonly base?: 'exact' | { readonly within: Decimal };
  /** 09: the tax is none, or rate × base within so much. */
  readonly tax?: 'none' | { readonly within: Decimal };
  /** 10: taxed as usual, so there is no reason why not. */
  readonly unexempted?: true;
  /** 11 to 14: there is no other category beside it. */
  readonly alone?: true;
  /** A rate that is not stated counts as 0. */
  readonly unratedIsZero?: true;
  /** Its subtotals are looked at wherever they stand, not only in the totals of the document. */
  readonly anywhere?: true;
  /** What a jurisdiction asks beyond. */
  readonly ofLines?: readonly Rule[];
  readonly ofSubtotals?: readonly Rule[];
}

const LINE_TAGS = ['cac:InvoiceLine', 'cac:CreditNoteLine'];
const SUBTOTAL = 'cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory';

export function categoryContexts(category: Category): readonly Context[] {
  const { code, scheme, line, adjustment, anywhere } = category;
  const isOfCategory: Test = (node) => codeOf(node) === code && isUnder(node, scheme);
  const below =
    (kind: (node: XmlElement) => boolean): Test =>
    (node, root) =>
      node.parent !== null && kind(node.parent) && isOfCategory(node, root);
  const path = 'cac:AllowanceCharge/cac:TaxCategory';
  return [
    context(LINE_TAGS.map((tag) => `${tag}/cac:Item/cac:ClassifiedTaxCategory`).join(' | '), isOfCategory, [
      ...(line ? [rated(category, '05', line, 'line')] : []),
      ...(category.ofLines ?? []),
    ]),
    ...(adjustment
      ? [
          context(path, below(isAllowance), [rated(category, '06', adjustment, 'allowance')]),
          context(path, below(isCharge), [rated(category, '07', adjustment, 'charge')]),
        ]
      : []),
    context(anywhere ? SUBTOTAL : `/*/${SUBTOTAL}`, isOfCategory, [...subtotalRules(category), ...(category.ofSubtotals ?? [])]),
  ];
}

function titled({ code, name }: Category): string {
  return `${code} (${name})`;
}

function rated(category: Category, number: string, { fits, wanted }: Rate, what: string): Rule {
  return rule(category.id(number), fits, `The ${what} is in the tax category ${titled(category)}, so its rate ${wanted}.`, 'cbc:Percent');
}

function subtotalRules(category: Category): readonly Rule[] {
  const { base, tax, unexempted } = category;
  const rules = [
    base && (base === 'exact' ? exactBase(category) : baseOfRate(category, base.within)),
    tax && (tax === 'none' ? noTax(category) : taxOfRate(category, tax.within)),
    unexempted && noReason(category),
  ];
  return rules.filter((one) => one !== undefined);
}

const BASE = '../cbc:TaxableAmount';
const TAX = '../cbc:TaxAmount';

function baseSentence(category: Category, expected: (node: XmlElement, root: XmlElement) => Decimal): Rule['sentence'] {
  return (node, root) =>
    `The taxable amount of category ${titled(category)} is ${shown(number(node, BASE) ?? ZERO)} but its lines, charges and allowances make ${shown(expected(node, root))}: correct cbc:TaxableAmount or the tax categories of the lines.`;
}

function lineTagOf(root: XmlElement): string {
  return root.tag === 'CreditNote' ? 'cac:CreditNoteLine' : 'cac:InvoiceLine';
}

function exactBase(category: Category): Rule {
  const expected = (_: XmlElement, root: XmlElement): Decimal => taxable(shareOf(root, category.code), lineTagOf(root));
  const holds: Test = (node, root) => {
    const stated = number(node, BASE);
    return stated !== undefined && has(root, lineTagOf(root)) && equal(stated, expected(node, root));
  };
  return rule(category.id('08'), holds, baseSentence(category, expected), BASE);
}

function rateIn({ unratedIsZero }: Category, node: XmlElement): Decimal | undefined {
  return rateOf(node) ?? (unratedIsZero && !has(node, 'cbc:Percent') ? ZERO : undefined);
}

/** The official test also asks the lines of the other kind of document, of which there are none: allowances and charges may stand alone. */
function baseOfRate(category: Category, within: Decimal): Rule {
  const sharesOf = (node: XmlElement, root: XmlElement): readonly Readonly<Share>[] => {
    const rate = rateIn(category, node) ?? ZERO;
    const rated = shareOf(root, category.code, rate);
    return category.unratedIsZero && isZero(rate) ? [rated, shareOf(root, category.code, 'unrated')] : [rated];
  };
  const expected = (shares: readonly Readonly<Share>[], tag: string): Decimal => sum(shares.map((share) => taxable(share, tag)));
  const holds: Test = (node, root) => {
    const stated = number(node, BASE);
    if (!stated || !rateIn(category, node)) return false;
    const shares = sharesOf(node, root);
    return LINE_TAGS.some(
      (tag) => shares.some(({ lines, adjusted }) => lines.has(tag) || adjusted) && near(stated, expected(shares, tag), within),
    );
  };
  return rule(
    category.id('08'),
    holds,
    baseSentence(category, (node, root) => expected(sharesOf(node, root), lineTagOf(root))),
    BASE,
  );
}

function noTax(category: Category): Rule {
  const sentence = `Nothing is taxed in category ${titled(category)}: write 0 into cbc:TaxAmount, or choose the category that fits.`;
  return rule(category.id('09'), (node) => isZero(number(node, TAX)), sentence, TAX);
}

const HUNDRED: Decimal = { units: 100n, scale: 0 };

/** `base × rate / 100`, rounded to cents. */
export function taxOf(base: Decimal, rate: Decimal): Decimal {
  return rounded(over(times(base, rate), HUNDRED) ?? ZERO);
}

function taxOfRate(category: Category, within: Decimal): Rule {
  const expected = (node: XmlElement): Decimal | undefined => {
    const base = number(node, BASE);
    const rate = rateIn(category, node);
    return base && rate && taxOf(absolute(base), rate);
  };
  const holds: Test = (node) => {
    const stated = number(node, TAX);
    const tax = expected(node);
    return stated !== undefined && tax !== undefined && near(absolute(stated), tax, within);
  };
  const sentence = (node: XmlElement): string => {
    const tax = expected(node);
    const shouldBe = tax
      ? `${shown(number(node, BASE) ?? ZERO)} at ${shown(rateIn(category, node) ?? ZERO, 0)} % = ${shown(tax)}`
      : 'its rate or its base is missing';
    return `The tax of category ${titled(category)} is ${shown(number(node, TAX) ?? ZERO)} but ${shouldBe}: correct cbc:TaxAmount, cbc:TaxableAmount or cbc:Percent.`;
  };
  return rule(category.id('09'), holds, sentence, TAX);
}

function noReason(category: Category): Rule {
  const holds: Test = (node) => !hasAny(node, 'cbc:TaxExemptionReason', 'cbc:TaxExemptionReasonCode');
  const sentence = `Category ${titled(category)} is taxed, so there is no reason why not: take cbc:TaxExemptionReason and cbc:TaxExemptionReasonCode out.`;
  return rule(category.id('10'), holds, sentence);
}

/** What is asked of the document for its categories. */
export function documentRules(categories: readonly Category[]): readonly Rule[] {
  return categories.flatMap((category) => [...usedRules(category), ...(category.alone ? aloneRules(category) : [])]);
}

function usedRules(category: Category): readonly Rule[] {
  const { used, code, scheme } = category;
  if (!used) return [];
  const inScheme = (use: Use): boolean => use.code === code && use.schemes.includes(scheme);
  const holdsInScheme: Test = (root) => {
    if (countOf(root, inScheme) === 0) return true;
    const subtotals = countOf(root, (use) => use.place === 'breakdown' && inScheme(use));
    return used === 'once' ? subtotals === 1 : subtotals > 0;
  };
  const holdsInAny: Test = (root) => {
    const taxed = countOf(root, (use) => use.code === code && ['line', 'allowance', 'charge'].includes(use.place));
    const subtotals = countOf(root, (use) => use.code === code && use.place === 'breakdown');
    return taxed > 0 === subtotals > 0;
  };
  const times = used === 'once' ? 'exactly one subtotal' : 'a subtotal';
  const sentence = `Where the tax category ${titled(category)} is used, the tax breakdown has ${times} for it, and only there: correct the cac:TaxSubtotal or the tax categories of the lines, allowances and charges.`;
  return [rule(category.id('01'), used === 'if and only if' ? holdsInAny : holdsInScheme, sentence, 'cac:TaxTotal')];
}

function aloneRules({ code, name, scheme, id }: Category): readonly Rule[] {
  const isSole = (use: Use): boolean => use.place === 'breakdown' && use.code === code && use.schemes.includes(scheme);
  const nothingElse = (number: string, place: Use['place'], what: string): Rule => {
    const holds: Test = (root) =>
      countOf(root, isSole) === 0 || countOf(root, (use) => use.place === place && use.code !== code && use.schemes.includes(scheme)) === 0;
    return rule(
      id(number),
      holds,
      `The tax breakdown has category ${code} (${name}), which stands alone, but ${what} is in another one: use ${code} everywhere, or nowhere.`,
    );
  };
  return [
    nothingElse('11', 'breakdown', 'a subtotal'),
    nothingElse('12', 'line', 'a line'),
    nothingElse('13', 'allowance', 'an allowance'),
    nothingElse('14', 'charge', 'a charge'),
  ];
}
