// The rules of Singapore: Peppol's own with other ids, the model, tax invoices, the syntax, the codes.

import { ALLOWANCE_CHARGE, isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { buyerReference } from '#rules/common/buyer-reference.ts';
import { netOfLine, SPELT } from '#rules/common/net-of-line.ts';
import { baseHasPercentage, grossLessDiscount, ON_DOCUMENT_AND_LINES, percentageHasBase, shareOfBase } from '#rules/common/shares.ts';
import { EN16931 } from '#rules/en16931/rule-set.ts';
import { codeList } from '#rules/engine/codes.ts';
import { coded, informational, maxDecimals, nonEmpty, occurs, required, shown } from '#rules/engine/kinds.ts';
import { advice, type Context, context, type Pattern, rule, type Test, warning } from '#rules/engine/rule.ts';
import { all, has, normalized, stringOf, trimmed } from '#rules/engine/select.ts';
import { dueDate } from '#rules/pint/amounts.ts';
import { PAYMENT_MEANS_SG, TAX_POINTS } from '#rules/pint/codes.ts';
import { customized, hasAny, oneTaxPoint, says, saysOther, transferAccount } from '#rules/pint/conditions.ts';
import { reissued } from '#rules/pint/reissue.ts';
import { splitTotalOnce, taxNumberOnce, totalInTaxCurrency } from '#rules/pint/subtotals.ts';
import {
  allowanceTotal,
  asRounded,
  chargeTotal,
  countsIfStated,
  lines,
  lineTotal,
  payableTotal,
  taxExclusiveTotal,
} from '#rules/pint/totals.ts';

import { REFERENCES, TOTALS_IN_DOLLARS } from './references.ts';
import { REGISTERED, TAX_DOCUMENT_RULES, TAX_TOTALS, TAXED_LINES, UNREGISTERED_SUBTOTAL } from './taxes.ts';

const DOCUMENT = '/Invoice | /CreditNote';
const LINES = 'cac:InvoiceLine | cac:CreditNoteLine';

const isDirectDebit: Test = (node) => ['49', '59'].includes(trimmed(node, 'cbc:PaymentMeansCode'));

const PEPPOL: Pattern = [
  context(DOCUMENT, [
    customized('PEPPOL-EN16931-R004-SG', 'urn:peppol:pint:billing-1@sg-1'),
    buyerReference('PEPPOL-EN16931-R003-SG'),
    splitTotalOnce('PEPPOL-EN16931-R053-SG'),
    totalInTaxCurrency('PEPPOL-EN16931-R054-SG'),
    rule(
      'PEPPOL-EN16931-R007-SG',
      (root) => trimmed(root, 'cbc:ProfileID') === 'urn:peppol:bis:billing',
      'The business process is not billing: write urn:peppol:bis:billing into cbc:ProfileID.',
      'cbc:ProfileID',
    ),
  ]),
  percentageHasBase('PEPPOL-EN16931-R041-SG', ON_DOCUMENT_AND_LINES),
  baseHasPercentage('PEPPOL-EN16931-R042-SG', ON_DOCUMENT_AND_LINES),
  context(ON_DOCUMENT_AND_LINES, [shareOfBase('PEPPOL-EN16931-R040-SG')]),
  context('cac:PaymentMeans', isDirectDebit, [
    required('PEPPOL-EN16931-R061-SG', 'cac:PaymentMandate/cbc:ID', 'A direct debit has a mandate: add cac:PaymentMandate/cbc:ID.'),
  ]),
  context('cac:Price/cac:AllowanceCharge', [grossLessDiscount('PEPPOL-EN16931-R046-SG')]),
  context(LINES, [netOfLine('PEPPOL-EN16931-R120-SG', SPELT)]),
];

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;

const TOTALS: Context = context('cac:LegalMonetaryTotal', [
  required('BR-13-GST-SG', 'cbc:TaxExclusiveAmount', 'The total without GST is not stated: add cbc:TaxExclusiveAmount.'),
  required('BR-14-GST-SG', 'cbc:TaxInclusiveAmount', 'The total with GST is not stated: add cbc:TaxInclusiveAmount.'),
  taxExclusiveTotal('BR-CO-13-GST-SG', asRounded),
  payableTotal('BR-CO-16-GST-SG', asRounded, countsIfStated),
  maxDecimals('BR-DEC-12-SG', 'cbc:TaxExclusiveAmount'),
  maxDecimals('BR-DEC-14-SG', 'cbc:TaxInclusiveAmount'),
  maxDecimals('BR-DEC-16-SG', 'cbc:PrepaidAmount'),
  maxDecimals('BR-DEC-17-SG', 'cbc:PayableRoundingAmount'),
  lineTotal('BR-CO-10-SG', asRounded),
  allowanceTotal('BR-CO-11-SG', asRounded),
  chargeTotal('BR-CO-12-SG', asRounded),
  maxDecimals('BR-DEC-09-SG', 'cbc:LineExtensionAmount'),
  maxDecimals('BR-DEC-10-SG', 'cbc:AllowanceTotalAmount'),
  maxDecimals('BR-DEC-11-SG', 'cbc:ChargeTotalAmount'),
]);

const isOrderedOnce: Test = (root) =>
  !saysOther(root, 'cac:OrderReference/cbc:ID', 'NA') ||
  !lines(root).some((line) => has(line, 'cac:OrderLineReference/cac:OrderReference/cbc:ID'));

/** Whatever the scheme: neither the tax of a number nor that of direct debits is asked for. */
const IDENTIFIED = [
  'cac:Party/cac:PartyTaxScheme/cbc:CompanyID',
  'cac:Party/cac:PartyIdentification/cbc:ID',
  'cac:Party/cac:PartyLegalEntity/cbc:CompanyID',
];

const ON_DOCUMENT = `/Invoice/${ALLOWANCE_CHARGE} | /CreditNote/${ALLOWANCE_CHARGE}`;
const ON_LINES = `cac:InvoiceLine/${ALLOWANCE_CHARGE} | cac:CreditNoteLine/${ALLOWANCE_CHARGE}`;

const MODEL: Pattern = [
  context('/*/cbc:UUID', [
    rule(
      'BR-109-GST-SG',
      (node) => UUID.test(stringOf(node).trim()),
      (node) => `'${shown(stringOf(node))}' is no UUID: write 8-4-4-4-12 hexadecimal digits.`,
    ),
  ]),
  context('/Invoice/cac:LegalMonetaryTotal/cbc:PayableAmount', [dueDate('BR-CO-25-SG', '.')]),
  context('cac:AccountingCustomerParty/cac:Party/cac:PostalAddress', [
    nonEmpty(
      'BR-11-SG',
      'cac:Country/cbc:IdentificationCode',
      'The address of the buyer names no country: fill cac:Country/cbc:IdentificationCode.',
    ),
  ]),
  TOTALS,
  context(DOCUMENT, [
    ...TOTALS_IN_DOLLARS,
    ...TAX_DOCUMENT_RULES,
    rule(
      'BR-110-SG',
      isOrderedOnce,
      'The order is named on the document and on lines: keep one of the two, and write NA into cac:OrderReference/cbc:ID if the lines name it.',
      'cac:OrderReference/cbc:ID',
    ),
    oneTaxPoint('BR-CO-03-GST-SG'),
  ]),
  ...UNREGISTERED_SUBTOTAL,
  TAXED_LINES,
  context(ON_LINES, isAllowance, [informational('BR-CO-07-SG')]),
  context(ON_LINES, isCharge, [informational('BR-CO-08-SG')]),
  context('cac:AccountingSupplierParty', [
    rule(
      'BR-CO-26-GST-SG',
      (node) => hasAny(node, ...IDENTIFIED),
      'The seller cannot be told from others: add its GST number, its identifier or its registration number.',
    ),
  ]),
  context('cac:TaxRepresentativeParty', [
    rule(
      'BR-56-GST-SG',
      (node) => all(node, 'cac:PartyTaxScheme').some((one) => says(one, 'cac:TaxScheme/cbc:ID', 'GST') && has(one, 'cbc:CompanyID')),
      'The tax representative has no GST number: add cac:PartyTaxScheme with cbc:CompanyID and the tax scheme GST.',
    ),
  ]),
  ...TAX_TOTALS,
  context(ON_DOCUMENT, isAllowance, [
    required('BR-31-SG', 'cbc:Amount', 'The allowance has no amount: add cbc:Amount.'),
    informational('BR-CO-05-SG'),
    maxDecimals('BR-DEC-01-SG', 'cbc:Amount'),
    maxDecimals('BR-DEC-02-SG', 'cbc:BaseAmount'),
  ]),
  context(ON_DOCUMENT, isCharge, [
    maxDecimals('BR-DEC-05-SG', 'cbc:Amount'),
    maxDecimals('BR-DEC-06-SG', 'cbc:BaseAmount'),
    informational('BR-CO-06-SG'),
  ]),
  context('/Invoice/cbc:Note | /CreditNote/cbc:Note', [reissued(EN16931, 'BR-CL-08', 'BR-CL-08-SG')]),
  transferAccount('BR-50-SG'),
  context('cac:PaymentMeans/cac:CardAccount/cbc:PrimaryAccountNumberID', [
    advice(
      'BR-51-SG',
      (node) => normalized(stringOf(node)).length <= 10,
      'The number of a card is never sent whole: keep its first six and last four digits at most.',
    ),
  ]),
];

const SYNTAX: Pattern = [
  context(DOCUMENT, [
    warning(taxNumberOnce('UBL-SR-12-GST-SG', 'GST')),
    // It counts an element that tax registrations do not have.
    advice(
      'UBL-SR-13-GST-SG',
      (root) =>
        all(root, 'cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme')
          .filter((one) => saysOther(one, 'cac:TaxScheme/cbc:ID', 'GST'))
          .flatMap((one) => all(one, 'cbc:ID')).length <= 1,
      'The seller has several tax registrations beside GST: keep one cac:PartyTaxScheme.',
    ),
    warning(occurs('UBL-SR-18-SG', 'cac:AccountingCustomerParty/cac:Party/cac:PartyTaxScheme/cbc:CompanyID', { max: 1 })),
  ]),
  context(LINES, [
    warning(occurs('UBL-SR-38-GST-SG', 'cac:Item/cac:ClassifiedTaxCategory/cbc:TaxExemptionReason', { max: 1 })),
    // They look for the currency of the document inside of the amount, where there is none, and so never see an amount.
    informational('BR-DEC-13-GST-SG'),
    informational('BR-DEC-15-SG'),
  ]),
  context('cac:TaxRepresentativeParty', [warning(occurs('UBL-SR-23-GST-SG', 'cac:Party/cac:PartyTaxScheme/cbc:CompanyID', { max: 1 }))]),
  context('cac:TaxSubtotal', [warning(occurs('UBL-SR-32-SG', 'cac:TaxCategory/cbc:TaxExemptionReason', { max: 1 }))]),
  // The context before it takes every subtotal.
  context('cac:TaxTotal/cac:TaxSubtotal', [maxDecimals('BR-DEC-19-SG', 'cbc:TaxableAmount'), maxDecimals('BR-DEC-20-SG', 'cbc:TaxAmount')]),
  REFERENCES,
];

const CATEGORIES = codeList('GST category', 'SR SRCA-S SRCA-C ZR ES33 ESN33 DS OS NA NG SRRC SROVR-RS SROVR-LVG SRLVG');

const CODES: Pattern = [
  context('cac:PaymentMeans/cbc:PaymentMeansCode', [coded('BR-CL-16-SG', PAYMENT_MEANS_SG)]),
  context('cac:TaxCategory/cbc:ID', [coded('BR-CL-17-GST-SG', CATEGORIES)]),
  context('cac:ClassifiedTaxCategory/cbc:ID', [coded('BR-CL-18-GST-SG', CATEGORIES)]),
  context('cac:InvoicePeriod/cbc:DescriptionCode', [coded('BR-CL-06-GST-SG', TAX_POINTS)]),
];

export const SG: readonly Pattern[] = [PEPPOL, MODEL, [REGISTERED], SYNTAX, CODES];
