// Identifiers of parties by their scheme: the form that each scheme asks for.
import { EAS } from '#rules/codes/identifier-schemes.ts';
import { shown } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule, warning } from '#rules/engine/rule.ts';
import { normalized, stringOf, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import {
  isAbn,
  isBelgianNumber,
  isCodiceFiscale,
  isGln,
  isIpaCode,
  isNorwegianNumber,
  isPartitaIva,
  isSwedishNumber,
} from './check-digits.ts';

export interface Identifier {
  /** For sentences: 'a GLN'. */
  readonly name: string;
  readonly form: string;
  readonly fits: (value: string) => boolean;
  /** White space around it is not forgiven. */
  readonly exact?: true;
}

const matching = (pattern: RegExp) => (value: string) => pattern.test(value);

export const GLN: Identifier = { name: 'a GLN', form: 'digits only, the last one a check digit by GS1', fits: isGln };
export const NORWEGIAN: Identifier = {
  name: 'a Norwegian organisation number',
  form: '9 digits, the last one a check digit',
  fits: isNorwegianNumber,
};
export const BELGIAN: Identifier = {
  name: 'a Belgian enterprise number',
  form: '10 digits, the last two check digits',
  fits: isBelgianNumber,
};
const SWEDISH: Identifier = {
  name: 'a Swedish organisation number',
  form: '10 digits, the last one a check digit',
  fits: isSwedishNumber,
};
export const ABN: Identifier = { name: 'an Australian business number', form: '11 digits that pass its check', fits: isAbn };
export const IPA: Identifier = { name: 'an Italian IPA code', form: '6 letters or digits', fits: isIpaCode };
export const CODICE_FISCALE: Identifier = {
  name: 'an Italian tax code (codice fiscale)',
  form: '16 characters of a person, or 11 digits',
  fits: isCodiceFiscale,
};
export const PARTITA_IVA: Identifier = {
  name: 'an Italian VAT number',
  form: 'IT and 11 digits, the last one a check digit',
  fits: isPartitaIva,
};
const DANISH: Identifier = {
  name: 'a Danish CVR number',
  form: '8 digits, with or without DK before them, and no blanks',
  fits: matching(/^(DK)?[0-9]{8}$/),
  exact: true,
};
const DANISH_SITE: Identifier = {
  name: 'a Danish P number',
  form: '10 digits, and no blanks',
  fits: matching(/^[0-9]{10}$/),
  exact: true,
};
export const DANISH_VAT: Identifier = {
  name: 'a Danish company number',
  form: 'DK and 8 digits, and no blanks',
  fits: matching(/^DK[0-9]{8}$/),
  exact: true,
};
const DUTCH: Identifier = { name: 'a Dutch KVK number', form: '8 digits', fits: matching(/^[0-9]{8}$/) };
const DUTCH_PUBLIC: Identifier = { name: 'a Dutch OIN number', form: '20 digits', fits: matching(/^[0-9]{20}$/) };
const DUTCH_SITE: Identifier = { name: 'a Dutch establishment number', form: '12 digits', fits: matching(/^[0-9]{12}$/) };
const DUTCH_VAT: Identifier = {
  name: 'a Dutch VAT number',
  form: 'NL, 9 digits, B and 2 digits',
  fits: matching(/^NL[0-9]{9}B[0-9]{2}$/),
};

/** The node's own value has the form of this kind of identifier. */
export function wellFormed(id: string, { name, form, fits, exact }: Identifier): Rule {
  const holds = (node: XmlElement): boolean => fits(exact ? stringOf(node) : normalized(stringOf(node)));
  const sentence = (node: XmlElement): string => {
    const scheme = node.attributes.get('schemeID');
    const stated = scheme === undefined ? '' : ` (schemeID ${shown(scheme)})`;
    return `'${shown(stringOf(node))}' is not ${name}${stated}: ${form}. Correct the number${stated && ' or its schemeID'}.`;
  };
  return rule(id, holds, sentence);
}

const OF_PARTIES = 'cbc:EndpointID | cac:PartyIdentification/cbc:ID | cbc:CompanyID';

/** Identifiers that state one of these schemes. */
export function schemed(schemes: readonly string[], of: Rule, path = OF_PARTIES): Context {
  const isStated = (node: XmlElement): boolean => schemes.includes(node.attributes.get('schemeID') ?? '');
  return context(path, isStated, [of]);
}

function isDutchVatNumber(node: XmlElement): boolean {
  return normalized(stringOf(node)).startsWith('NL') && trimmed(node, '../cac:TaxScheme/cbc:ID') === 'VAT';
}

/** A scheme whose numbers have a form that is known. */
interface Numbering {
  readonly scheme: string;
  readonly id: string;
  readonly is: Identifier;
  readonly isWarning?: true;
  readonly path?: string;
}

const NUMBERINGS: readonly Numbering[] = [
  { scheme: '0088', id: 'PEPPOL-COMMON-R040', is: GLN },
  { scheme: '0192', id: 'PEPPOL-COMMON-R041', is: NORWEGIAN },
  { scheme: '0184', id: 'PEPPOL-COMMON-R042', is: DANISH },
  { scheme: '0096', id: 'PEPPOL-COMMON-R052', is: DANISH_SITE },
  { scheme: '0198', id: 'PEPPOL-COMMON-R053', is: DANISH_VAT },
  { scheme: '0208', id: 'PEPPOL-COMMON-R043', is: BELGIAN },
  { scheme: '0201', id: 'PEPPOL-COMMON-R044', is: IPA, isWarning: true },
  { scheme: '0210', id: 'PEPPOL-COMMON-R045', is: CODICE_FISCALE, isWarning: true },
  { scheme: '9907', id: 'PEPPOL-COMMON-R046', is: CODICE_FISCALE, isWarning: true, path: 'cbc:EndpointID' },
  { scheme: '0211', id: 'PEPPOL-COMMON-R047', is: PARTITA_IVA, isWarning: true },
  { scheme: '0007', id: 'PEPPOL-COMMON-R049', is: SWEDISH },
  { scheme: '0151', id: 'PEPPOL-COMMON-R050', is: ABN },
  { scheme: '0106', id: 'PEPPOL-COMMON-R054', is: DUTCH, isWarning: true },
  { scheme: '0190', id: 'PEPPOL-COMMON-R055', is: DUTCH_PUBLIC, isWarning: true },
  { scheme: '9944', id: 'PEPPOL-COMMON-R056-1', is: DUTCH_VAT, isWarning: true },
];
const DUTCH_SITES: Numbering = { scheme: '0217', id: 'PEPPOL-COMMON-R057', is: DUTCH_SITE, isWarning: true };

function numbered({ scheme, id, is, isWarning, path }: Numbering): Context {
  const of = wellFormed(id, is);
  return schemed([scheme], isWarning ? warning(of) : of, path);
}

/** What every Peppol BIS asks of identifiers; part of a pattern, after contexts that are more particular. */
export const PEPPOL_IDENTIFIERS: readonly Context[] = [
  ...NUMBERINGS.map(numbered),
  context('cac:PartyTaxScheme/cbc:CompanyID', isDutchVatNumber, [warning(wellFormed('PEPPOL-COMMON-R056-2', DUTCH_VAT))]),
  numbered(DUTCH_SITES),
];

/** What is wrong with an address `scheme:value`, as far as its scheme is known: the end of a sentence; null when nothing is. */
export function doubtAbout(participant: string): string | null {
  const [scheme = '', ...rest] = participant.split(':');
  const value = rest.join(':').trim().toUpperCase();
  if (!EAS.values.has(scheme)) return `${scheme} is no ${EAS.name}`;
  const known = [...NUMBERINGS, DUTCH_SITES].find((each) => each.scheme === scheme);
  return !known || known.is.fits(value) ? null : `it is not ${known.is.name}: ${known.is.form}`;
}
