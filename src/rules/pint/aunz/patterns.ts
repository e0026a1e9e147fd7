// The rules of Australia and New Zealand; self-billing differs in what the document says it is.

import { MEDIA_TYPES } from '#rules/codes/media-types.ts';
import { ALLOWANCE_CHARGE, isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { buyerReference } from '#rules/common/buyer-reference.ts';
import { IN_ANY_SPELLING, netOfLine } from '#rules/common/net-of-line.ts';
import { grossLessDiscount, shareOfBase } from '#rules/common/shares.ts';
import { codeList } from '#rules/engine/codes.ts';
import { coded, codedExactly, maxDecimals, occurs } from '#rules/engine/kinds.ts';
import { type Context, context, type Pattern, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { has, text, trimmed } from '#rules/engine/select.ts';
import { baseWithPercentage, dueDate, within } from '#rules/pint/amounts.ts';
import { alignedIds, type Category, categoryContexts, documentRules, NO_RATE, POSITIVE_RATE, ZERO_RATE } from '#rules/pint/categories.ts';
import { TAX_POINTS } from '#rules/pint/codes.ts';
import { customized, isOnDocument, oneTaxPoint, profiled, says, transferAccount } from '#rules/pint/conditions.ts';
import {
  categoryNeeded,
  otherTaxNumberOnce,
  rateNeeded,
  splitTotalOnce,
  taxAmountNeeded,
  taxableAmountNeeded,
  taxNumberOnce,
  taxOfSubtotal,
  totalInTaxCurrency,
} from '#rules/pint/subtotals.ts';
import { type Decimal, near } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const GST = 'GST';
const ONE_UNIT = within('1');

const UNTAXED = { scheme: GST, used: 'once', line: ZERO_RATE, adjustment: ZERO_RATE, base: 'exact', tax: 'none' } as const;

const CATEGORIES: readonly Category[] = [
  {
    code: 'S',
    name: 'standard rate',
    scheme: GST,
    id: alignedIds('s', '-aunz'),
    used: 'if and only if',
    line: POSITIVE_RATE,
    adjustment: POSITIVE_RATE,
    base: { within: ONE_UNIT },
    tax: { within: ONE_UNIT },
    unexempted: true,
  },
  { ...UNTAXED, code: 'Z', name: 'zero rate', id: alignedIds('z', '-aunz'), unexempted: true },
  { ...UNTAXED, code: 'E', name: 'exempt', id: alignedIds('e', '-aunz') },
  { ...UNTAXED, code: 'G', name: 'export', id: alignedIds('g', '-aunz') },
  { ...UNTAXED, code: 'O', name: 'not subject to GST', id: alignedIds('o', '-aunz'), line: NO_RATE, adjustment: NO_RATE, alone: true },
];

const TYPE = 'cbc:DocumentTypeCode';

const isKnownReference: Test = (node, root) =>
  says(node, TYPE, '130') || (root.tag === 'CreditNote' && says(node, TYPE, '50')) || (!has(node, 'cbc:ID/@schemeID') && !has(node, TYPE));

const LINE_RULES: readonly Rule[] = [
  categoryNeeded('aligned-ibrp-050-aunz', GST, 'line', 'cac:Item/cac:ClassifiedTaxCategory'),
  netOfLine('aligned-ibrp-053', IN_ANY_SPELLING),
  occurs('aligned-ibrp-059', 'cac:Item/cac:ClassifiedTaxCategory', { min: 1, max: 1 }),
  rule(
    'aligned-ibrp-060',
    (node) => !has(node, 'cac:DocumentReference') || says(node, `cac:DocumentReference/${TYPE}`, '130'),
    `The reference of a line can only name the invoiced object: write 130 into cac:DocumentReference/${TYPE}, or take the reference out.`,
    'cac:DocumentReference',
  ),
];

const isTransfer: Test = (node) => ['30', '58'].includes(trimmed(node, 'cbc:PaymentMeansCode'));
const isAbout = (tax: Decimal, expected: Decimal): boolean => near(tax, expected, ONE_UNIT);

/** Prices may have any digits, and so may whatever stands in a price with a discount. */
const isOwnAmount: Test = (node) => !node.tag.endsWith('PriceAmount') && !isInDiscountedPrice(node);

function isInDiscountedPrice({ parent }: XmlElement): boolean {
  return parent !== null && ((parent.tag === 'cac:Price' && has(parent, ALLOWANCE_CHARGE)) || isInDiscountedPrice(parent));
}

function model(specification: readonly Rule[]): Pattern {
  return [
    context('cac:AdditionalDocumentReference', [
      rule(
        'aligned-ibrp-sr-43',
        isKnownReference,
        `Only a reference to the invoiced object has a scheme and a type: write 130 into ${TYPE} (in a credit note 50 for a project), or take schemeID and ${TYPE} out.`,
      ),
    ]),
    context(`cac:Price/${ALLOWANCE_CHARGE}`, [grossLessDiscount('aligned-ibrp-004')]),
    context(ALLOWANCE_CHARGE, isAllowance, [
      shareOfBase('aligned-ibrp-054'),
      categoryNeeded('aligned-ibrp-032-aunz', GST, 'allowance', 'cac:TaxCategory', isOnDocument),
      baseWithPercentage('aligned-ibrp-057'),
    ]),
    context(ALLOWANCE_CHARGE, isCharge, [
      shareOfBase('aligned-ibrp-055'),
      categoryNeeded('aligned-ibrp-037-aunz', GST, 'charge', 'cac:TaxCategory', isOnDocument),
      baseWithPercentage('aligned-ibrp-058'),
    ]),
    context('cac:InvoiceLine | cac:CreditNoteLine', LINE_RULES),
    context('/Invoice | /CreditNote', [
      ...specification,
      buyerReference('aligned-ibrp-003'),
      oneTaxPoint('aligned-ibrp-006'),
      occurs('aligned-ibrp-008', 'cac:PaymentTerms', { max: 1 }),
      splitTotalOnce('aligned-ibrp-021'),
      totalInTaxCurrency('aligned-ibrp-022'),
      ...documentRules(CATEGORIES),
      taxNumberOnce('aligned-ibrp-sr-12-aunz', GST),
      otherTaxNumberOnce('aligned-ibrp-sr-13-aunz', GST),
    ]),
    context('*Amount', isOwnAmount, [maxDecimals('aligned-ibrp-005', '.')]),
    context('cac:TaxSubtotal', [
      taxableAmountNeeded('aligned-ibrp-045'),
      taxAmountNeeded('aligned-ibrp-046'),
      categoryNeeded('aligned-ibrp-047-aunz', GST, 'tax subtotal'),
      rateNeeded('aligned-ibrp-048-aunz', GST, 'O'),
      taxOfSubtotal('aligned-ibrp-051-aunz', GST, isAbout),
    ]),
    transferAccount('aligned-ibrp-016'),
    context('/Invoice/cac:LegalMonetaryTotal', [dueDate('aligned-ibrp-061', 'cbc:PayableAmount')]),
    context('cac:PaymentMeans', [
      rule(
        'aligned-ibrp-018',
        (node, root) => !isTransfer(node, root) || has(node, 'cac:PayeeFinancialAccount/cbc:ID'),
        'A credit transfer needs an account: add cac:PayeeFinancialAccount/cbc:ID.',
      ),
      occurs('aligned-ibrp-065', 'cbc:PaymentID', { max: 1 }),
    ]),
    ...CATEGORIES.flatMap(categoryContexts),
  ];
}

const COUNTRY = 'cac:Party/cac:PostalAddress/cac:Country/cbc:IdentificationCode';
const LEGAL = 'cac:PartyLegalEntity/cbc:CompanyID';

/** A party of the country has the business number of the country. */
function businessNumber(id: string, party: string, country: string, scheme: string, name: string): Context {
  const isThere: Test = (_, root) => trimmed(root, `${party}/${COUNTRY}`).toUpperCase() === country;
  return context(`${party}/cac:Party`, isThere, [
    rule(
      id,
      (node) => (text(node, LEGAL) ?? '') !== '' && says(node, `${LEGAL}/@schemeID`, scheme),
      `A party in ${country} has a business number (${name}): fill ${LEGAL}, with schemeID ${scheme}.`,
      LEGAL,
    ),
  ]);
}

const TAX_CATEGORIES = codeList('GST category', 'E S Z G O');

const CODES: Pattern = [
  context('cac:TaxCategory/cbc:ID | cac:ClassifiedTaxCategory/cbc:ID', [coded('aligned-ibrp-cl-01-aunz', TAX_CATEGORIES)]),
  context('cac:InvoicePeriod/cbc:DescriptionCode', [coded('aligned-ibrp-cl-02', TAX_POINTS)]),
  context('cbc:EmbeddedDocumentBinaryObject', [codedExactly('aligned-ibrp-cl-04', MEDIA_TYPES, '@mimeCode')]),
  businessNumber('aligned-ibr-001-aunz', 'cac:AccountingSupplierParty', 'AU', '0151', 'ABN'),
  businessNumber('aligned-ibr-004-aunz', 'cac:AccountingCustomerParty', 'AU', '0151', 'ABN'),
  businessNumber('aligned-ibr-002-aunz', 'cac:AccountingSupplierParty', 'NZ', '0088', 'NZBN'),
  businessNumber('aligned-ibr-005-aunz', 'cac:AccountingCustomerParty', 'NZ', '0088', 'NZBN'),
];

export const AUNZ: readonly Pattern[] = [
  model([customized('aligned-ibrp-001-aunz', 'urn:peppol:pint:billing-1@aunz-1'), profiled('aligned-ibrp-002', 'urn:peppol:bis:billing')]),
  CODES,
];

export const AUNZ_SELF_BILLING: readonly Pattern[] = [
  model([
    customized('aligned-ibrp-001-aunz-sb', 'urn:peppol:pint:selfbilling-1@aunz-1'),
    profiled('aligned-ibrp-002-aunz-sb', 'urn:peppol:bis:selfbilling'),
  ]),
  CODES,
];
