// Lines of orders and of responses: each with a number of its own.
import { shown } from '#rules/engine/kinds.ts';
import { type Rule, rule } from '#rules/engine/rule.ts';
import { everywhere, fact, text, texts } from '#rules/engine/select.ts';

export const LINE = 'cac:OrderLine/cac:LineItem';

const timesUsed = fact((root) => {
  const times = new Map<string, number>();
  for (const line of everywhere(root, 'cac:LineItem')) {
    for (const id of new Set(texts(line, 'cbc:ID'))) times.set(id, (times.get(id) ?? 0) + 1);
  }
  return times;
});

/** No other line of the document has the number of this one. */
export function uniqueLine(id: string): Rule {
  return rule(
    id,
    (node, root) => timesUsed(root).get(text(node, 'cbc:ID') ?? '') === 1,
    (node, root) => {
      const number = text(node, 'cbc:ID');
      if (number === undefined) return 'The line has no number: add cbc:ID.';
      return `${timesUsed(root).get(number) ?? 0} lines have the number '${shown(number)}': give each its own cbc:ID.`;
    },
    'cbc:ID',
  );
}
