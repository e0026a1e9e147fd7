// Which rules a document is to follow: the table of the profiles that we know, by root, CustomizationID and ProfileID.
import { isFamilyName } from '#domain/family.ts';
import { editsBetween } from '#domain/nearest.ts';
import { trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

export interface Profile {
  readonly name: string;
  readonly roots: readonly string[];
  readonly customizationId: string;
  /** `begins`: more may follow; `version`: only a minor version, `:1`, may follow; `exact`: nothing may follow. */
  readonly match: 'begins' | 'version' | 'exact';
  readonly ruleSets: readonly string[];
  /** The release of UBL whose element model holds. */
  readonly ubl: '2.1' | '2.3';
}

const BILLED = ['Invoice', 'CreditNote'];
const EN = 'urn:cen.eu:en16931:2017';
const POACC = `${EN}#compliant#urn:fdc:peppol.eu:2017:poacc`;
const TRNS = 'urn:fdc:peppol.eu:poacc:trns';
const PINT = 'urn:peppol:pint';

const billing = (name: string, customizationId: string, ...ruleSets: string[]): Profile => ({
  name,
  roots: BILLED,
  customizationId,
  match: 'begins',
  ruleSets,
  ubl: '2.1',
});

const transaction = (name: string, root: string, ubl: Profile['ubl'] = '2.1'): Profile => ({
  name,
  roots: [root],
  customizationId: `${TRNS}:${name.replaceAll('-', '_')}:3`,
  match: 'version',
  ruleSets: [name],
  ubl,
});

/** A jurisdiction's own rules stand beside its edition of the base. */
const pint = (name: string, customizationId: string, ...more: string[]): Profile =>
  billing(name, `${PINT}:${customizationId}`, `${name}/base`, ...more, `${name}/jur`);

export const PROFILES: readonly Profile[] = [
  billing('peppol-billing', `${POACC}:billing:3.0`, 'en16931', 'peppol-billing'),
  billing('peppol-selfbilling', `${POACC}:selfbilling:3.0`, 'en16931', 'peppol-selfbilling'),
  billing('en16931', EN, 'en16931'),
  transaction('order', 'Order'),
  transaction('order-response', 'OrderResponse'),
  transaction('order-agreement', 'OrderResponse'),
  transaction('order-response-advanced', 'OrderResponse', '2.3'),
  transaction('order-change', 'OrderChange', '2.3'),
  transaction('order-cancellation', 'OrderCancellation', '2.3'),
  transaction('despatch-advice', 'DespatchAdvice'),
  transaction('catalogue', 'Catalogue'),
  transaction('punch-out', 'Catalogue'),
  transaction('catalogue-response', 'ApplicationResponse'),
  transaction('invoice-response', 'ApplicationResponse'),
  transaction('mlr', 'ApplicationResponse'),
  { ...billing('pint', `${PINT}:billing-1`, 'pint'), match: 'exact' },
  // The publisher lists invoices only; the specification promises credit notes too (S031).
  pint('pint-jp', 'billing-1@jp-1'),
  { ...pint('pint-jp-ntr', 'nontaxinvoice-1@jp-1'), roots: ['Invoice'] },
  pint('pint-jp-sb', 'selfbilling-1@jp-1'),
  pint('pint-sg', 'billing-1@sg-1'),
  pint('pint-aunz', 'billing-1@aunz-1'),
  pint('pint-aunz-sb', 'selfbilling-1@aunz-1'),
  pint('pint-my', 'billing-1@my-1'),
  pint('pint-my-sb', 'selfbilling-1@my-1'),
  pint('pint-ae', 'billing-1@ae-1'),
  pint('pint-ae-sb', 'selfbilling-1@ae-1'),
  pint('pint-eu', 'billing-1@eu-1', 'pint-eu/en'),
  // The specification's spelling of the same profile (decisions A3, PINT EU).
  pint('pint-eu', 'billing-1@en16931-2017@eu-3', 'pint-eu/en'),
];

/** Profiles whose documents are exchanged, by name. */
export const EXCHANGED_PROFILES: ReadonlyMap<string, Profile> = new Map(
  // Of two spellings of one profile the first holds.
  PROFILES.toReversed()
    .filter(({ roots }) => roots.every(isFamilyName))
    .map((profile) => [profile.name, profile]),
);

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

/** EN 16931 rules it. */
export function isOfEurope({ customizationId }: Profile): boolean {
  return customizationId.startsWith(EN);
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
