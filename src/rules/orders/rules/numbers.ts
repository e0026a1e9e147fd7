// Numbers that must not be below zero.
import { isNotNegative } from '#rules/common/signs.ts';
import { shown } from '#rules/engine/kinds.ts';
import { type Rule, rule } from '#rules/engine/rule.ts';
import { has, number, numbers, text, texts } from '#rules/engine/select.ts';
import { wordsOf } from '#rules/engine/words.ts';

/** The number is there, and is not negative. */
export function zeroOrMore(id: string, path: string): Rule {
  return rule(
    id,
    (node) => !isNegative(number(node, path)),
    (node) => sentenceOf(path, text(node, path)),
    path,
  );
}

/** No number is negative; there need not be any. */
export function zeroOrMoreIfGiven(id: string, path: string): Rule {
  return rule(
    id,
    (node) => !has(node, path) || numbers(node, path).some((one) => !isNegative(one)),
    (node) => sentenceOf(path, text(node, path)),
    path,
  );
}

/** The same, but compared as floating point: a minus before a zero counts. */
export function withoutMinusIfGiven(id: string, path: string): Rule {
  return { ...zeroOrMoreIfGiven(id, path), holds: (node) => !has(node, path) || texts(node, path).some(isNotNegative) };
}

function isNegative(value: { readonly units: bigint } | undefined): boolean {
  return value === undefined || value.units < 0n;
}

function sentenceOf(path: string, value: string | undefined): string {
  if (value === undefined) return `There is no ${wordsOf(path)}: add ${path}.`;
  return `The ${wordsOf(path)} is '${shown(value)}' but has to be a number that is not below zero: correct ${path}.`;
}
