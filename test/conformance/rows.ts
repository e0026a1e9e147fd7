// The rows of rules.tsv, the facts of every official rule, against what our rule sets carry.
import { readFileSync } from 'node:fs';
import Type from 'typebox';
import { Parse } from 'typebox/value';
import { RULE_SETS } from '../support/rule-sets.ts';

export interface Row {
  readonly ruleSet: string;
  readonly id: string;
  readonly severity: string;
}

export function rowsOf(file: string): Row[] {
  const [, ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [ruleSet = '', id = '', severity = ''] = line.split('\t');
    return { ruleSet, id, severity };
  });
}

const Edition = Type.Object({
  /** Of PINT EU a sentence: all of EN 16931, but for what stands in the other lists. */
  inherited: Type.Union([Type.Array(Type.String()), Type.String()]),
  overridden: Type.Array(Type.String()),
  own: Type.Array(Type.String()),
});

/** The ids of each rule set that takes over another one's rules, where they are listed. */
export function editionsOf(file: string): [ruleSet: string, ids: string[]][] {
  const editions = Parse(Type.Record(Type.String(), Edition), JSON.parse(readFileSync(file, 'utf8')));
  return Object.entries(editions).flatMap(([name, { inherited, overridden, own }]) => {
    return Array.isArray(inherited) ? [[name, [...new Set([...inherited, ...overridden, ...own])].sort()]] : [];
  });
}

/** `BR-01 fatal` of every rule of a set, by the set's name. */
export function implemented(): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    RULE_SETS.map(({ name, patterns }) => [
      name,
      new Set(patterns.flatMap((pattern) => pattern.flatMap(({ rules }) => rules.map(({ id, severity }) => `${id} ${severity}`)))),
    ]),
  );
}
