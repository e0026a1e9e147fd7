// The Netherlands: addresses, numbers and payment of a Dutch seller.
import { locatedIn } from '#rules/billing/countries.ts';
import { LEGAL_NUMBER, REPRESENTATIVE } from '#rules/billing/places.ts';
import { BUYER, SELLER } from '#rules/en16931/places.ts';
import { shown } from '#rules/engine/kinds.ts';
import { context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { everywhere, fact, has, normalized, number, stringOf, trimmed } from '#rules/engine/select.ts';
import { compare, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const PAYMENT_CODES = ['30', '48', '49', '57', '58', '59'];
const SCHEMES = ['0106', '0190'];

const dutchSeller = locatedIn('NL', 'seller');
const bothDutch = locatedIn('NL', 'seller', 'buyer');

const namesOrder = fact((root) => has(root, 'cac:OrderReference/cbc:ID'));
const statesPayment = fact((root) => everywhere(root, 'cac:PaymentMeans').length > 0);

export const NETHERLANDS: Pattern = [
  context('cbc:CreditNoteTypeCode', dutchSeller, [
    rule(
      'NL-R-001',
      (_node, root) => has(root, 'cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID'),
      'A Dutch credit note must name the invoice that it corrects: add cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID.',
    ),
  ]),
  context(`${SELLER}/cac:PostalAddress`, dutchSeller, [address('NL-R-002', 'seller')]),
  context(`${SELLER}/${LEGAL_NUMBER}`, dutchSeller, [legalNumber('NL-R-003', 'seller')]),
  context(`${BUYER}/cac:PostalAddress`, bothDutch, [address('NL-R-004', 'buyer')]),
  context(`${BUYER}/${LEGAL_NUMBER}`, bothDutch, [legalNumber('NL-R-005', 'buyer')]),
  context(`${REPRESENTATIVE}/cac:PostalAddress`, locatedIn('NL', 'seller', 'representative'), [address('NL-R-006', 'tax representative')]),
  context('cac:LegalMonetaryTotal', dutchSeller, [
    rule(
      'NL-R-007',
      (node, root) => !isOwedToSeller(node, root) || statesPayment(root),
      'The buyer owes money but is not told how to pay it: add cac:PaymentMeans.',
      'cbc:PayableAmount',
    ),
  ]),
  context('cac:PaymentMeans', bothDutch, [
    rule(
      'NL-R-008',
      (node) => PAYMENT_CODES.includes(trimmed(node, 'cbc:PaymentMeansCode')),
      (node) =>
        `Payment means '${shown(trimmed(node, 'cbc:PaymentMeansCode'))}' are not used between Dutch parties: write one of ${PAYMENT_CODES.join(', ')}.`,
      'cbc:PaymentMeansCode',
    ),
  ]),
  context('cac:OrderLineReference/cbc:LineID', dutchSeller, [
    rule(
      'NL-R-009',
      (_node, root) => namesOrder(root),
      'The line refers to a line of an order that the document does not name: add cac:OrderReference/cbc:ID.',
    ),
  ]),
];

function address(id: string, party: string): Rule {
  return rule(
    id,
    (node) => has(node, 'cbc:StreetName') && has(node, 'cbc:CityName') && has(node, 'cbc:PostalZone'),
    `The address of a Dutch ${party} needs street, city and postal code: add cbc:StreetName, cbc:CityName and cbc:PostalZone.`,
  );
}

function legalNumber(id: string, party: string): Rule {
  return rule(
    id,
    (node) =>
      (node.attributes.get('schemeID') ?? '').split(' ').some((scheme) => SCHEMES.includes(scheme)) && normalized(stringOf(node)) !== '',
    `The legal number of a Dutch ${party} must be its KVK or OIN number: give cbc:CompanyID the schemeID 0106 or 0190.`,
  );
}

/** An invoice for an amount above zero, a credit note for one below. */
function isOwedToSeller(total: XmlElement, root: XmlElement): boolean {
  const payable = number(total, 'cbc:PayableAmount');
  if (!payable) return true;
  const sign = compare(payable, ZERO);
  return root.tag === 'Invoice' ? sign > 0 : sign < 0;
}
