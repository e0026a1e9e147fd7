// Every rule set by name and release, and which release holds on a day.
import type { Finding } from '#domain/document.ts';
import { compile, FINDING_LIMITS, type Judge, type Judgement, type Limits } from '#rules/engine/engine.ts';
import type { RuleSet } from '#rules/engine/rule.ts';

/**
 * Rule sets by what their names begin with, the first that fits: each kind is loaded when its first document comes. Releases of one name stand side by
 * side, so that the next one can be laid beside the current one before its day.
 */
const KINDS: readonly (readonly [begins: string, load: () => Promise<readonly RuleSet[]>])[] = [
  ['en16931', async () => [(await import('#rules/en16931/rule-set.ts')).EN16931]],
  ['peppol-', async () => (await import('#rules/billing/rule-sets.ts')).BILLING],
  ['pint', async () => (await import('#rules/pint/rule-sets.ts')).PINT],
  ['', async () => (await import('#rules/orders/rule-sets.ts')).ORDERS],
];

/** All of the kinds of these names, which are more than the named. */
export async function loadRuleSets(names: readonly string[]): Promise<readonly RuleSet[]> {
  const kinds = new Set(names.map((name) => KINDS.find(([begins]) => name.startsWith(begins))));
  return (await Promise.all([...kinds].map((kind) => kind?.[1]() ?? []))).flat();
}

/**
 * The release of a rule set that holds on that day (`YYYY-MM-DD`): the one that is mandatory; before the first one's day the first, after the last one's end the last: a
 * document is never left unjudged. Undefined for a name that is none.
 */
export function ruleSetOn(name: string, day: string, among: readonly RuleSet[]): RuleSet | undefined {
  const releases = among.filter((one) => one.name === name).sort((a, b) => (a.from < b.from ? -1 : 1));
  const begun = releases.filter(({ from, until }) => from <= day && (until === undefined || day < until));
  return begun.at(-1) ?? releases.find(({ from }) => day < from) ?? releases.at(-1);
}

/** The release that has been published but is not mandatory yet, beside the one that holds; undefined when there is none. */
function nextOn(name: string, day: string, among: readonly RuleSet[]): RuleSet | undefined {
  const holds = ruleSetOn(name, day, among);
  const coming = among.filter((one) => one.name === name && one !== holds && (one.published ?? one.from) <= day && day < one.from);
  return coming.sort((a, b) => (a.from < b.from ? -1 : 1))[0];
}

const JUDGES = new Map<string, Judge>();
/** By the lists of names, which are those of the profiles: the judge who was asked last, and the day. */
const LATEST = new WeakMap<readonly string[], { readonly day: string; readonly judge: Judge }>();

/** The judge by these rule sets on that day; compiled once for each combination of releases. Names that are none are left out. */
export async function judgeBy(names: readonly string[], day: string): Promise<Judge> {
  const latest = LATEST.get(names);
  if (latest?.day === day) return latest.judge;
  const judge = judgeOf(names, day, await loadRuleSets(names));
  LATEST.set(names, { day, judge });
  return judge;
}

/** The judge by those of these rule sets, not kept by day. Where a newer release has been published, what only that one finds is a warning, which tells from when on it counts. */
export function judgeOf(names: readonly string[], day: string, among: readonly RuleSet[]): Judge {
  const judge = compiledFor(names.flatMap((name) => ruleSetOn(name, day, among) ?? []));
  const next = names.flatMap((name) => nextOn(name, day, among) ?? []);
  const from = next
    .map((one) => one.from)
    .sort()
    .at(-1);
  if (from === undefined) return judge;
  const later = compiledFor(names.flatMap((name) => next.find((one) => one.name === name) ?? ruleSetOn(name, day, among) ?? []));
  return (root, limits = FINDING_LIMITS) => withLater(judge(root, limits), later(root, limits), from, limits);
}

function withLater(now: Judgement, later: Judgement, from: string, { findingsMax }: Limits): Judgement {
  const known = new Set(now.findings.map(({ rule, path }) => `${rule} ${path}`));
  const added = later.findings.filter(({ rule, path }) => !known.has(`${rule} ${path}`)).map((one) => warned(one, from));
  const room = Math.max(findingsMax - now.findings.filter(({ severity }) => severity === 'warning').length, 0);
  return {
    findings: [...now.findings, ...added.slice(0, room)],
    untold: Math.max(now.untold, later.untold) + Math.max(added.length - room, 0),
  };
}

function warned(found: Finding, from: string): Finding {
  const refuses = found.severity === 'fatal' ? ' this refuses the document' : '';
  return { ...found, severity: 'warning', message: `From ${from} on${refuses}: ${found.message}` };
}

function compiledFor(sets: readonly RuleSet[]): Judge {
  const key = sets.map(({ name, release }) => `${name} ${release}`).join('+');
  const known = JUDGES.get(key);
  if (known) return known;
  const judge = compile(sets);
  JUDGES.set(key, judge);
  return judge;
}
