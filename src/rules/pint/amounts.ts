// Amounts that jurisdictions check alike.
import { type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { everywhere, fact, has, numbers } from '#rules/engine/select.ts';
import { type Decimal, decimalOf, ZERO } from '#ubl/decimal.ts';

/** A tolerance, as it is written. */
export function within(amount: string): Decimal {
  return decimalOf(amount) ?? ZERO;
}

export function baseWithPercentage(id: string): Rule {
  const holds: Test = (node) => has(node, 'cbc:MultiplierFactorNumeric') === has(node, 'cbc:BaseAmount');
  return rule(
    id,
    holds,
    'A percentage needs its base, and a base its percentage: state cbc:BaseAmount and cbc:MultiplierFactorNumeric both, or neither.',
  );
}

const isDueKnown = fact(
  (root) => everywhere(root, 'cbc:DueDate').length > 0 || everywhere(root, 'cac:PaymentTerms').some((terms) => has(terms, 'cbc:Note')),
);

/** Where something is to be paid, it is said until when; and how much is to be paid must be known. */
export function dueDate(id: string, amount: string): Rule {
  const holds: Test = (node, root) => numbers(node, amount).some(({ units }) => units <= 0n || isDueKnown(root));
  const sentence = 'There is something to pay, but not until when: add cbc:DueDate, or cac:PaymentTerms/cbc:Note.';
  return rule(id, holds, sentence, amount);
}
