// The seller, the buyer, the payee and the seller's tax representative: names, addresses, numbers.
import { isVat } from '#rules/common/tax-scheme.ts';
import { nonEmpty, required, requiredAttribute, shown } from '#rules/engine/kinds.ts';
import { context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { all, has, text, texts } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { VAT_NUMBER_PREFIXES } from './codes.ts';
import { BUYER, DOCUMENT, SELLER } from './places.ts';
import { hasVatNumber } from './tax-numbers.ts';

const COUNTRY = 'cac:Country/cbc:IdentificationCode';
const REPRESENTATIVE = 'cac:TaxRepresentativeParty';
/** Sought as text, as the official rule does: a number of one character is found in it, too. */
const PREFIXES = ` ${[...VAT_NUMBER_PREFIXES.values].join(' ')} `;

export const PARTIES: readonly Pattern[] = [
  [
    context(DOCUMENT, [
      named('BR-06', 'seller', SELLER),
      named('BR-07', 'buyer', BUYER),
      addressed('BR-08', 'seller', `${SELLER}/cac:PostalAddress`),
      addressed('BR-10', 'buyer', `${BUYER}/cac:PostalAddress`),
    ]),
    context(`${SELLER}/cac:PostalAddress`, [inCountry('BR-09', "seller's address")]),
    context(`${BUYER}/cac:PostalAddress`, [inCountry('BR-11', "buyer's address")]),
    context(`${REPRESENTATIVE}/cac:PostalAddress`, [inCountry('BR-20', "tax representative's address")]),
    context('cac:Delivery/cac:DeliveryLocation/cac:Address', [
      required('BR-57', COUNTRY, `The address of delivery has no country: add ${COUNTRY}.`),
    ]),
    context(`${SELLER}/cbc:EndpointID`, [schemeOfEndpoint('BR-62', "seller's")]),
    context(`${BUYER}/cbc:EndpointID`, [schemeOfEndpoint('BR-63', "buyer's")]),
    context('cac:AccountingSupplierParty', [
      rule(
        'BR-CO-26',
        identifiesSeller,
        'Nothing identifies the seller: add a cac:PartyTaxScheme with its VAT number, cac:PartyLegalEntity/cbc:CompanyID or cac:PartyIdentification/cbc:ID.',
        'cac:Party',
      ),
    ]),
    context('cac:PayeeParty', [
      rule(
        'BR-17',
        isAnotherThanSeller,
        'The payee has no name, or the name or number of the seller: fill cac:PartyName/cbc:Name, or take cac:PayeeParty out when the seller itself is paid.',
      ),
    ]),
    context(REPRESENTATIVE, [
      nonEmpty('BR-18', 'cac:PartyName/cbc:Name', 'The tax representative has no name: fill cac:PartyName/cbc:Name.'),
      addressed('BR-19', 'tax representative', 'cac:PostalAddress'),
      rule(
        'BR-56',
        (node) => hasVatNumber(node, 'cac:PartyTaxScheme'),
        'The tax representative has no VAT number: add cac:PartyTaxScheme with cbc:CompanyID and the tax scheme VAT.',
      ),
    ]),
  ],
  [context('cac:PartyTaxScheme', isVat, [rule('BR-CO-09', beginsWithCountry, prefixSentence, 'cbc:CompanyID')])],
];

function named(id: string, who: string, party: string): Rule {
  const path = `${party}/cac:PartyLegalEntity/cbc:RegistrationName`;
  return nonEmpty(id, path, `The ${who} has no name: fill ${path}.`);
}

function addressed(id: string, who: string, path: string): Rule {
  return required(id, path, `The ${who} has no address: add ${path} with at least its country.`);
}

function inCountry(id: string, whose: string): Rule {
  return nonEmpty(id, COUNTRY, `The ${whose} has no country: fill ${COUNTRY} with its two letters.`);
}

function schemeOfEndpoint(id: string, whose: string): Rule {
  return requiredAttribute(
    id,
    'schemeID',
    `The ${whose} electronic address has no scheme: add schemeID to cbc:EndpointID, for example 0088.`,
  );
}

/** The identifier by which a bank collects money (SEPA) names no company; here the official rule wants it in capitals. */
function identifiesSeller(node: XmlElement): boolean {
  return (
    hasVatNumber(node, 'cac:Party/cac:PartyTaxScheme') ||
    has(node, 'cac:Party/cac:PartyLegalEntity/cbc:CompanyID') ||
    all(node, 'cac:Party/cac:PartyIdentification/cbc:ID').some((id) => id.attributes.get('schemeID') !== 'SEPA')
  );
}

function isAnotherThanSeller(node: XmlElement): boolean {
  const seller = `../${SELLER}`;
  return (
    has(node, 'cac:PartyName/cbc:Name') &&
    !share(node, 'cac:PartyName/cbc:Name', `${seller}/cac:PartyName/cbc:Name`) &&
    !share(node, 'cac:PartyIdentification/cbc:ID', `${seller}/cac:PartyIdentification/cbc:ID`)
  );
}

/** A value at one path is a value at the other. */
function share(node: XmlElement, one: string, other: string): boolean {
  const values = new Set(texts(node, other));
  return texts(node, one).some((value) => values.has(value));
}

function beginsWithCountry(node: XmlElement): boolean {
  return PREFIXES.includes((text(node, 'cbc:CompanyID') ?? '').slice(0, 2));
}

function prefixSentence(node: XmlElement): string {
  const number = shown(text(node, 'cbc:CompanyID') ?? '');
  return `The VAT number '${number}' does not begin with a country: write its two letters in front, for example SE (for Greece EL).`;
}
