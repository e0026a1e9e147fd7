// What a rule is: an official id, where it looks, what must hold, and the sentence for when it does not.
import type { Finding } from '#domain/document.ts';
import type { XmlElement } from '#ubl/tree.ts';

type Severity = Finding['severity'];

/** Asks about a node of a document; `root` is its document element, for facts (see `fact`). Never throws. */
export type Test = (node: XmlElement, root: XmlElement) => boolean;

export interface Rule {
  /** The official id, for example `BR-CO-15`. */
  readonly id: string;
  readonly severity: Severity;
  readonly holds: Test;
  /** Our own words: what is wrong, and what to do. */
  readonly sentence: string | ((node: XmlElement, root: XmlElement) => string);
  /** What the finding points at: the path to it from the node, as far along it as the document goes, or what finds it. */
  readonly at?: string | Finder;
}

/** Finds the element to correct; undefined when that is the node itself. */
export type Finder = (node: XmlElement, root: XmlElement) => XmlElement | undefined;

/**
 * Nodes that are checked. `path` is a match pattern: `cac:InvoiceLine/cac:Item` wherever that stands, `/Invoice/cbc:Note` from the
 * document element, `*` and `cbc:*` for any name, `*Amount` for any that ends so; alternatives are separated by ` | `.
 */
export interface Context {
  readonly path: string;
  readonly when?: Test;
  readonly rules: readonly Rule[];
}

/** A node is checked by the first context of a pattern that matches it (ISO Schematron §5.4.9), and by each pattern on its own. */
export type Pattern = readonly Context[];

/** Which one, and when. */
export interface Release {
  /** As its publisher names it, for example `2026.5`. */
  readonly release: string;
  /** The day it was published, `YYYY-MM-DD`; until it holds it warns beside the release before it. */
  readonly published?: string;
  /** The dates from which (it is mandatory) and until which (exclusive) it holds, `YYYY-MM-DD`. */
  readonly from: string;
  readonly until?: string;
}

export interface RuleSet extends Release {
  readonly name: string;
  readonly patterns: readonly Pattern[];
}

export function rule(id: string, holds: Test, sentence: Rule['sentence'], at?: Rule['at']): Rule {
  return at === undefined ? { id, severity: 'fatal', holds, sentence } : { id, severity: 'fatal', holds, sentence, at };
}

/** A rule that only warns. */
export function advice(...of: Parameters<typeof rule>): Rule {
  return warning(rule(...of));
}

/** The same rule, but it only warns. */
export function warning(of: Rule): Rule {
  return { ...of, severity: 'warning' };
}

export function context(path: string, rules: readonly Rule[]): Context;
export function context(path: string, when: Test, rules: readonly Rule[]): Context;
export function context(path: string, second: Test | readonly Rule[], third?: readonly Rule[]): Context {
  return typeof second === 'function' ? { path, when: second, rules: third ?? [] } : { path, rules: second };
}

interface Difference {
  /** Ids that are not used. */
  readonly drop?: ReadonlySet<string>;
  /** Rules that stand in the place of the one with their id. */
  readonly replace?: readonly Rule[];
  readonly add?: readonly Pattern[];
}

/** The patterns of a rule set that another one takes over with differences. */
export function derived(patterns: readonly Pattern[], { drop, replace = [], add = [] }: Difference): readonly Pattern[] {
  const replacing = new Map(replace.map((one) => [one.id, one]));
  const taken = patterns.map((pattern) =>
    pattern.map((one) => ({
      ...one,
      rules: one.rules.filter(({ id }) => !drop?.has(id)).map((each) => replacing.get(each.id) ?? each),
    })),
  );
  return [...taken, ...add];
}
