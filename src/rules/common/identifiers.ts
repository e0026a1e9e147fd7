// Identifiers of parties by their scheme: the form that each scheme asks for.
import { shown } from '#rules/kinds.ts';
import { type Context, context, type Rule, rule, warning } from '#rules/rule.ts';
import { normalized, stringOf, trimmed } from '#rules/select.ts';
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
export const SWEDISH: Identifier = {
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

/** What every Peppol BIS asks of identifiers; part of a pattern, after contexts that are more particular. */
export const PEPPOL_IDENTIFIERS: readonly Context[] = [
  schemed(['0088'], wellFormed('PEPPOL-COMMON-R040', GLN)),
  schemed(['0192'], wellFormed('PEPPOL-COMMON-R041', NORWEGIAN)),
  schemed(['0184'], wellFormed('PEPPOL-COMMON-R042', DANISH)),
  schemed(['0096'], wellFormed('PEPPOL-COMMON-R052', DANISH_SITE)),
  schemed(['0198'], wellFormed('PEPPOL-COMMON-R053', DANISH_VAT)),
  schemed(['0208'], wellFormed('PEPPOL-COMMON-R043', BELGIAN)),
  schemed(['0201'], warning(wellFormed('PEPPOL-COMMON-R044', IPA))),
  schemed(['0210'], warning(wellFormed('PEPPOL-COMMON-R045', CODICE_FISCALE))),
  schemed(['9907'], warning(wellFormed('PEPPOL-COMMON-R046', CODICE_FISCALE)), 'cbc:EndpointID'),
  schemed(['0211'], warning(wellFormed('PEPPOL-COMMON-R047', PARTITA_IVA))),
  schemed(['0007'], wellFormed('PEPPOL-COMMON-R049', SWEDISH)),
  schemed(['0151'], wellFormed('PEPPOL-COMMON-R050', ABN)),
  schemed(['0106'], warning(wellFormed('PEPPOL-COMMON-R054', DUTCH))),
  schemed(['0190'], warning(wellFormed('PEPPOL-COMMON-R055', DUTCH_PUBLIC))),
  schemed(['9944'], warning(wellFormed('PEPPOL-COMMON-R056-1', DUTCH_VAT))),
  context('cac:PartyTaxScheme/cbc:CompanyID', isDutchVatNumber, [warning(wellFormed('PEPPOL-COMMON-R056-2', DUTCH_VAT))]),
  schemed(['0217'], warning(wellFormed('PEPPOL-COMMON-R057', DUTCH_SITE))),
];
