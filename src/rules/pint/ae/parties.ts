// Buyer, seller and their addresses in the Emirates.

import { COUNTRIES } from '#rules/codes/countries.ts';
import { type CodeList, suggestion } from '#rules/engine/codes.ts';
import { occurs, required, shown } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, fact, has, normalized, stringOf, text, texts, trimmed } from '#rules/engine/select.ts';
import { hasAny, ruleWhere, says, saysOther } from '#rules/pint/conditions.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { flagged, isFlagged } from './transaction.ts';

const LEGAL = 'cac:PartyLegalEntity/cbc:CompanyID';
const TAX = 'cac:PartyTaxScheme/cbc:CompanyID';
const AGENCY = `${LEGAL}/@schemeAgencyID`;
const EMIRATES_SCHEME = '0235';

const isInEmirates: Test = (node) => says(node, 'cbc:EndpointID/@schemeID', EMIRATES_SCHEME);

function endpointStarts(node: XmlElement, ...starts: readonly string[]): boolean {
  const endpoint = trimmed(node, 'cbc:EndpointID');
  return starts.some((start) => endpoint.startsWith(start));
}

/** Countries that issue passports: the two codes that are none are not among them. */
const ISSUERS: CodeList = {
  name: COUNTRIES.name,
  values: new Set([...COUNTRIES.values].filter((code) => !['1A', 'XI'].includes(code))),
};

/** A registration number that is a passport's names the country, one that is a licence's the authority. */
function registration(whose: string, ids: { readonly passport: string; readonly licence: string; readonly kind: string }): readonly Rule[] {
  return [
    ruleWhere(
      ids.passport,
      (node) => says(node, AGENCY, 'PAS'),
      (node) => says(node, `${LEGAL}/@schemeAgencyName`, ...ISSUERS.values),
      (node) =>
        `The registration number of the ${whose} is that of a passport: write the country that issued it into schemeAgencyName.${suggestion(ISSUERS, text(node, `${LEGAL}/@schemeAgencyName`) ?? '')}`,
      LEGAL,
    ),
    ruleWhere(
      ids.licence,
      (node) => says(node, AGENCY, 'TL'),
      (node) => has(node, `${LEGAL}/@schemeAgencyName`),
      `The registration number of the ${whose} is that of a trade licence: write the authority that gave it into schemeAgencyName.`,
      LEGAL,
    ),
    ruleWhere(
      ids.kind,
      (node, root) => isInEmirates(node, root) && has(node, LEGAL),
      (node) => has(node, AGENCY),
      `The registration number of the ${whose} does not say of which kind it is: add schemeAgencyID (TL, EID, PAS or CD).`,
      LEGAL,
    ),
  ];
}

function fullAddress(id: string, whose: string): Rule {
  const parts = ['cbc:StreetName', 'cbc:CityName', 'cbc:CountrySubentity'];
  return rule(
    id,
    (node) => parts.every((part) => has(node, part)),
    `The address of the ${whose} is not complete: add cbc:StreetName, cbc:CityName and cbc:CountrySubentity.`,
  );
}

const BUYER_PARTY = context('cac:AccountingCustomerParty/cac:Party', [
  ...registration('buyer', { passport: 'ibr-010-ae', licence: 'ibr-101-ae', kind: 'ibr-180-ae' }),
  rule(
    'ibr-149-ae',
    (node) => saysOther(node, 'cbc:EndpointID/@schemeID', EMIRATES_SCHEME) || endpointStarts(node, '1', '9') || has(node, TAX),
    `The buyer has no tax number: add ${TAX}.`,
  ),
  occurs('ibr-179-ae', TAX, { max: 1 }),
  ruleWhere(
    'ibr-135-ae',
    (node, root) =>
      isInEmirates(node, root) && !isFlagged(root, 'export') && !texts(node, 'cbc:EndpointID').some((id) => /^1\d{9}$/.test(id)),
    (node) => hasAny(node, 'cac:PartyIdentification/cbc:ID', TAX),
    `The buyer cannot be told from others: add cac:PartyIdentification/cbc:ID or ${TAX}.`,
  ),
  ruleWhere(
    'ibr-183-ae',
    (node, root) => isInEmirates(node, root) && has(node, LEGAL) && !endpointStarts(node, '1', '9'),
    (node) => says(node, AGENCY, 'TL', 'CL', 'EID', 'PAS', 'CD'),
    'The registration number of the buyer is of a kind that is not known: write TL, CL, EID, PAS or CD into schemeAgencyID.',
    LEGAL,
  ),
]);

const SELLER_PARTY = context('cac:AccountingSupplierParty/cac:Party', [
  ...registration('seller', { passport: 'ibr-012-ae', licence: 'ibr-172-ae', kind: 'ibr-181-ae' }),
  ruleWhere(
    'ibr-177-ae',
    flagged('disclosed agent'),
    (node) => has(node, TAX),
    `An agent who discloses for whom he bills states his own tax number: add ${TAX} of the seller.`,
  ),
  rule(
    'ibr-178-ae',
    (node) => {
      const registrations = all(node, 'cac:PartyTaxScheme');
      const ofVat = registrations.filter((one) => says(one, 'cac:TaxScheme/cbc:ID', 'VAT'));
      return registrations.length < 2 || (registrations.length === 2 && ofVat.length === 1);
    },
    'Of two tax registrations of the seller exactly one is that of VAT: correct cac:PartyTaxScheme/cac:TaxScheme/cbc:ID.',
    'cac:PartyTaxScheme',
  ),
  ruleWhere('ibr-150-ae', isInEmirates, (node) => has(node, LEGAL), `The seller has no registration number: add ${LEGAL}.`),
  ruleWhere(
    'ibr-173-ae',
    (node, root) =>
      isInEmirates(node, root) && has(node, LEGAL) && says(node, 'cac:PostalAddress/cac:Country/cbc:IdentificationCode', 'AE'),
    (node) => says(node, AGENCY, 'TL', 'EID', 'PAS', 'CD'),
    'The registration number of the seller is of a kind that is not known: write TL, EID, PAS or CD into schemeAgencyID.',
    LEGAL,
  ),
]);

const EMIRATES = ['AUH', 'DXB', 'SHJ', 'UAQ', 'FUJ', 'AJM', 'RAK'];

/** Before prices and charges. */
export const PARTY_CONTEXTS: readonly Context[] = [
  BUYER_PARTY,
  context('cac:DeliveryTerms', [required('ibr-196-ae', 'cbc:ID', 'The terms of delivery are not named: add cbc:ID with the Incoterm.')]),
  context('cac:AccountingCustomerParty/cac:Party/cac:PostalAddress', [fullAddress('ibr-144-ae', 'buyer')]),
  context('cac:AccountingSupplierParty/cac:Party/cac:PostalAddress', [fullAddress('ibr-143-ae', 'seller')]),
  SELLER_PARTY,
];

/** Those of buyer and seller are matched before it, so it sees what is left: the tax representative's. */
export const OTHER_ADDRESSES = context('cac:PostalAddress', [
  ruleWhere(
    'ibr-128-ae',
    (node) => says(node, 'cac:Country/cbc:IdentificationCode', 'AE'),
    (node) => says(node, 'cbc:CountrySubentity', ...EMIRATES),
    (node) =>
      `'${shown(text(node, 'cbc:CountrySubentity') ?? '')}' is no emirate: write one of ${EMIRATES.join(', ')} into cbc:CountrySubentity.`,
    'cbc:CountrySubentity',
  ),
]);

const isOfEmirates: Test = (node) =>
  says(node, '../../cac:PostalAddress/cac:Country/cbc:IdentificationCode', 'AE') && schemes(node).includes('VAT');

function schemes(number: XmlElement): readonly string[] {
  return texts(number, '../cac:TaxScheme/cbc:ID').map((id) => id.trim().toUpperCase());
}

const isOtherRegistration: Test = (node) => schemes(node).some((scheme) => scheme !== 'VAT');

const SELLER_NUMBERS = `cac:AccountingSupplierParty/cac:Party/${TAX}`;
const TIN = /^1[0-9]{9}$/;

const hasTin = fact((root) => texts(root, SELLER_NUMBERS).some((number) => TIN.test(normalized(number))));

export const NUMBER_CONTEXTS: readonly Context[] = [
  context(`cac:Party/${TAX}`, isOfEmirates, [
    rule(
      'ibr-132-ae',
      (node) => /^1[0-9]{12}03$/.test(stringOf(node)),
      (node) => `'${shown(stringOf(node))}' is no VAT number of the Emirates (TRN): 15 digits that begin with 1 and end with 03.`,
    ),
  ]),
  context(SELLER_NUMBERS, isOtherRegistration, [
    rule(
      'ibr-148-ae',
      (node) => TIN.test(stringOf(node)),
      (node) => `'${shown(stringOf(node))}' is no tax identification number (TIN): 10 digits that begin with 1.`,
    ),
  ]),
  context('cac:TaxScheme/cbc:ID', [
    rule(
      'ibr-133-ae',
      (node, root) => stringOf(node) === 'VAT' || hasTin(root),
      (node) => `The tax scheme '${shown(stringOf(node))}' is not VAT: write VAT, unless the seller states a TIN.`,
    ),
  ]),
];
