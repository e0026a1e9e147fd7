// The engine: rule sets compiled to a lookup, and one walk over a document that finds what does not hold.
import type { Finding } from '#domain/document.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { placeOf } from './place.ts';
import type { Context, Rule, RuleSet, Test } from './rule.ts';
import { nearestTo } from './select.ts';

export interface Limits {
  /** Of each severity: warnings never take the place of what refuses a document. */
  readonly findingsMax: number;
  /** One mistake that is made on every line is told this often. */
  readonly findingsPerRuleMax: number;
}

export const FINDING_LIMITS: Limits = { findingsMax: 1000, findingsPerRuleMax: 50 };

export interface Judgement {
  readonly findings: readonly Finding[];
  /** Findings beyond the limits; they are counted, not told. */
  readonly untold: number;
}

export type Judge = (root: XmlElement, limits?: Limits) => Judgement;

/** A context, ready to be matched. */
interface Candidate {
  readonly pattern: number;
  /** Place in its pattern: the first one that matches wins. */
  readonly rank: number;
  readonly anchored: boolean;
  /** From the last step to the first. */
  readonly steps: readonly string[];
  readonly when: Test | undefined;
  readonly rules: readonly Rule[];
}

/**
 * What is to be done at one place of documents, `/Invoice/cac:InvoiceLine/cbc:ID`: found out once, then kept, because the places of
 * business documents are always the same. Whoever invents places gets them worked out each time.
 */
interface Station {
  readonly tag: string;
  readonly parent: Station | null;
  /** Of patterns whose first context here has no condition, the rules. */
  readonly always: readonly Rule[];
  /** Of the other patterns the contexts whose path matches here, first one first. */
  readonly turns: readonly (readonly Candidate[])[];
  readonly below: Map<string, Station>;
}

const STATIONS_KEPT_MAX = 20_000;

/** The judge by these rule sets, together in one walk. */
export function compile(ruleSets: readonly RuleSet[]): Judge {
  const lookup = lookupOf(ruleSets);
  const roots = new Map<string, Station>();
  let kept = 0;

  function stationOf(tag: string, parent: Station | null): Station {
    const siblings = parent ? parent.below : roots;
    const known = siblings.get(tag);
    if (known) return known;
    const [always, turns] = divided(turnsAt(lookup, tag, parent));
    const made = { tag, parent, always, turns, below: new Map<string, Station>() };
    if (kept < STATIONS_KEPT_MAX) {
      siblings.set(tag, made);
      kept++;
    }
    return made;
  }

  return (root, limits = FINDING_LIMITS) => {
    const collected = collector(limits);
    const ask = (rules: readonly Rule[], node: XmlElement): void => {
      for (const rule of rules) if (!rule.holds(node, root)) collected.add(rule, node, root);
    };
    const walk = (node: XmlElement, parent: Station | null): void => {
      const station = stationOf(node.tag, parent);
      ask(station.always, node);
      for (const turn of station.turns) ask(chosen(turn, node, root), node);
      for (const child of node.children) walk(child, station);
    };
    walk(root, null);
    return collected;
  };
}

function collector({ findingsMax, findingsPerRuleMax }: Limits) {
  const findings: Finding[] = [];
  const told = new Map<Rule, number>();
  const room = { fatal: findingsMax, warning: findingsMax };
  let untold = 0;
  return {
    findings,
    get untold() {
      return untold;
    },
    add(rule: Rule, node: XmlElement, root: XmlElement): void {
      const before = told.get(rule) ?? 0;
      told.set(rule, before + 1);
      if (before >= findingsPerRuleMax || room[rule.severity] === 0) {
        untold++;
        return;
      }
      room[rule.severity]--;
      findings.push(findingOf(rule, node, root));
    },
  };
}

type Lookup = ReadonlyMap<string, readonly Candidate[]>;

/** Contexts by the last step of their paths; `*`, with whatever ends names, and `cbc:*` are steps too. */
function lookupOf(ruleSets: readonly RuleSet[]): Lookup {
  const lookup = new Map<string, Candidate[]>();
  const patterns = ruleSets.flatMap((ruleSet) => ruleSet.patterns);
  for (const [pattern, contexts] of patterns.entries()) {
    for (const [rank, one] of contexts.entries()) {
      for (const candidate of candidatesOf(one, pattern, rank)) {
        const [step = '*'] = candidate.steps;
        const last = step.startsWith('*') ? '*' : step;
        const listed = lookup.get(last);
        if (listed) listed.push(candidate);
        else lookup.set(last, [candidate]);
      }
    }
  }
  return lookup;
}

function candidatesOf({ path, when, rules }: Context, pattern: number, rank: number): Candidate[] {
  return path.split(' | ').map((alternative) => {
    const anchored = alternative.startsWith('/');
    const steps = (anchored ? alternative.slice(1) : alternative).split('/').reverse();
    return { pattern, rank, anchored, steps, when, rules };
  });
}

function turnsAt(lookup: Lookup, tag: string, parent: Station | null): Candidate[][] {
  const turns = new Map<number, Candidate[]>();
  for (const last of new Set([tag, `${prefixOf(tag)}*`, '*'])) {
    for (const candidate of lookup.get(last) ?? []) {
      if (!matches(candidate, tag, parent)) continue;
      const turn = turns.get(candidate.pattern);
      if (turn) turn.push(candidate);
      else turns.set(candidate.pattern, [candidate]);
    }
  }
  const inOrder = [...turns].sort(([a], [b]) => a - b);
  return inOrder.map(([, candidates]) => candidates.sort((a, b) => a.rank - b.rank));
}

const NO_RULES: readonly Rule[] = [];

/** The rules of the first context whose condition holds. */
function chosen(turn: readonly Candidate[], node: XmlElement, root: XmlElement): readonly Rule[] {
  for (const { when, rules } of turn) if (when === undefined || when(node, root)) return rules;
  return NO_RULES;
}

/** What need not be decided for each node, and what must be. */
function divided(turns: readonly (readonly Candidate[])[]): [always: readonly Rule[], turns: readonly (readonly Candidate[])[]] {
  const isDecided = ([first]: readonly Candidate[]): boolean => first?.when === undefined;
  return [turns.filter(isDecided).flatMap(([first]) => first?.rules ?? NO_RULES), turns.filter((turn) => !isDecided(turn))];
}

function matches({ steps, anchored }: Candidate, tag: string, parent: Station | null): boolean {
  let here: { readonly tag: string; readonly parent: Station | null } | null = { tag, parent };
  for (const step of steps) {
    if (!here || !stepMatches(step, here.tag)) return false;
    here = here.parent;
  }
  return !anchored || here === null;
}

function stepMatches(step: string, tag: string): boolean {
  if (step.startsWith('*')) return tag.endsWith(step.slice(1));
  return step === tag || (step.endsWith(':*') && step === `${prefixOf(tag)}*`);
}

/** `cbc:` of `cbc:ID`; nothing of a document element. */
function prefixOf(tag: string): string {
  return tag.slice(0, tag.indexOf(':') + 1);
}

/** Values are shown, not carried: an attachment is none of them. */
const VALUE_CHARACTERS_MAX = 200;
/** No sentence of ours is as long; what makes one so is the document. */
const MESSAGE_CHARACTERS_MAX = 2000;

function findingOf({ id, severity, sentence, at }: Rule, node: XmlElement, root: XmlElement): Finding {
  const target = typeof at === 'function' ? (at(node, root) ?? node) : nearestTo(node, at ?? '');
  const message = typeof sentence === 'string' ? sentence : sentence(node, root);
  const value = target.children.length === 0 ? { value: target.text.trim().slice(0, VALUE_CHARACTERS_MAX) } : {};
  return { rule: id, severity, message: message.slice(0, MESSAGE_CHARACTERS_MAX), ...placeOf(target), ...value };
}
