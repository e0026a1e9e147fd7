// Elements with nothing in them: no child, and no character but white space.
import { context, type Pattern, rule } from '#rules/engine/rule.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** No element is empty; its attributes do not fill it. */
export function noEmptyElements(id: string): Pattern {
  const sentence = ({ tag }: XmlElement): string => `${tag} is empty: give it a value, or take it out.`;
  return [context('*', isEmpty, [rule(id, () => false, sentence)])];
}

function isEmpty({ children, text }: XmlElement): boolean {
  return children.length === 0 && !/[^ \t\r\n]/.test(text);
}
