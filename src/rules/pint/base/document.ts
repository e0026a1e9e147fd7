// What PINT asks of the document as a whole, and of its totals.
import { maxDecimals, nonEmpty, occurs, required } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, everywhere, fact, has, numbers, text, texts, trimmed } from '#rules/engine/select.ts';
import { isFilled, says } from '#rules/pint/conditions.ts';
import {
  allowanceTotal,
  asStated,
  chargeTotal,
  countsUnlessZero,
  isFirstTaxInDocumentCurrency,
  isGrossRight,
  isTaxIncluded,
  lineTotal,
  payableTotal,
  taxExclusiveTotal,
  taxInclusiveTotal,
  taxTotal,
} from '#rules/pint/totals.ts';
import { compare, type Decimal, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const TOTALS_CONTEXT: Context = context('cac:LegalMonetaryTotal', [
  required('ibr-012', 'cbc:LineExtensionAmount', 'The sum of the line amounts is not stated: add cbc:LineExtensionAmount.'),
  required('ibr-013', 'cbc:TaxExclusiveAmount', 'The total without tax is not stated: add cbc:TaxExclusiveAmount.'),
  required('ibr-014', 'cbc:TaxInclusiveAmount', 'The total with tax is not stated: add cbc:TaxInclusiveAmount.'),
  required('ibr-015', 'cbc:PayableAmount', 'The amount to pay is not stated: add cbc:PayableAmount.'),
  maxDecimals('ibr-091', 'cbc:PayableAmount'),
  maxDecimals('ibr-121', 'cbc:AllowanceTotalAmount'),
  maxDecimals('ibr-122', 'cbc:ChargeTotalAmount'),
  maxDecimals('ibr-123', 'cbc:TaxExclusiveAmount'),
  maxDecimals('ibr-125', 'cbc:TaxInclusiveAmount'),
  lineTotal('ibr-co-10', asStated),
  allowanceTotal('ibr-co-11', asStated),
  chargeTotal('ibr-co-12', asStated),
  unlessTaxIncluded(taxExclusiveTotal('ibr-co-13', asStated)),
  payableTotal('ibr-co-16', asStated, countsUnlessZero),
]);

function unlessTaxIncluded(of: Rule): Rule {
  return { ...of, holds: (node, root) => isTaxIncluded(root) || of.holds(node, root) };
}

/** Whether every sign occurs in both currencies that could make them agree. */
const agreeInSign: Test = (root) => {
  if (!has(root, 'cbc:TaxCurrencyCode')) return true;
  const inTaxCurrency = taxesIn(root, trimmed(root, 'cbc:TaxCurrencyCode'));
  const inDocumentCurrency = taxesIn(root, trimmed(root, 'cbc:DocumentCurrencyCode'));
  const both = (fits: (tax: Decimal) => boolean): boolean => inTaxCurrency.some(fits) && inDocumentCurrency.some(fits);
  return both((tax) => compare(tax, ZERO) <= 0) || both((tax) => compare(tax, ZERO) >= 0);
};

function taxesIn(root: XmlElement, currency: string): readonly Decimal[] {
  const stated = all(root, 'cac:TaxTotal/cbc:TaxAmount').filter(({ attributes }) => attributes.get('currencyID') === currency);
  return stated.flatMap((amount) => numbers(amount, '.'));
}

const hasTaxInTaxCurrency: Test = (root) =>
  texts(root, 'cbc:TaxCurrencyCode').every((currency) =>
    everywhere(root, 'cac:TaxTotal').some((total) => says(total, 'cbc:TaxAmount/@currencyID', currency)),
  );

const references = fact((root) => everywhere(root, 'cac:AdditionalDocumentReference'));

/** References to the object that is invoiced carry an identifier and nothing else. */
function bareObject(id: string, path: string): Rule {
  const holds: Test = (root) => !references(root).some((one) => says(one, 'cbc:DocumentTypeCode', '130') && has(one, path));
  return rule(
    id,
    holds,
    `A reference to the invoiced object (type 130) carries ${path}: take it out, or refer to a document without a type code.`,
  );
}

function referencesOfType(node: XmlElement, path: string, code: string): number {
  return all(node, path).filter((one) => says(one, 'cbc:DocumentTypeCode', code)).length;
}

const ADDITIONAL = 'cac:AdditionalDocumentReference';
const SELLER = 'cac:AccountingSupplierParty/cac:Party';
const BUYER = 'cac:AccountingCustomerParty/cac:Party';

const ONCE: readonly (readonly [id: string, path: string])[] = [
  ['ibr-066', 'cac:PaymentMeans/cac:CardAccount'],
  ['ibr-067', 'cac:PaymentMeans/cac:PaymentMandate'],
  ['ibr-094', 'cac:ContractDocumentReference/cbc:ID'],
  ['ibr-095', 'cac:ReceiptDocumentReference/cbc:ID'],
  ['ibr-096', 'cac:DespatchDocumentReference/cbc:ID'],
  ['ibr-097', 'cac:InvoicePeriod'],
  ['ibr-098', `${SELLER}/cac:PartyLegalEntity/cbc:RegistrationName`],
  ['ibr-099', `${SELLER}/cac:PartyName/cbc:Name`],
  ['ibr-100', `${SELLER}/cac:PartyLegalEntity/cbc:CompanyID`],
  ['ibr-101', `${SELLER}/cac:PartyLegalEntity/cbc:CompanyLegalForm`],
  ['ibr-102', `${BUYER}/cac:PartyLegalEntity/cbc:RegistrationName`],
  ['ibr-103', `${BUYER}/cac:PartyLegalEntity/cbc:CompanyID`],
  ['ibr-104', `${BUYER}/cac:PartyTaxScheme/cbc:CompanyID`],
  ['ibr-107', 'cac:Delivery'],
  ['ibr-112', `${BUYER}/cac:PartyName/cbc:Name`],
  ['ibr-sr-16', `${BUYER}/cac:PartyIdentification/cbc:ID`],
  ['ibr-sr-39', 'cac:ProjectReference/cbc:ID'],
  ['ibr-sr-49', 'cac:InvoicePeriod/cbc:DescriptionCode'],
  ['ibr-sr-51', 'cbc:Note'],
  ['ibr-sr-52', 'cac:OriginatorDocumentReference/cbc:ID'],
];

const DOCUMENT: Context = context('/Invoice | /CreditNote', [
  nonEmpty('ibr-001', 'cbc:CustomizationID', 'The document does not say which specification it follows: fill cbc:CustomizationID.'),
  nonEmpty('ibr-002', 'cbc:ID', 'The document has no number: fill cbc:ID.'),
  nonEmpty('ibr-003', 'cbc:IssueDate', 'The document has no issue date: fill cbc:IssueDate.'),
  rule(
    'ibr-004',
    (root) => isFilled(root, 'cbc:InvoiceTypeCode') || isFilled(root, 'cbc:CreditNoteTypeCode'),
    ({ tag }) => `The document does not say of which type it is: fill cbc:${tag}TypeCode.`,
  ),
  nonEmpty('ibr-005', 'cbc:DocumentCurrencyCode', 'The document names no currency: fill cbc:DocumentCurrencyCode.'),
  nonEmpty(
    'ibr-006',
    `${SELLER}/cac:PartyLegalEntity/cbc:RegistrationName`,
    `The seller has no name: fill ${SELLER}/cac:PartyLegalEntity/cbc:RegistrationName.`,
  ),
  nonEmpty(
    'ibr-007',
    `${BUYER}/cac:PartyLegalEntity/cbc:RegistrationName`,
    `The buyer has no name: fill ${BUYER}/cac:PartyLegalEntity/cbc:RegistrationName.`,
  ),
  required('ibr-008', `${SELLER}/cac:PostalAddress`, `The seller has no address: add ${SELLER}/cac:PostalAddress.`),
  required('ibr-010', `${BUYER}/cac:PostalAddress`, `The buyer has no address: add ${BUYER}/cac:PostalAddress.`),
  rule(
    'ibr-016',
    (root) => has(root, 'cac:InvoiceLine') || has(root, 'cac:CreditNoteLine'),
    ({ tag }) => `The document has no line: add at least one cac:${tag}Line.`,
  ),
  rule(
    'ibr-053',
    hasTaxInTaxCurrency,
    (root) =>
      `There is a tax currency (${trimmed(root, 'cbc:TaxCurrencyCode')}) but no tax amount in it: add a cac:TaxTotal/cbc:TaxAmount with that currencyID, or take cbc:TaxCurrencyCode out.`,
    'cbc:TaxCurrencyCode',
  ),
  ...ONCE.map(([id, path]) => occurs(id, path, { max: 1 })),
  bareObject('ibr-071', 'cac:Attachment'),
  bareObject('ibr-072', 'cbc:DocumentDescription'),
  required('ibr-076', 'cbc:ProfileID', 'The document does not say in which business process it stands: add cbc:ProfileID.'),
  rule(
    'ibr-078',
    (root) => referencesOfType(root, ADDITIONAL, '130') <= 1,
    'The document refers to several invoiced objects: keep one cac:AdditionalDocumentReference of type 130.',
    ADDITIONAL,
  ),
  rule(
    'ibr-084',
    agreeInSign,
    "The tax in the tax currency and the tax in the document's currency must both be there and have the same sign: correct the two cac:TaxTotal/cbc:TaxAmount.",
    'cac:TaxTotal/cbc:TaxAmount',
  ),
  rule(
    'ibr-090',
    (root) => all(root, 'cac:ProjectReference').length <= 1 && referencesOfType(root, ADDITIONAL, '50') <= 1,
    'The document refers to several projects: keep one cac:ProjectReference (or one cac:AdditionalDocumentReference of type 50).',
  ),
  taxInclusiveTotal('ibr-co-15', (root) => isTaxIncluded(root) || (isFirstTaxInDocumentCurrency(root) && isGrossRight(root))),
  rule(
    'ibr-sr-63',
    (root) => !(text(root, 'cbc:CustomizationID') ?? '').includes('*'),
    'The CustomizationID contains a *, which stands for any specification: name the one that is meant.',
    'cbc:CustomizationID',
  ),
]);

export const DOCUMENT_CONTEXTS: readonly Context[] = [TOTALS_CONTEXT, DOCUMENT];

/** A credit note's total is not looked at: the official context misspells it. */
export const TAX_TOTALS: Context = context('/Invoice/cac:TaxTotal', [
  taxTotal('ibr-co-14', asStated),
  maxDecimals('ibr-124', 'cbc:TaxAmount'),
]);
