// The base of PINT: its contexts in their order, for a node is checked by the first one that matches it.
import { nonEmpty, occurs, required } from '#rules/engine/kinds.ts';
import { type Context, context, type Pattern, rule } from '#rules/engine/rule.ts';
import { has, texts } from '#rules/engine/select.ts';
import { CHARGES } from './charges.ts';
import { codesPattern } from './codes.ts';
import { DOCUMENT_CONTEXTS, TAX_TOTALS } from './document.ts';
import { IDENTIFIERS } from './identifiers.ts';
import { DESPATCHES, ITEMS, LINE, PERIODS, PRICE_UNIT } from './lines.ts';
import { BUYER_CONTEXTS, PAYEE, SELLER_CONTEXTS } from './parties.ts';
import { CURRENCY_CONTEXTS, VALUE_CONTEXTS } from './values.ts';

const ADDITIONAL_REFERENCE = context('cac:AdditionalDocumentReference', [
  nonEmpty('ibr-052', 'cbc:ID', 'The reference to another document does not say to which: fill cbc:ID.'),
  occurs('ibr-sr-33', 'cbc:DocumentDescription', { max: 1 }),
]);

const PAYMENT: readonly Context[] = [
  context('cac:PaymentMeans/cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cac:Address', [
    occurs('ibr-sr-59', 'cac:AddressLine/cbc:Line', { max: 1 }),
  ]),
  context('cac:PaymentMeans', [
    required('ibr-049', 'cbc:PaymentMeansCode', 'The way of payment is not stated: add cbc:PaymentMeansCode.'),
    occurs('ibr-sr-27', 'cbc:PaymentMeansCode', { max: 1 }),
    occurs('ibr-sr-28', 'cac:PaymentMandate/cbc:ID', { max: 1 }),
    rule(
      'ibr-sr-46',
      (node) => texts(node, 'cbc:PaymentMeansCode/@name').length <= 1,
      'The way of payment is named several times: keep one cbc:PaymentMeansCode with a name.',
    ),
  ]),
];

const REFERENCES: readonly Context[] = [
  context('cac:PaymentTerms', [occurs('ibr-sr-05', 'cbc:Note', { max: 1 }), occurs('ibr-sr-60', 'cbc:PaymentMeansID', { max: 1 })]),
  context('cac:BillingReference', [
    required(
      'ibr-055',
      'cac:InvoiceDocumentReference/cbc:ID',
      'The reference to an earlier invoice has no number: add cac:InvoiceDocumentReference/cbc:ID.',
    ),
    required('ibr-sr-07', 'cac:InvoiceDocumentReference/cbc:ID'),
    occurs('ibr-sr-06', 'cac:InvoiceDocumentReference', { max: 1 }),
  ]),
];

const AFTER_TOTALS: readonly Context[] = [
  context('cac:TaxSubtotal', [occurs('ibr-sr-32', 'cac:TaxCategory/cbc:TaxExemptionReason', { max: 1 })]),
  context('cac:PartyTaxScheme', [
    required('ibr-sr-57', 'cbc:CompanyID', 'The tax registration has no number: add cbc:CompanyID, or take cac:PartyTaxScheme out.'),
  ]),
];

const PREPAYMENT: Context = context('cac:PrepaidPayment', (node) => node.parent?.children.find(({ tag }) => tag === node.tag) === node, [
  rule(
    'ibr-093',
    (node) => has(node, '../cac:LegalMonetaryTotal/cbc:PrepaidAmount'),
    'Something was paid before, but the totals do not say how much: add cac:LegalMonetaryTotal/cbc:PrepaidAmount.',
  ),
]);

const DELIVERY: Context = context('cac:Delivery', [occurs('ibr-108', 'cac:DeliveryParty/cac:PartyName/cbc:Name', { max: 1 })]);

const MODEL: Pattern = [
  ...IDENTIFIERS,
  ...CHARGES,
  ADDITIONAL_REFERENCE,
  ...BUYER_CONTEXTS,
  ...DOCUMENT_CONTEXTS,
  LINE,
  ...PERIODS,
  ...ITEMS,
  PAYEE,
  ...PAYMENT,
  ...CURRENCY_CONTEXTS,
  ...REFERENCES,
  ...SELLER_CONTEXTS,
  TAX_TOTALS,
  ...AFTER_TOTALS,
  ...VALUE_CONTEXTS,
  PRICE_UNIT,
  ...DESPATCHES,
  PREPAYMENT,
  DELIVERY,
];

/** An edition of the base: jurisdictions differ in the types of documents that they know. */
export function basePatterns(types?: readonly Context[]): readonly Pattern[] {
  return [MODEL, codesPattern(types)];
}
