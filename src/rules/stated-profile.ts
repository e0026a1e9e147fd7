// Which profile a document states, and which one was meant.
import { editsBetween } from '#domain/nearest.ts';
import { isOfEurope, PROFILES, type Profile } from '#domain/profiles.ts';
import { trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** The profile that a document states; the most specific CustomizationID wins. Undefined when we know none. */
export function profileOf(root: XmlElement): Profile | undefined {
  const stated = trimmed(root, 'cbc:CustomizationID');
  const fitting = PROFILES.filter((profile) => profile.roots.includes(root.tag) && fits(profile, stated));
  return fitting.sort((a, b) => b.customizationId.length - a.customizationId.length)[0];
}

/** The CustomizationIDs that we know for this root. */
export function knownFor(root: XmlElement): readonly string[] {
  return PROFILES.filter(({ roots }) => roots.includes(root.tag)).map(({ customizationId }) => customizationId);
}

/** Letters by which a CustomizationID may differ from a known one, and be meant for it. */
const EDITS_MAX = 2;

/**
 * The known CustomizationID that was probably meant by one that is none: at most two letters are different, and less than half of each of
 * its parts. Another year or country is no mistake: urn:cen.eu:en16931:2026 and @om-1 are what they say.
 */
export function meantBy(root: XmlElement, stated: string): string | undefined {
  return knownFor(root).find(
    (known) => known !== stated && !stated.startsWith(known) && isMisspelt(stated.toLowerCase(), known.toLowerCase()),
  );
}

const PARTS = /[:#@-]/;

function isMisspelt(stated: string, known: string): boolean {
  if (Math.abs(known.length - stated.length) > EDITS_MAX || editsBetween(known, stated) > EDITS_MAX) return false;
  const [parts, wanted] = [stated.split(PARTS), known.split(PARTS)];
  return (
    parts.length !== wanted.length ||
    wanted.every((part, at) => part === parts[at] || 2 * editsBetween(part, parts[at] ?? '') < part.length)
  );
}

/** National rules and extensions that build on EN 16931 and that we do not have: how their CustomizationIDs say so. */
const BUILT_ON: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/xrechnung/i, 'XRechnung (BR-DE-…)'],
  [/nlcius/i, 'NLCIUS (BR-NL-…)'],
  [/extended-ctc-fr/i, 'EXTENDED-CTC-FR (BR-FR-…)'],
  [/cius-ro/i, 'CIUS-RO (BR-RO-…)'],
  [/cius-pt/i, 'CIUS-PT (BR-CIUS-PT-…)'],
  [/ubl\.be/i, 'UBL.BE (ubl-BE-…)'],
];
const SAYS_HOW = /^(?:|compliant|conformant|extended)$/i;

/** What the document states to follow beyond its profile, where that builds on EN 16931: its rules are not asked. '' when there is nothing. */
export function beyond(profile: Profile, stated: string): string {
  if (!isOfEurope(profile)) return '';
  const more = stated.slice(profile.customizationId.length);
  const named = BUILT_ON.filter(([pattern]) => pattern.test(more)).map(([, what]) => what);
  const parts = more.split('#').filter((part) => !SAYS_HOW.test(part));
  return (named.length > 0 ? named : parts).join(' and ');
}

function fits({ customizationId, match }: Profile, stated: string): boolean {
  if (!stated.startsWith(customizationId)) return false;
  const rest = stated.slice(customizationId.length);
  return rest === '' || match === 'begins' || (match === 'version' && rest.startsWith(':'));
}
