// The rows of rules.tsv, the facts of every official rule, against what our rule sets carry.
import { readFileSync } from 'node:fs';
import { RULE_SETS } from '#rules/rule-sets.ts';

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

/** `BR-01 fatal` of every rule of a set, by the set's name. */
export function implemented(): ReadonlyMap<string, ReadonlySet<string>> {
  return new Map(
    RULE_SETS.map(({ name, patterns }) => [
      name,
      new Set(patterns.flatMap((pattern) => pattern.flatMap(({ rules }) => rules.map(({ id, severity }) => `${id} ${severity}`)))),
    ]),
  );
}
