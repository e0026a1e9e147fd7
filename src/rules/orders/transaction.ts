// A transaction of the ordering family as a rule set: what all of them ask, the outline, and the rules of its own.

import { realDates } from '#rules/common/dates.ts';
import { noEmptyElements } from '#rules/common/empty-elements.ts';
import { PEPPOL_IDENTIFIERS } from '#rules/common/identifiers.ts';
import { latestRuleSet } from '#rules/common/latest.ts';
import { noSchemaLocation } from '#rules/engine/kinds.ts';
import { context, type Pattern, type RuleSet, warning } from '#rules/engine/rule.ts';
import { outlined, type Part } from '#rules/orders/outline/outline.ts';

/** Rules that a document has to keep, whatever its transaction; the same patterns for all. */
const COMMON: readonly Pattern[] = [
  noEmptyElements('PEPPOL-COMMON-R001'),
  [context('/*', [warning(noSchemaLocation('PEPPOL-COMMON-R003'))]), realDates('PEPPOL-COMMON-R030'), ...PEPPOL_IDENTIFIERS],
];

interface Transaction {
  /** The rule set's name: `order`. */
  readonly name: string;
  /** As Peppol numbers it: `T01`. */
  readonly number: string;
  readonly outline: Part;
  readonly rules: Pattern;
  /** Patterns that look at nodes which `rules` have looked at already. */
  readonly more?: readonly Pattern[];
}

export function ruleSetOf({ name, number, outline, rules, more = [] }: Transaction): RuleSet {
  return latestRuleSet(name, [...COMMON, outlined(number, outline), rules, ...more]);
}
