// What jurisdictions ask of every tax subtotal, and of the tax registrations of the seller.
import { required } from '#rules/engine/kinds.ts';
import { type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, has, number, numbers, text } from '#rules/engine/select.ts';
import { absolute, type Decimal, rounded, shown, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { taxOf } from './categories.ts';
import { isZero } from './conditions.ts';
import { codeOf, isUnder } from './tax-uses.ts';

export function taxableAmountNeeded(id: string): Rule {
  return required(id, 'cbc:TaxableAmount', 'The tax subtotal does not say what was taxed: add cbc:TaxableAmount.');
}

export function taxAmountNeeded(id: string): Rule {
  return required(id, 'cbc:TaxAmount', 'The tax subtotal does not say how much the tax is: add cbc:TaxAmount.');
}

/** The categories at the path that belong to this tax. */
export function categoriesUnder(node: XmlElement, path: string, scheme: string): readonly XmlElement[] {
  return all(node, path).filter((category) => isUnder(category, scheme));
}

/** There is a category of this tax, with a code. */
export function categoryNeeded(id: string, scheme: string, what: string, path = 'cac:TaxCategory', where: Test = () => true): Rule {
  const holds: Test = (node, root) => !where(node, root) || categoriesUnder(node, path, scheme).some((category) => has(category, 'cbc:ID'));
  return rule(id, holds, `The ${what} has no tax category: add ${path} with cbc:ID and cac:TaxScheme/cbc:ID ${scheme}.`, path);
}

/** There is a rate, unless the category is one of these. */
export function rateNeeded(id: string, scheme: string, ...unrated: readonly string[]): Rule {
  const holds: Test = (node) =>
    categoriesUnder(node, 'cac:TaxCategory', scheme).some((category) => has(category, 'cbc:Percent') || unrated.includes(codeOf(category)));
  return rule(
    id,
    holds,
    `The tax subtotal has no rate: add cac:TaxCategory/cbc:Percent (only ${unrated.join(' and ')} go without) under the tax scheme ${scheme}.`,
    'cac:TaxCategory',
  );
}

const REGISTRATION = 'cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme';

/** Those under the taxes that fit; a tax without a name has an empty one. */
function registrations(root: XmlElement, fits: (scheme: string) => boolean): number {
  const isFitting = (taxScheme: XmlElement): boolean => fits((text(taxScheme, 'cbc:ID') ?? '').toUpperCase());
  const fitting = all(root, REGISTRATION).filter((one) => all(one, 'cac:TaxScheme').some(isFitting));
  return fitting.reduce((count, one) => count + all(one, 'cbc:CompanyID').length, 0);
}

export function taxNumberOnce(id: string, scheme: string): Rule {
  const holds: Test = (_, root) => registrations(root, (stated) => stated === scheme) <= 1;
  return rule(id, holds, `The seller has several ${scheme} numbers: keep one ${REGISTRATION} for ${scheme}.`, REGISTRATION);
}

export function otherTaxNumberOnce(id: string, scheme: string): Rule {
  const holds: Test = (_, root) => registrations(root, (stated) => stated !== scheme) <= 1;
  return rule(id, holds, `The seller has several tax registrations beside ${scheme}: keep one ${REGISTRATION}.`, REGISTRATION);
}

function isSplit(total: XmlElement): boolean {
  return has(total, 'cac:TaxSubtotal');
}

/** Exactly one tax total has subtotals. */
export function splitTotalOnce(id: string): Rule {
  const holds: Test = (root) => all(root, 'cac:TaxTotal').filter(isSplit).length === 1;
  return rule(id, holds, 'Exactly one tax total states the tax by category: give one cac:TaxTotal its cac:TaxSubtotal.', 'cac:TaxTotal');
}

/** One more is there, without subtotals, if and only if there is a tax currency. */
export function totalInTaxCurrency(id: string): Rule {
  const holds: Test = (root) => {
    const unsplit = all(root, 'cac:TaxTotal').filter((total) => !isSplit(total)).length;
    return unsplit === (has(root, 'cbc:TaxCurrencyCode') ? 1 : 0);
  };
  const sentence =
    'One tax total without subtotals goes with cbc:TaxCurrencyCode, and none without it: add the total in that currency, or take it out.';
  return rule(id, holds, sentence, 'cac:TaxTotal');
}

/** The tax of a subtotal is rate × base, as far as `fits` says; without a rate, or at one that rounds to 0, it rounds to 0. */
export function taxOfSubtotal(id: string, scheme: string, fits: (tax: Decimal, expected: Decimal) => boolean): Rule {
  const rateOf = (node: XmlElement): Decimal | undefined =>
    categoriesUnder(node, 'cac:TaxCategory', scheme).flatMap((category) => numbers(category, 'cbc:Percent'))[0];
  const holds: Test = (node) => {
    const tax = number(node, 'cbc:TaxAmount');
    const rate = rateOf(node);
    if (!tax) return false;
    if (!rate || isZero(rounded(rate, 0))) return isZero(rounded(tax, 0));
    const base = number(node, 'cbc:TaxableAmount');
    return base !== undefined && fits(absolute(tax), taxOf(absolute(base), rate));
  };
  const sentence = (node: XmlElement): string => {
    const base = number(node, 'cbc:TaxableAmount') ?? ZERO;
    const rate = rateOf(node) ?? ZERO;
    return `The tax is ${shown(number(node, 'cbc:TaxAmount') ?? ZERO)} but ${shown(base)} at ${shown(rate, 0)} % make ${shown(taxOf(base, rate))}: correct cbc:TaxAmount, cbc:TaxableAmount or the rate.`;
  };
  return rule(id, holds, sentence, 'cbc:TaxAmount');
}
