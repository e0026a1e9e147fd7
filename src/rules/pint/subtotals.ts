// What jurisdictions ask of every tax subtotal, and of the tax registrations of the seller.
import { required } from '#rules/kinds.ts';
import { type Rule, rule, type Test } from '#rules/rule.ts';
import { all, has, texts } from '#rules/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
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

function registrations(root: XmlElement, fits: (scheme: string) => boolean): number {
  const fitting = all(root, REGISTRATION).filter((one) => texts(one, 'cac:TaxScheme/cbc:ID').some((id) => fits(id.toUpperCase())));
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
