// Seller, buyer, payee, tax representative and delivery, as PINT asks for them.
import { nonEmpty, occurs, required, requiredAttribute } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, count, has, texts } from '#rules/engine/select.ts';
import { hasAny, says } from '#rules/pint/conditions.ts';
import type { XmlElement } from '#ubl/tree.ts';

const SELLER = 'cac:AccountingSupplierParty/cac:Party';
const BUYER = 'cac:AccountingCustomerParty/cac:Party';
const COUNTRY = 'cac:Country/cbc:IdentificationCode';

function oneAddressLine(id: string): Rule {
  return occurs(id, 'cac:AddressLine/cbc:Line', { max: 1 });
}

function countryNeeded(id: string, whose: string): Rule {
  return nonEmpty(id, COUNTRY, `The address of the ${whose} names no country: fill ${COUNTRY} with its two letters.`);
}

function schemeNeeded(id: string, whose: string): Rule {
  return requiredAttribute(id, 'schemeID', `The electronic address of the ${whose} does not say by which scheme: add schemeID="…".`);
}

function addressNeeded(id: string, whose: string): Rule {
  return required(id, 'cbc:EndpointID', `The ${whose} has no electronic address: add cbc:EndpointID with its schemeID.`);
}

export const BUYER_CONTEXTS: readonly Context[] = [
  context(BUYER, [addressNeeded('ibr-080', 'buyer')]),
  context(`${BUYER}/cbc:EndpointID`, [schemeNeeded('ibr-063', 'buyer')]),
  context(`${BUYER}/cac:PostalAddress`, [countryNeeded('ibr-011', 'buyer'), oneAddressLine('ibr-sr-54')]),
  context('cac:Delivery/cac:DeliveryLocation/cac:Address', [
    required('ibr-057', COUNTRY, `The delivery address names no country: add ${COUNTRY}.`),
    oneAddressLine('ibr-sr-56'),
  ]),
];

const IDENTIFIED = ['cac:PartyTaxScheme/cbc:CompanyID', 'cac:PartyIdentification/cbc:ID', 'cac:PartyLegalEntity/cbc:CompanyID'];

export const SELLER_CONTEXTS: readonly Context[] = [
  context(SELLER, [
    addressNeeded('ibr-081', 'seller'),
    rule(
      'ibr-co-26',
      (node) => hasAny(node, ...IDENTIFIED),
      'The seller cannot be told from others: add its tax number (cac:PartyTaxScheme), its identifier (cac:PartyIdentification) or its registration number (cac:PartyLegalEntity/cbc:CompanyID).',
    ),
    occurs('ibr-sr-42', 'cac:PartyTaxScheme', { max: 2 }),
  ]),
  context(`${SELLER}/cbc:EndpointID`, [schemeNeeded('ibr-062', 'seller')]),
  context(`${SELLER}/cac:PostalAddress`, [countryNeeded('ibr-009', 'seller'), oneAddressLine('ibr-sr-53')]),
  context('cac:TaxRepresentativeParty', [
    nonEmpty('ibr-018', 'cac:PartyName/cbc:Name', 'The tax representative has no name: fill cac:PartyName/cbc:Name.'),
    required('ibr-019', 'cac:PostalAddress', 'The tax representative has no address: add cac:PostalAddress.'),
    required(
      'ibr-056',
      'cac:PartyTaxScheme/cbc:CompanyID',
      'The tax representative has no tax number: add cac:PartyTaxScheme/cbc:CompanyID.',
    ),
    occurs('ibr-sr-22', 'cac:PartyName/cbc:Name', { max: 1 }),
    occurs('ibr-sr-23', 'cac:Party/cac:PartyTaxScheme/cbc:CompanyID', { max: 1 }),
  ]),
  context('cac:TaxRepresentativeParty/cac:PostalAddress', [countryNeeded('ibr-020', 'tax representative'), oneAddressLine('ibr-sr-55')]),
];

/** A value at the first path is also one at the second. */
function shares(node: XmlElement, one: string, other: string): boolean {
  return says(node, one, ...texts(node, other));
}

const NAME = 'cac:PartyName/cbc:Name';
const IDENTIFIER = 'cac:PartyIdentification/cbc:ID';

const isAnother: Test = (node) =>
  has(node, NAME) && !shares(node, NAME, `../${SELLER}/${NAME}`) && !shares(node, IDENTIFIER, `../${SELLER}/${IDENTIFIER}`);

/** It may be there several times only when the payee bears the seller's legal name. */
function onceForAnother(id: string, path: string, counted: (node: XmlElement) => number, what: string): Rule {
  const holds: Test = (node) => counted(node) <= 1 || shares(node, NAME, `../${SELLER}/cac:PartyLegalEntity/cbc:RegistrationName`);
  return rule(id, holds, `The payee has more than one ${what}: keep one ${path}.`, path);
}

/** Creditor identifiers of direct debits stand beside the payee's own. */
function ownIdentifiers(node: XmlElement): number {
  return all(node, IDENTIFIER).filter(({ attributes }) => attributes.get('schemeID')?.toUpperCase() !== 'SEPA').length;
}

export const PAYEE = context('cac:PayeeParty', [
  rule(
    'ibr-017',
    isAnother,
    'A payee is only stated when it is somebody other than the seller: give cac:PayeeParty its own name and identifier, or take it out.',
    NAME,
  ),
  onceForAnother('ibr-105', IDENTIFIER, ownIdentifiers, 'identifier'),
  onceForAnother(
    'ibr-106',
    'cac:PartyLegalEntity/cbc:CompanyID',
    (node) => count(node, 'cac:PartyLegalEntity/cbc:CompanyID'),
    'registration number',
  ),
  onceForAnother('ibr-sr-19', NAME, (node) => count(node, NAME), 'name'),
]);
