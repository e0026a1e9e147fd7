// Judging a document: structure first, then the rules of the profile that it states. Pure and synchronous.
import type { Finding } from '#domain/document.ts';
import { editsBetween } from '#domain/nearest.ts';
import { readDocument } from '#ubl/document.ts';
import { located } from '#ubl/json-places.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { attachmentFindings } from './attachments.ts';
import { nearest } from './codes.ts';
import type { Limits } from './engine.ts';
import { placeOf } from './place.ts';
import { knownFor, type Profile, profileOf } from './profiles.ts';
import { judgeBy } from './rule-sets.ts';
import { first, forgetFacts, trimmed } from './select.ts';
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
export function validate(bytes: Uint8Array, options: ValidateOptions): Verdict {
  const { root, notation } = readDocument(bytes);
  const verdict = judge(root, options);
  return notation === 'json' ? { ...verdict, findings: located(verdict.findings, bytes) } : verdict;
}

/** The verdict on a document that has been read. Never throws. */
export function judge(root: XmlElement, options: ValidateOptions): Verdict {
  try {
    return verdictOn(root, options);
  } finally {
    forgetFacts();
  }
}

function verdictOn(root: XmlElement, { day, limits }: ValidateOptions): Verdict {
  const profile = profileOf(root);
  const name = profile?.name ?? null;
  const structural = structureOf(root, profile?.ubl ?? '2.1');
  if (structural.length > 0) return { valid: false, broken: true, profile: name, findings: structural, untold: 0 };
  if (!profile) return { valid: false, broken: false, profile: name, findings: [unknownProfile(root)], untold: 0 };
  const { findings: broken, untold } = judgeBy(profile.ruleSets, day)(root, limits);
  const valid = !broken.some(({ severity }) => severity === 'fatal');
  // What may be behind the others comes first.
  const cause = valid || !profile.customizationId.startsWith(EN16931) ? [] : taxSchemeFindings(root);
  const findings = [...cause, ...broken, ...attachmentFindings(root), ...misspelt(root, profile)];
  return { valid, broken: false, profile: name, findings, untold };
}

/** How the CustomizationID begins of all that EN 16931 rules. */
const EN16931 = 'urn:cen.eu:en16931:2017';

/** Letters by which a CustomizationID may differ from a known one, and probably be meant for it. */
const MISSPELT_MAX = 2;

/** A CIUS that we do not know is judged by EN 16931 alone; one that is nearly written as a profile of ours was probably to be judged by that. */
function misspelt(root: XmlElement, { customizationId }: Profile): Finding[] {
  const stated = trimmed(root, 'cbc:CustomizationID');
  const longer = knownFor(root).filter((known) => known.length > customizationId.length && !stated.startsWith(known));
  const meant = longer.find(
    (known) => Math.abs(known.length - stated.length) <= MISSPELT_MAX && editsBetween(known, stated) <= MISSPELT_MAX,
  );
  if (meant === undefined) return [];
  const message = `The CustomizationID '${stated}' is none that we know by itself, so only the rules of ${customizationId} were asked. Was ${meant} meant? Then correct cbc:CustomizationID.`;
  return [
    { rule: 'profile-spelling', severity: 'warning', message, ...placeOf(first(root, 'cbc:CustomizationID') ?? root), value: stated },
  ];
}

/** A finding of its own: an account may be allowed to send what we have no rules for. */
export const UNKNOWN_PROFILE = 'unknown-profile';

function unknownProfile(root: XmlElement): Finding {
  const stated = trimmed(root, 'cbc:CustomizationID');
  const known = knownFor(root);
  const [like] = nearest(known, stated);
  const told =
    stated === '' ? 'The document states no CustomizationID' : `We have no rules for the CustomizationID '${stated.slice(0, 200)}'`;
  const [usual = '', ...others] = known;
  const also = like === undefined && others.length > 0 ? ` Also known: ${others.join(', ')}.` : '';
  const message = `${told}: write ${like ?? usual} into cbc:CustomizationID.${also}`;
  return {
    rule: UNKNOWN_PROFILE,
    severity: 'fatal',
    message,
    ...placeOf(first(root, 'cbc:CustomizationID') ?? root),
    value: stated.slice(0, 200),
  };
}
