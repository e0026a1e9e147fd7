// The rules of Japan: qualified invoices, invoices without tax, self-billing. The three differ in a few rules.
import { ALLOWANCE_CHARGE, isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { documentCurrencies } from '#rules/common/currencies.ts';
import { codeList } from '#rules/engine/codes.ts';
import { coded, informational, occurs, required, shown } from '#rules/engine/kinds.ts';
import { type Context, context, type Pattern, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, everywhere, fact, has, number, stringOf, text, trimmed } from '#rules/engine/select.ts';
import { alignedIds, type Category, categoryContexts, documentRules, NO_RATE, ZERO_RATE } from '#rules/pint/categories.ts';
import { customized, isZero, profiled, ruleWhere, says, transferAccount } from '#rules/pint/conditions.ts';
import {
  categoriesUnder,
  categoryNeeded,
  otherTaxNumberOnce,
  rateNeeded,
  taxAmountNeeded,
  taxableAmountNeeded,
  taxNumberOnce,
} from '#rules/pint/subtotals.ts';
import { isUnder } from '#rules/pint/tax-uses.ts';
import { isTaxRounded, taxRangeSentence } from './rounding.ts';

const VAT = 'VAT';

const UNTAXED = { scheme: VAT, used: 'once', line: ZERO_RATE, adjustment: ZERO_RATE, tax: 'none' } as const;

const CATEGORIES: readonly Category[] = [
  { ...UNTAXED, code: 'E', name: 'exempt', id: alignedIds('e'), anywhere: true },
  { ...UNTAXED, code: 'G', name: 'export', id: alignedIds('g') },
  { ...UNTAXED, code: 'O', name: 'not subject to tax', id: alignedIds('o'), line: NO_RATE, adjustment: NO_RATE },
];

/**
 * A rate belongs to a category. By its words only what is not subject to tax goes without both; the official test asks whether there is an answer,
 * not what it is, so everything may go without them.
 */
function taxed(id: string, what: string): Rule {
  const holds: Test = (node) => {
    const categories = categoriesUnder(node, 'cac:TaxCategory', VAT);
    return !categories.some((category) => has(category, 'cbc:Percent')) || categories.some((category) => has(category, 'cbc:ID'));
  };
  return rule(id, holds, `The ${what} has a tax rate but no tax category: add cac:TaxCategory/cbc:ID.`, 'cac:TaxCategory');
}

const SELLER_TAX = 'cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme';

const payments = fact((root) => new Set(everywhere(root, 'cbc:PaymentID').map(stringOf)));
const periods = fact((root) => everywhere(root, 'cac:InvoicePeriod'));

const DOCUMENT_RULES: readonly Rule[] = [
  taxNumberOnce('aligned-ibrp-009', VAT),
  rule(
    'aligned-ibrp-014',
    (root) => payments(root).size <= 1,
    'The document gives several payment references: write the same cbc:PaymentID everywhere.',
    'cac:PaymentMeans/cbc:PaymentID',
  ),
  rule(
    'aligned-ibrp-052',
    (root) => periods(root).length > 0,
    'The document does not say for which period it is: add cac:InvoicePeriod to it or to its lines.',
  ),
  ...documentRules(CATEGORIES),
  taxNumberOnce('aligned-ibrp-sr-12', VAT),
  otherTaxNumberOnce('aligned-ibrp-sr-13', VAT),
  rule(
    'aligned-ibr-jp-05',
    (root) => !has(root, 'cbc:TaxCurrencyCode') || says(root, 'cbc:TaxCurrencyCode', 'JPY'),
    'Tax is accounted for in yen: write JPY into cbc:TaxCurrencyCode, or take it out.',
    'cbc:TaxCurrencyCode',
  ),
  rule(
    'aligned-ibrp-053-jp',
    (root) => all(root, 'cac:TaxTotal').filter((total) => isInDocumentCurrency(total, root)).length <= 1,
    'There are several tax totals in the currency of the document: keep one of them.',
    'cac:TaxTotal',
  ),
];

const isInDocumentCurrency: Test = (node, root) => says(node, 'cbc:TaxAmount/@currencyID', ...documentCurrencies(root));

/** Only the subtotals of invoices are looked at for the currency of the document. */
const isOfInvoiceCurrency: Test = (node, root) => root.tag === 'Invoice' && isInDocumentCurrency(node, root);

const SUBTOTALS: Context = context('cac:TaxSubtotal', [
  taxAmountNeeded('aligned-ibrp-046'),
  categoryNeeded('aligned-ibrp-047', VAT, 'tax subtotal'),
  rateNeeded('aligned-ibrp-048', VAT, 'O'),
  rule(
    'aligned-ibr-jp-06',
    (node) => !all(node, 'cbc:TaxAmount').some((amount) => says(amount, '@currencyID', 'JPY') && stringOf(amount).includes('.')),
    'Yen have no decimals: round cbc:TaxAmount.',
    'cbc:TaxAmount',
  ),
]);

const PAYMENT: readonly Context[] = [
  context('cac:TaxRepresentativeParty', [occurs('aligned-ibrp-010', 'cac:PartyTaxScheme/cbc:CompanyID', { max: 1 })]),
  transferAccount('aligned-ibrp-016'),
  context('cac:PaymentMeans/cac:CardAccount', [
    rule(
      'aligned-ibrp-017',
      (node) => {
        const digits = (text(node, 'cbc:PrimaryAccountNumberID') ?? '').length;
        return digits >= 4 && digits <= 6;
      },
      'Of the number of a card its last four to six digits are sent: correct cbc:PrimaryAccountNumberID.',
      'cbc:PrimaryAccountNumberID',
    ),
  ]),
  context('cac:PaymentMeans', [
    required('aligned-ibrp-049', 'cbc:PaymentMeansCode', 'The way of payment is not stated: add cbc:PaymentMeansCode.'),
  ]),
  // The context before it takes every cac:PaymentMeans.
  context('cac:PaymentMeans', [required('aligned-ibrp-019', 'cac:PaymentMandate/cbc:ID')]),
];

/** Days are compared as they are written. */
const isSinceQualified = fact((root) =>
  [...everywhere(root, 'cbc:StartDate'), ...everywhere(root, 'cbc:EndDate')].some((day) => stringOf(day) >= '2023-10-01'),
);

const QUALIFIED: Context = context(`/Invoice/${SELLER_TAX}`, (node) => isUnder(node, VAT), [
  ruleWhere(
    'aligned-ibr-jp-01',
    (_, root) => isSinceQualified(root),
    (node) => /^T[0-9]{13}$/.test(trimmed(node, 'cbc:CompanyID')),
    (node) =>
      `'${shown(text(node, 'cbc:CompanyID') ?? '')}' is no number of a qualified invoice issuer, which is needed since October 2023: T and 13 digits.`,
    'cbc:CompanyID',
  ),
]);

const UNTAXED_AMOUNTS: Context = context('cbc:TaxAmount', [
  rule(
    'aligned-ibr-jp-07-ntr',
    (node) => isZero(number(node, '.')),
    'An invoice without tax has no tax amount: write 0, or use the profile for billing.',
  ),
]);

const SCHEME: Context = context('cac:TaxCategory/cac:TaxScheme/cbc:ID | cac:ClassifiedTaxCategory/cac:TaxScheme/cbc:ID', [
  rule(
    'aligned-ibr-jp-03',
    (node) => stringOf(node).includes(VAT),
    'The tax of Japan (consumption tax) is called VAT here: write VAT into cac:TaxScheme/cbc:ID.',
  ),
]);

const TAX_CATEGORIES = codeList('tax category', 'AA E S G O');

const CATEGORY_CODES: Context = context('cac:TaxCategory/cbc:ID | cac:ClassifiedTaxCategory/cbc:ID', [
  coded('aligned-ibrp-cl-01-jp', TAX_CATEGORIES),
]);

interface Edition {
  readonly specification: readonly Rule[];
  readonly sellerTax: Rule;
  /** Whether the tax of a subtotal is checked. */
  readonly subtotal: readonly Rule[];
  readonly own: readonly Context[];
}

function model({ specification, sellerTax, subtotal, own }: Edition): Pattern {
  return [
    context(`/Invoice/${ALLOWANCE_CHARGE} | /CreditNote/${ALLOWANCE_CHARGE}`, isAllowance, [taxed('aligned-ibrp-032-jp', 'allowance')]),
    context(`/Invoice/${ALLOWANCE_CHARGE} | /CreditNote/${ALLOWANCE_CHARGE}`, isCharge, [taxed('aligned-ibrp-037-jp', 'charge')]),
    // The official context asks for lines that are documents, so it never sees one.
    context('/InvoiceLine | /CreditNoteLine', [informational('aligned-ibrp-050-jp')]),
    context('/Invoice | /CreditNote', [...specification, ...DOCUMENT_RULES, sellerTax]),
    context('cac:TaxSubtotal', isOfInvoiceCurrency, [taxableAmountNeeded('aligned-ibrp-045'), ...subtotal]),
    SUBTOTALS,
    ...PAYMENT,
    ...own,
    ...CATEGORIES.flatMap(categoryContexts),
    SCHEME,
  ];
}

const RANGE = rule('aligned-ibrp-051-jp', isTaxRounded, taxRangeSentence, 'cbc:TaxAmount');

const SELLER_TAX_NEEDED = required(
  'aligned-ibr-jp-04',
  `${SELLER_TAX}/cbc:CompanyID`,
  `The seller has no tax number: add ${SELLER_TAX}/cbc:CompanyID.`,
);

const BILLING: Edition = {
  specification: [
    customized('aligned-ibrp-001-jp', 'urn:peppol:pint:billing-1@jp-1', 'urn:fdc:peppol:jp:billing:3.0'),
    profiled('aligned-ibrp-002-jp', 'urn:peppol:bis:billing', 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'),
  ],
  sellerTax: SELLER_TAX_NEEDED,
  subtotal: [RANGE],
  own: [QUALIFIED],
};

export const JP: readonly Pattern[] = [
  model(BILLING),
  [CATEGORY_CODES, context('cbc:InvoiceTypeCode', [coded('aligned-ibrp-cl-02-jp', codeList('invoice type code (UNTDID 1001)', '380'))])],
];

export const JP_SELF_BILLING: readonly Pattern[] = [
  model({
    ...BILLING,
    specification: [
      customized('aligned-ibrp-001-jp-sb', 'urn:peppol:pint:selfbilling-1@jp-1'),
      profiled('aligned-ibrp-002-jp-sb', 'urn:peppol:bis:selfbilling'),
    ],
  }),
  [CATEGORY_CODES],
];

export const JP_WITHOUT_TAX: readonly Pattern[] = [
  model({
    specification: [
      customized('aligned-ibrp-001-jp-ntr', 'urn:peppol:pint:nontaxinvoice-1@jp-1'),
      profiled('aligned-ibrp-002-jp', 'urn:peppol:bis:billing'),
    ],
    sellerTax: rule(
      'aligned-ibr-jp-04-ntr',
      (root) => !has(root, `${SELLER_TAX}/cbc:CompanyID`),
      `An invoice without tax states no tax number of the seller: take ${SELLER_TAX} out, or use the profile for billing.`,
      SELLER_TAX,
    ),
    subtotal: [],
    own: [UNTAXED_AMOUNTS],
  }),
  [CATEGORY_CODES],
];
