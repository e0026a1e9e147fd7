// Questions that rules of several jurisdictions ask of a node, answered as XPath answers them: one match is enough.
import { nonEmpty } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { has, texts, trimmed } from '#rules/engine/select.ts';
import { compare, type Decimal, equal, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** A value at the path is one of these, exactly as it is written. */
export function says(node: XmlElement, path: string, ...values: readonly string[]): boolean {
  return texts(node, path).some((value) => values.includes(value));
}

/** A value at the path is none of these; without a value there is nothing that differs. */
export function saysOther(node: XmlElement, path: string, ...values: readonly string[]): boolean {
  return texts(node, path).some((value) => !values.includes(value));
}

export function hasAny(node: XmlElement, ...paths: readonly string[]): boolean {
  return paths.some((path) => has(node, path));
}

export function isFilled(node: XmlElement, path: string): boolean {
  return trimmed(node, path) !== '';
}

/** It stands directly on the document, not on a line. */
export function isOnDocument({ parent }: XmlElement): boolean {
  return parent !== null && parent.parent === null;
}

export function isZero(number: Decimal | undefined): boolean {
  return number !== undefined && equal(number, ZERO);
}

export function isPositive(number: Decimal | undefined): boolean {
  return number !== undefined && compare(number, ZERO) > 0;
}

/** `condition` → `consequence`: a rule that only speaks where the condition is met. */
export function ruleWhere(id: string, condition: Test, consequence: Test, sentence: Rule['sentence'], at?: string): Rule {
  return rule(id, (node, root) => !condition(node, root) || consequence(node, root), sentence, at);
}

/** The CustomizationID begins with one of these; blanks around it are forgiven. */
export function customized(id: string, ...beginnings: readonly string[]): Rule {
  const holds: Test = (node) => beginnings.some((start) => trimmed(node, 'cbc:CustomizationID').startsWith(start));
  const sentence = `The CustomizationID is not of this specification: begin cbc:CustomizationID with ${beginnings.join(' or ')}.`;
  return rule(id, holds, sentence, 'cbc:CustomizationID');
}

/** The ProfileID names one of these business processes; some jurisdictions only want it to begin so. */
export function profiled(id: string, ...processes: readonly string[]): Rule {
  return inProcess(id, processes, (profile, process) => profile.includes(process));
}

export function profiledFromStart(id: string, ...processes: readonly string[]): Rule {
  return inProcess(id, processes, (profile, process) => profile.startsWith(process));
}

function inProcess(id: string, processes: readonly string[], names: (profile: string, process: string) => boolean): Rule {
  const holds: Test = (node) => processes.some((process) => names(trimmed(node, 'cbc:ProfileID'), process));
  const sentence = `The business process is not one of this specification: write ${processes[0]} into cbc:ProfileID.`;
  return rule(id, holds, sentence, 'cbc:ProfileID');
}

/** The tax point is a date or a code, not both. */
export function oneTaxPoint(id: string): Rule {
  const holds: Test = (root) => !has(root, 'cbc:TaxPointDate') || !has(root, 'cac:InvoicePeriod/cbc:DescriptionCode');
  const sentence = 'The tax point is stated as a date and as a code: keep cbc:TaxPointDate or cac:InvoicePeriod/cbc:DescriptionCode.';
  return rule(id, holds, sentence, 'cbc:TaxPointDate');
}

/** A credit transfer says to which account. */
export function transferAccount(id: string): Context {
  const sentence = 'A credit transfer needs an account: fill cac:PayeeFinancialAccount/cbc:ID.';
  const isTransfer: Test = (node) => says(node, '../cbc:PaymentMeansCode', '30', '58');
  return context('cac:PaymentMeans/cac:PayeeFinancialAccount', isTransfer, [nonEmpty(id, 'cbc:ID', sentence)]);
}
