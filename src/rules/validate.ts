// Judging a document: structure first, then the rules of the profile that it states. Pure; rules are loaded when the first document of their kind comes.
import type { Finding } from '#domain/document.ts';
import { isOfEurope, type Profile } from '#domain/profiles.ts';
import type { Judge, Limits } from '#rules/engine/engine.ts';
import { placeOf } from '#rules/engine/place.ts';
import { first, forgetFacts, trimmed } from '#rules/engine/select.ts';
import { readDocument } from '#ubl/document.ts';
import { toldInJson } from '#ubl/json-words.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { abortFindings } from './aborts.ts';
import { attachmentFindings } from './attachments.ts';
import { UNKNOWN_PROFILE } from './outcomes.ts';
import { judgeBy } from './rule-sets.ts';
import { beyond, knownFor, meantBy, profileOf } from './stated-profile.ts';
import { structureOf } from './structure.ts';
import { taxSchemeFindings } from './tax-scheme.ts';

export interface ValidateOptions {
  /** The day whose rules hold, `YYYY-MM-DD`. */
  readonly day: string;
  readonly limits?: Limits;
}

export interface Verdict {
  /** Nothing fatal was found. */
  readonly valid: boolean;
  /** The structure is broken; the rules were not asked. */
  readonly broken: boolean;
  /** The name of the profile that was judged by; null when the document states none that we know. */
  readonly profile: string | null;
  readonly findings: readonly Finding[];
  /** Findings beyond the limits: counted, not told. */
  readonly untold: number;
}

/**
 * The verdict on a document in XML or JSON. Throws `unreadable` when it cannot be read at all, and `invalid` when JSON is not of UBL's
 * shape; whatever can be read gets a verdict.
 */
export async function validate(bytes: Uint8Array, options: ValidateOptions): Promise<Verdict> {
  const { root, notation } = readDocument(bytes);
  const verdict = await judge(root, options);
  return notation === 'json' ? { ...verdict, findings: toldInJson(verdict.findings, bytes) } : verdict;
}

/** The verdict on a document that has been read. Never throws. */
export async function judge(root: XmlElement, { day, limits }: ValidateOptions): Promise<Verdict> {
  const profile = profileOf(root);
  const byRules = await judgeBy(profile?.ruleSets ?? [], day);
  try {
    return verdictOn(root, profile, (of) => byRules(of, limits));
  } finally {
    forgetFacts();
  }
}

function verdictOn(root: XmlElement, profile: Profile | undefined, byRules: Judge): Verdict {
  const name = profile?.name ?? null;
  const structural = structureOf(root, profile?.ubl ?? '2.1');
  if (structural.length > 0) return { valid: false, broken: true, profile: name, findings: structural, untold: 0 };
  if (!profile) return { valid: false, broken: false, profile: name, findings: [unknownProfile(root)], untold: 0 };
  const { findings: broken, untold } = byRules(root);
  // What may be behind the others comes first.
  const cause = isOfEurope(profile) ? taxSchemeFindings(root, broken) : [];
  const findings = [...cause, ...broken, ...abortFindings(root, profile), ...attachmentFindings(root), ...ofSpecification(root, profile)];
  return { valid: !findings.some(({ severity }) => severity === 'fatal'), broken: false, profile: name, findings, untold };
}

const CUSTOMIZATION = 'cbc:CustomizationID';
const STATED_CHARACTERS_MAX = 200;

/** What builds on EN 16931 is judged by that alone, when we have no rules of its own: said, or refused where another profile was meant. */
function ofSpecification(root: XmlElement, profile: Profile): Finding[] {
  const stated = trimmed(root, CUSTOMIZATION);
  if (stated === profile.customizationId) return [];
  const meant = meantBy(root, stated);
  if (meant !== undefined) return [unknownProfile(root, `only the rules of ${profile.customizationId} were asked`)];
  const more = beyond(profile, stated).slice(0, STATED_CHARACTERS_MAX);
  if (more === '') return [];
  const message = `Only the rules of ${profile.customizationId} were asked. The rules of ${more} were not, because we do not have them: a receiver who has them may still refuse the document. Check it with a validator that knows them.`;
  return [findingAt(root, { rule: 'rules-not-asked', severity: 'warning', message }, stated)];
}

function unknownProfile(root: XmlElement, therefore = 'it was not judged'): Finding {
  const stated = trimmed(root, CUSTOMIZATION);
  const told =
    stated === ''
      ? 'The document states no CustomizationID'
      : `We have no rules for the CustomizationID '${stated.slice(0, STATED_CHARACTERS_MAX)}'`;
  const meant = meantBy(root, stated);
  const advice =
    meant === undefined
      ? `If one of these was meant, write it into ${CUSTOMIZATION}: ${knownFor(root).join(', ')}.`
      : `It is probably misspelt: write ${meant} into ${CUSTOMIZATION}.`;
  return findingAt(root, { rule: UNKNOWN_PROFILE, severity: 'fatal', message: `${told}, so ${therefore}. ${advice}` }, stated);
}

function findingAt(root: XmlElement, found: Pick<Finding, 'rule' | 'severity' | 'message'>, stated: string): Finding {
  return { ...found, ...placeOf(first(root, CUSTOMIZATION) ?? root), value: stated.slice(0, STATED_CHARACTERS_MAX) };
}
