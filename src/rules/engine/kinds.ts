// Rules that are rows of a table: one function for each kind, with a sentence that fits every row of it.

import type { XmlElement } from '#ubl/tree.ts';
import { type CodeList, suggestion } from './codes.ts';
import { type Pattern, type Rule, rule } from './rule.ts';
import { all, count, first, has, isFilled, normalized, stringOf, texts } from './select.ts';
import { anyOf, wordsOf } from './words.ts';

/** There is such an element. */
export function required(id: string, path: string, sentence?: string): Rule {
  const fallback = ({ tag }: XmlElement): string => `The ${wordsOf(tag)} has no ${wordsOf(path)}: add ${path}.`;
  return rule(id, (node) => has(node, path), sentence ?? fallback, path);
}

/** There is one, and it is not empty. */
export function nonEmpty(id: string, path: string, sentence: string): Rule {
  return rule(id, (node) => texts(node, path).some(isFilled), sentence, path);
}

export function requiredAttribute(id: string, name: string, sentence?: string): Rule {
  const fallback = ({ tag }: XmlElement): string => `The ${wordsOf(tag)} has no ${name}: add the attribute ${name}="…" to ${tag}.`;
  return rule(id, (node) => node.attributes.has(name), sentence ?? fallback);
}

interface Times {
  readonly min?: number;
  readonly max: number;
}

/** So many elements at the path. */
export function occurs(id: string, path: string, { min = 0, max }: Times, sentence?: string): Rule {
  const allowed = max === 0 ? 'none is allowed' : min === max ? `exactly ${max} must be there` : `at most ${max} may be there`;
  const fallback = (node: XmlElement): string => {
    const found = count(node, path);
    const remedy = found < min ? 'add what is missing' : max === 0 ? 'take it out' : 'keep the one that is meant';
    return `The ${wordsOf(node.tag)} has ${found} of ${path}, but ${allowed}: ${remedy}.`;
  };
  const holds = (node: XmlElement): boolean => {
    const found = count(node, path);
    return found >= min && found <= max;
  };
  return rule(id, holds, sentence ?? fallback, path);
}

/** Digits that an amount may have after the point. */
const DECIMALS_MAX = 2;

/** Amounts at the path have no more digits after the point: all that is written after it counts, zeros and white space too. */
export function maxDecimals(id: string, path: string): Rule {
  const tooLong = (element: XmlElement): boolean => {
    const value = stringOf(element);
    const point = value.indexOf('.');
    return point !== -1 && value.length - point - 1 > DECIMALS_MAX;
  };
  const sentence = (node: XmlElement): string => {
    const wrong = all(node, path).find(tooLong);
    return `The ${wordsOf(path === '.' ? node.tag : path)} '${wrong ? wrong.text.trim() : ''}' has more than ${DECIMALS_MAX} digits after the point: round it.`;
  };
  const holds = (node: XmlElement): boolean => first(node, path) === undefined || !all(node, path).some(tooLong);
  return rule(id, holds, sentence, path);
}

/** The node's own value, without white space around it, is this one. */
export function fixed(id: string, value: string): Rule {
  const sentence = (node: XmlElement): string =>
    `The ${wordsOf(node.tag)} is '${shown(stringOf(node))}' but must be '${value}': correct ${node.tag}.`;
  return rule(id, (node) => normalized(stringOf(node)) === value, sentence);
}

/** The value at the path (the node's own, unless said otherwise) is one of the list; where there is none, the rule holds. */
export function coded(id: string, list: CodeList, path = '.'): Rule {
  return codedAs(normalized, id, list, path);
}

/** The same, but white space around the value is not forgiven. */
export function codedExactly(id: string, list: CodeList, path: string): Rule {
  return codedAs((value) => value, id, list, path);
}

function codedAs(read: (value: string) => string, id: string, list: CodeList, path: string): Rule {
  const isWrong = (value: string): boolean => !list.values.has(read(value));
  const wrongIn = (node: XmlElement): string | undefined => {
    if (path !== '.') return texts(node, path).find(isWrong);
    const own = stringOf(node);
    return isWrong(own) ? own : undefined;
  };
  const sentence = (node: XmlElement): string => {
    const wrong = wrongIn(node) ?? '';
    const what = path === '.' ? node.tag : path.startsWith('@') ? `the attribute ${path.slice(1)}` : path;
    if (list.values.has(normalized(wrong))) return `There is white space around ${quoted(wrong)}: take it out of ${what}.`;
    return `${quoted(wrong)} is no ${list.name}: correct ${what}.${suggestion(list, wrong)}`;
  };
  return rule(id, (node) => wrongIn(node) === undefined, sentence, path);
}

/** The node must not be here; for the last context of a pattern, that matches what none before it named. */
export function notInModel(id: string): Rule {
  const sentence = ({ tag, parent }: XmlElement): string =>
    `${tag} is not part of this document's profile inside ${parent?.tag ?? 'the document'}: take it out.`;
  return rule(id, never, sentence);
}

/** Elements that should not stand at these paths below the node, each in a pattern of its own so that one does not hide the other. */
export function forbidden(below: readonly string[], rows: readonly (readonly [id: string, path: string])[]): readonly Pattern[] {
  return rows.map(([id, path]) => [{ path: below.map((start) => `${start}/${path}`).join(' | '), rules: [unwanted(id, path)] }]);
}

function unwanted(id: string, path: string): Rule {
  return rule(id, never, `The document has ${anyOf(path)} (${path}), which its rules do not know: take it out.`);
}

/** `xsi:noNamespaceSchemaLocation` is not meant. */
export function noSchemaLocation(id: string): Rule {
  return rule(
    id,
    ({ attributes }) => !attributes.has(`{${XSI}}schemaLocation`),
    'The document element carries xsi:schemaLocation, which is not allowed: take the attribute out.',
  );
}

/** For ids that the official rules carry but that never fire. */
export function informational(id: string): Rule {
  return rule(id, () => true, '');
}

const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

const never = (): boolean => false;

/** A value in a sentence: not longer than a line. */
export function shown(value: string): string {
  const clean = normalized(value);
  return clean.length > 60 ? `${clean.slice(0, 57)}…` : clean;
}

/** A value that a sentence begins with. */
export function quoted(value: string): string {
  return normalized(value) === '' ? 'An empty value' : `'${shown(value)}'`;
}
