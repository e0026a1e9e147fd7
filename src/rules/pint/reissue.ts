// Rules that a publisher takes over from another one's set and issues under an id of its own.
import type { Rule, RuleSet } from '#rules/engine/rule.ts';

/** The same question and sentence under another id. A set that has no such rule is a mistake in our tables. */
export function reissued({ name, patterns }: Pick<RuleSet, 'name' | 'patterns'>, id: string, as: string): Rule {
  const found = patterns.flatMap((contexts) => contexts.flatMap(({ rules }) => rules)).find((one) => one.id === id);
  if (!found) throw new Error(`${name} has no rule ${id}`);
  return { ...found, id: as };
}
