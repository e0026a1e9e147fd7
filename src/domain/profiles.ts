// Profiles: what documents are exchanged as, and the rule sets that hold for each; by root, CustomizationID and ProfileID.
import { isFamilyName } from './family.ts';

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

/** EN 16931 rules it. */
export function isOfEurope({ customizationId }: Profile): boolean {
  return customizationId.startsWith(EN);
}
