// Every rule set by name and release, and which release holds on a day.
import { BILLING } from '#rules/billing/rule-sets.ts';
import { EN16931 } from '#rules/en16931/rule-set.ts';
import { ORDERS } from '#rules/orders/rule-sets.ts';
import { PINT } from '#rules/pint/rule-sets.ts';
import { compile, type Judge } from './engine.ts';
import type { RuleSet } from './rule.ts';

/** Releases of one name stand side by side, so that the next one can be laid beside the current one before its day. */
export const RULE_SETS: readonly RuleSet[] = [EN16931, ...BILLING, ...ORDERS, ...PINT];

/**
 * The release of a rule set that holds on that day (`YYYY-MM-DD`); before the first one's day the first, after the last one's end the last: a
 * document is never left unjudged. Undefined for a name that is none.
 */
export function ruleSetOn(name: string, day: string, among: readonly RuleSet[] = RULE_SETS): RuleSet | undefined {
  const releases = among.filter((one) => one.name === name).sort((a, b) => (a.from < b.from ? -1 : 1));
  const begun = releases.filter(({ from, until }) => from <= day && (until === undefined || day < until));
  return begun.at(-1) ?? releases.find(({ from }) => day < from) ?? releases.at(-1);
}

const JUDGES = new Map<string, Judge>();
/** By the lists of names, which are those of the profiles: the judge who was asked last, and the day. */
const LATEST = new WeakMap<readonly string[], { readonly day: string; readonly judge: Judge }>();

/** The judge by these rule sets on that day; compiled once for each combination of releases. Names that are none are left out. */
export function judgeBy(names: readonly string[], day: string): Judge {
  const latest = LATEST.get(names);
  if (latest?.day === day) return latest.judge;
  const judge = compiledFor(names, day);
  LATEST.set(names, { day, judge });
  return judge;
}

function compiledFor(names: readonly string[], day: string): Judge {
  const sets = names.flatMap((name) => ruleSetOn(name, day) ?? []);
  const key = sets.map(({ name, release }) => `${name} ${release}`).join('+');
  const known = JUDGES.get(key);
  if (known) return known;
  const judge = compile(sets);
  JUDGES.set(key, judge);
  return judge;
}
