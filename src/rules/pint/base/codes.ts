// The code lists of PINT: one row for each place where a code stands.

import { COUNTRIES } from '#rules/codes/countries.ts';
import { CURRENCIES } from '#rules/codes/currencies.ts';
import { ICD } from '#rules/codes/identifier-schemes.ts';
import { ITEM_CLASSIFICATIONS } from '#rules/codes/item-classifications.ts';
import { ALLOWANCE_REASONS, CHARGE_REASONS } from '#rules/codes/reasons.ts';
import { REFERENCES } from '#rules/codes/references.ts';
import { UNITS } from '#rules/codes/units.ts';
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { ALL_AMOUNTS } from '#rules/common/amounts.ts';
import type { CodeList } from '#rules/engine/codes.ts';
import { coded, codedExactly } from '#rules/engine/kinds.ts';
import { type Context, context, type Pattern, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { isBelow } from '#rules/engine/select.ts';
import { CREDIT_NOTE_TYPES, EAS_PINT, INVOICE_TYPES, MEDIA_TYPES_PINT, PAYMENT_MEANS_PINT } from '#rules/pint/codes.ts';
import { says } from '#rules/pint/conditions.ts';

const hasScheme: Test = ({ attributes }) => attributes.has('schemeID');
const hasUnit: Test = ({ attributes }) => attributes.has('unitCode');
const isObject: Test = (node, root) => hasScheme(node, root) && says(node, '../cbc:DocumentTypeCode', '130');

function below(of: Test): Test {
  return (node, root) => node.parent !== null && of(node.parent, root);
}

/** The attribute must be there, too. */
export function codedAttribute(id: string, list: CodeList, name: string): Rule {
  const of = coded(id, list, `@${name}`);
  return { ...of, holds: (node, root) => node.attributes.has(name) && of.holds(node, root) };
}

const CREDITOR = coded('ibr-cl-10', ICD, '@schemeID');

/** The creditor identifier of direct debits has a scheme of its own; sellers and payees have one. */
const IDENTIFIER_SCHEME: Rule = {
  ...CREDITOR,
  holds: (node, root) =>
    CREDITOR.holds(node, root) ||
    (says(node, '@schemeID', 'SEPA') && (isBelow(node, 'cac:AccountingSupplierParty') || isBelow(node, 'cac:PayeeParty'))),
};

/** The types of invoices and of credit notes are two lists under one id; some editions have none for credit notes. */
export function documentTypes(id: string, invoices: CodeList, creditNotes?: CodeList): readonly Context[] {
  const ofCreditNotes = creditNotes
    ? coded(id, creditNotes)
    : rule(
        id,
        () => false,
        'The rules of this profile have no type for credit notes, so that receivers refuse them: send an invoice instead.',
      );
  return [context('cbc:InvoiceTypeCode', [coded(id, invoices)]), context('cbc:CreditNoteTypeCode', [ofCreditNotes])];
}

const AFTER_TYPES: readonly Context[] = [
  context(ALL_AMOUNTS, [codedAttribute('ibr-cl-03', CURRENCIES, 'currencyID')]),
  context('cbc:DocumentCurrencyCode', [coded('ibr-cl-04', CURRENCIES)]),
  context('cbc:TaxCurrencyCode', [coded('ibr-cl-05', CURRENCIES)]),
  context('cac:AdditionalDocumentReference/cbc:ID | cac:DocumentReference/cbc:ID', isObject, [coded('ibr-cl-07', REFERENCES, '@schemeID')]),
  context('cac:PartyIdentification/cbc:ID', hasScheme, [IDENTIFIER_SCHEME]),
  context('cac:PartyLegalEntity/cbc:CompanyID', hasScheme, [coded('ibr-cl-11', ICD, '@schemeID')]),
  context('cac:CommodityClassification/cbc:ItemClassificationCode', [coded('ibr-cl-13', ITEM_CLASSIFICATIONS, '@listID')]),
  context('cac:Country/cbc:IdentificationCode', [coded('ibr-cl-14', COUNTRIES)]),
  context('cac:OriginCountry/cbc:IdentificationCode', [coded('ibr-cl-15', COUNTRIES)]),
  context('cac:PaymentMeans/cbc:PaymentMeansCode', [coded('ibr-cl-16', PAYMENT_MEANS_PINT)]),
  context('cac:AllowanceCharge/cbc:AllowanceChargeReasonCode', below(isAllowance), [coded('ibr-cl-19', ALLOWANCE_REASONS)]),
  context('cac:AllowanceCharge/cbc:AllowanceChargeReasonCode', below(isCharge), [coded('ibr-cl-20', CHARGE_REASONS)]),
  context('cac:StandardItemIdentification/cbc:ID', hasScheme, [coded('ibr-cl-21', ICD, '@schemeID')]),
  context('cbc:InvoicedQuantity | cbc:BaseQuantity | cbc:CreditedQuantity', hasUnit, [coded('ibr-cl-23', UNITS, '@unitCode')]),
  context('cbc:EmbeddedDocumentBinaryObject', [codedExactly('ibr-cl-24', MEDIA_TYPES_PINT, '@mimeCode')]),
  context('cbc:EndpointID', hasScheme, [coded('ibr-cl-25', EAS_PINT, '@schemeID')]),
  context('cac:DeliveryLocation/cbc:ID', hasScheme, [coded('ibr-cl-26', ICD, '@schemeID')]),
];

/** An edition differs in the types of documents only. */
export function codesPattern(types: readonly Context[] = documentTypes('ibr-cl-01', INVOICE_TYPES, CREDIT_NOTE_TYPES)): Pattern {
  return [...types, ...AFTER_TYPES];
}
