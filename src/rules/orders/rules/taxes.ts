// VAT categories and their rates.
import { shown } from '#rules/engine/kinds.ts';
import { type Rule, rule } from '#rules/engine/rule.ts';
import { has, numbers, trimmed } from '#rules/engine/select.ts';

interface RateIds {
  readonly given: string;
  readonly standard: string;
}

/** A category has a rate, unless it is O (not subject to VAT); the standard rate is above zero. */
export function rates({ given, standard }: RateIds): readonly Rule[] {
  return [
    rule(
      given,
      (node) => has(node, 'cbc:Percent') || trimmed(node, 'cbc:ID') === 'O',
      (node) =>
        `VAT category ${shown(trimmed(node, 'cbc:ID')) || '(none)'} has no rate: add cbc:Percent (only category O, not subject to VAT, has none).`,
    ),
    rule(
      standard,
      (node) => trimmed(node, 'cbc:ID') !== 'S' || numbers(node, 'cbc:Percent').some(({ units }) => units > 0n),
      'VAT category S (standard rate) needs a rate above zero: correct cbc:Percent, or take category Z, E or O.',
      'cbc:Percent',
    ),
  ];
}
