// Greece: names, VAT numbers, addresses and the references (MARK, verification address) of a Greek seller.
import { countriesOf, writtenIn } from '#rules/billing/countries.ts';
import { isGreekTin } from '#rules/common/check-digits.ts';
import { BUYER, DOCUMENT, SELLER } from '#rules/en16931/places.ts';
import { shown } from '#rules/engine/kinds.ts';
import { advice, context, type Pattern, type Rule, rule, type Test, warning } from '#rules/engine/rule.ts';
import { all, stringOf, text, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { GREEK_NUMBER } from './greece-number.ts';

const GREECE_CODES = ['GR', 'EL'];
const MARK = '##M.AR.K##';
const VERIFICATION = '##INVOICE|URL##';

const greekSeller: Test = (_node, root) => GREECE_CODES.includes(countriesOf(root).seller);
const greekSellerItself: Test = (_node, root) => GREECE_CODES.includes(countriesOf(root).sellerItself);
const bothGreek: Test = (node, root) => greekSeller(node, root) && GREECE_CODES.includes(countriesOf(root).buyer);

/** Its address is in Greece too. */
const sellerInGreece: Test = (node, root) => greekSeller(node, root) && writtenIn('GR', 'seller')(node, root);

const OF_SELLER: Pattern = [
  context('/Invoice/cbc:ID | /CreditNote/cbc:ID', greekSeller, GREEK_NUMBER),
  context(SELLER, greekSeller, [
    named('GR-R-002', 'A Greek seller must give its full registered name: fill cac:PartyName/cbc:Name.'),
    warning(hasVatNumber('GR-S-011', 'seller')),
  ]),
  context(`${SELLER}/cac:PartyTaxScheme/cbc:CompanyID`, (node, root) => greekSeller(node, root) && isUnderVat(node.parent), [
    rule(
      'GR-R-003',
      (node) => isVatNumber(stringOf(node)),
      (node) => `'${shown(stringOf(node))}' is no Greek VAT number: write EL and nine digits, the last one a check digit.`,
    ),
  ]),
  context(DOCUMENT, sellerInGreece, [
    rule(
      'GR-R-004-1',
      (node) => described(node, MARK) === 1,
      (node) =>
        `A Greek document needs exactly one MARK number but has ${described(node, MARK)}: give one cac:AdditionalDocumentReference the description ${MARK}.`,
    ),
    advice(
      'GR-S-008-1',
      (node) => described(node, VERIFICATION) === 1,
      `A Greek document should say where it can be verified: give one cac:AdditionalDocumentReference the description ${VERIFICATION}, and the address as its cac:ExternalReference/cbc:URI.`,
    ),
    rule(
      'GR-R-008-2',
      (node) => described(node, VERIFICATION) <= 1,
      `The document has several references described ${VERIFICATION}: keep one.`,
    ),
  ]),
  context('cac:AdditionalDocumentReference/cbc:ID', (node, root) => sellerInGreece(node, root) && isDescribed(node.parent, MARK), [
    rule(
      'GR-R-004-2',
      (node) => /^[1-9]/.test(stringOf(node)),
      (node) => `The MARK number '${shown(stringOf(node))}' is no whole number above zero: correct cbc:ID.`,
    ),
  ]),
  context('cac:AdditionalDocumentReference', (node, root) => greekSeller(node, root) && isDescribed(node, VERIFICATION), [
    rule(
      'GR-R-008-3',
      (node) => trimmed(node, 'cac:Attachment/cac:ExternalReference/cbc:URI') !== '',
      'The reference to where the document can be verified has no address: fill cac:Attachment/cac:ExternalReference/cbc:URI.',
    ),
  ]),
  context(BUYER, greekSeller, [named('GR-R-005', 'A Greek seller must give the full name of the buyer: fill cac:PartyName/cbc:Name.')]),
  context(`${SELLER}/cbc:EndpointID`, greekSellerItself, [endpoint('GR-R-009', 'seller')]),
];

const OF_BOTH: Pattern = [
  context(BUYER, bothGreek, [hasVatNumber('GR-R-006', 'buyer')]),
  context(`${BUYER}/cbc:EndpointID`, bothGreek, [endpoint('GR-R-010', 'buyer')]),
];

export const GREECE: readonly Pattern[] = [OF_SELLER, OF_BOTH];

function named(id: string, sentence: string): Rule {
  return rule(id, (party) => (text(party, 'cac:PartyName/cbc:Name') ?? '') !== '', sentence, 'cac:PartyName/cbc:Name');
}

function hasVatNumber(id: string, party: string): Rule {
  const holds = (node: XmlElement): boolean => {
    const schemes = all(node, 'cac:PartyTaxScheme').filter(isUnderVat);
    const [number, ...more] = schemes.flatMap((scheme) => texts(scheme, 'cbc:CompanyID'));
    return number !== undefined && more.length === 0 && isVatNumber(number);
  };
  return rule(
    id,
    holds,
    `The Greek ${party} must have exactly one VAT number, EL and nine digits: correct cac:PartyTaxScheme/cbc:CompanyID.`,
  );
}

function endpoint(id: string, party: string): Rule {
  return rule(
    id,
    (node) => node.attributes.get('schemeID') === '9933' && isGreekTin(stringOf(node)),
    `The electronic address of a Greek ${party} is its tax number: write the nine digits into cbc:EndpointID, with schemeID 9933.`,
  );
}

function isVatNumber(number: string): boolean {
  return number.startsWith('EL') && isGreekTin(number.slice(2));
}

function isUnderVat(scheme: XmlElement | null): boolean {
  return scheme !== null && trimmed(scheme, 'cac:TaxScheme/cbc:ID') === 'VAT';
}

function described(node: XmlElement, description: string): number {
  return all(node, 'cac:AdditionalDocumentReference').filter((reference) => isDescribed(reference, description)).length;
}

function isDescribed(reference: XmlElement | null, description: string): boolean {
  return reference !== null && texts(reference, 'cbc:DocumentDescription').includes(description);
}
