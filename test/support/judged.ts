// Documents changed in one place, and what rule sets find in them.
import type { Finding } from '#domain/document.ts';
import { judgeOf } from '#rules/rule-sets.ts';
import { readTree } from '#ubl/read.ts';
import { RULE_SETS } from './rule-sets.ts';

/** Once: the first place of a string; what a regular expression matches. */
export type Change = readonly [from: string | RegExp, to: string];

/** The document with these changes; a change that finds nothing is a mistake of the test. */
export function changed(document: Uint8Array, ...changes: readonly Change[]): Uint8Array {
  let text = new TextDecoder().decode(document);
  for (const [from, to] of changes) {
    const found = typeof from === 'string' ? text.includes(from) : text.search(from) >= 0;
    if (!found) throw new Error(`the document has no ${from}`);
    text = text.replace(from, to);
  }
  return new TextEncoder().encode(text);
}

const DAY = '2026-06-01';

export function findingsOf(document: Uint8Array, ...ruleSets: readonly string[]): readonly Finding[] {
  return judgeOf(ruleSets, DAY, RULE_SETS)(readTree(document)).findings;
}

/** The ids of what is found, each once, in the order of the alphabet; those that begin so. */
export function idsOf(document: Uint8Array, ruleSet: string, beginning = ''): string[] {
  const ids = findingsOf(document, ruleSet).map(({ rule }) => rule);
  return [...new Set(ids)].filter((id) => id.startsWith(beginning)).sort();
}
