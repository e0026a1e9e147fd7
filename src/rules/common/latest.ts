// The latest release of each rule set, apart from its rules: who asks for days alone loads no rule.
import type { Pattern, Release, RuleSet } from '#rules/engine/rule.ts';

/** Of May 2026, https://docs.peppol.eu. */
const PEPPOL: Release = { release: '2026.5', published: '2026-05-18', from: '2026-08-17' };
/** EN 16931; Peppol asks it from the same day on as its own rules. */
const CEN: Release = { release: '1.3.16', published: '2026-04-10', from: '2026-08-17' };
/** The release of May 2026, from the day on which a jurisdiction made it its own. */
const pint = (from: string): Release => ({ release: '2026.5', from });

/** By what the names of rule sets begin with: the first that fits. */
const LATEST: readonly (readonly [begins: string, release: Release])[] = [
  ['en16931', CEN],
  ['pint-ae', pint('2026-05-28')],
  ['pint-aunz', pint('2026-05-21')],
  ['pint-eu', pint('2026-06-09')],
  ['pint-my', pint('2026-06-05')],
  ['pint-sg', pint('2026-05-25')],
  ['pint', pint('2026-05-18')],
  ['', PEPPOL],
];

export function latestRelease(name: string): Release {
  return LATEST.find(([begins]) => name.startsWith(begins))?.[1] ?? PEPPOL;
}

/** A rule set in its latest release. */
export function latestRuleSet(name: string, patterns: readonly Pattern[]): RuleSet {
  return { name, ...latestRelease(name), patterns };
}
