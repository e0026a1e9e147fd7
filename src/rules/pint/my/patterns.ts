// The rules of Malaysia: sales and service tax by its own categories, and tourism tax beside it.
import { codeList } from '#rules/engine/codes.ts';
import { coded, required } from '#rules/engine/kinds.ts';
import { context, type Pattern, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, has } from '#rules/engine/select.ts';
import { within } from '#rules/pint/amounts.ts';
import { alignedIds, type Category, categoryContexts, type Rate, ZERO_RATE } from '#rules/pint/categories.ts';
import { customized, profiled, saysOther } from '#rules/pint/conditions.ts';
import { categoriesUnder, taxAmountNeeded } from '#rules/pint/subtotals.ts';
import { codeOf } from '#rules/pint/tax-uses.ts';
import { TOURISM_TAX } from './tourism-tax.ts';

const VAT = 'VAT';
const CENTS = { within: within('0.02') };

const TAXED = { scheme: VAT, base: CENTS, tax: CENTS, unexempted: true, unratedIsZero: true } as const;

const ZERO_OR_NO_RATE: Rate = {
  fits: (category) => !has(category, 'cbc:Percent') || ZERO_RATE.fits(category),
  wanted: 'must be 0: write 0 into cbc:Percent, or take it out',
};

const CATEGORIES: readonly Category[] = [
  { ...TAXED, code: 'SA', name: 'sales tax', id: alignedIds('sa') },
  { ...TAXED, code: 'SE', name: 'service tax', id: alignedIds('se') },
  { ...TAXED, code: 'HVG', name: 'high value goods tax', id: alignedIds('hvg') },
  { ...TAXED, code: 'LVG', name: 'low value goods tax', id: alignedIds('lvg') },
  { code: 'E', name: 'exempt', scheme: VAT, id: alignedIds('e'), line: ZERO_OR_NO_RATE, base: 'exact', tax: 'none' },
  { code: 'O', name: 'not subject to tax', scheme: VAT, id: alignedIds('o'), tax: 'none' },
];

const SELLER = 'cac:AccountingSupplierParty/cac:Party';

const hasTin: Test = (root) =>
  all(root, `${SELLER}/cac:PartyTaxScheme`).some((one) => saysOther(one, 'cac:TaxScheme/cbc:ID', VAT) && has(one, 'cbc:CompanyID')) ||
  all(root, `${SELLER}/cac:PartyIdentification/cbc:ID`).some(({ attributes }) => !attributes.has('schemeID'));

const DOCUMENT_RULES: readonly Rule[] = [
  required(
    'ibr-02-my',
    `${SELLER}/cac:PartyLegalEntity/cbc:CompanyID`,
    `The seller has no registration number: add ${SELLER}/cac:PartyLegalEntity/cbc:CompanyID.`,
  ),
  required(
    'ibr-03-my',
    'cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity/cbc:CompanyID',
    'The buyer has no registration number: add cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity/cbc:CompanyID.',
  ),
  rule(
    'ibr-04-my',
    hasTin,
    `The seller has no tax identification number (TIN): add it as ${SELLER}/cac:PartyTaxScheme with a scheme other than VAT, or as cac:PartyIdentification without a schemeID.`,
  ),
];

const isTourism: Test = (node) => categoriesUnder(node, 'cac:TaxCategory', 'AAL').some((category) => codeOf(category) === 'TTX');

const isRated: Test = (node) =>
  categoriesUnder(node, 'cac:TaxCategory', VAT).some((category) => has(category, 'cbc:Percent') || codeOf(category) === 'O') ||
  categoriesUnder(node, 'cac:TaxCategory', 'AAL').some((category) => codeOf(category) === 'TTX' && !has(category, 'cbc:Percent'));

const SUBTOTAL_RULES: readonly Rule[] = [
  taxAmountNeeded('aligned-ibrp-046'),
  rule(
    'aligned-ibrp-047',
    (node, root) => categoriesUnder(node, 'cac:TaxCategory', VAT).some((category) => has(category, 'cbc:ID')) || isTourism(node, root),
    'The tax subtotal has no tax category: add cac:TaxCategory with cbc:ID and the tax scheme VAT, or TTX under AAL for tourism tax.',
    'cac:TaxCategory',
  ),
  rule(
    'aligned-ibrp-048',
    isRated,
    'The tax subtotal needs a rate (cac:TaxCategory/cbc:Percent); only category O goes without, and tourism tax (TTX) must not have one.',
    'cac:TaxCategory',
  ),
];

const TAX_CATEGORIES = codeList('tax category of Malaysia', 'SA SE HVG LVG E O TTX');

const CODES: Pattern = [
  context('cac:TaxCategory/cbc:ID | cac:ClassifiedTaxCategory/cbc:ID', [coded('aligned-ibrp-cl-01-my', TAX_CATEGORIES)]),
  context('cbc:TaxCurrencyCode', [coded('ibr-cl-05-my', codeList('currency for tax in Malaysia', 'MYR'))]),
];

function patterns(specification: string, process: string): readonly Pattern[] {
  const model: Pattern = [
    context('/Invoice | /CreditNote', [
      customized('aligned-ibrp-001-my', specification),
      profiled('aligned-ibrp-002', process),
      ...DOCUMENT_RULES,
    ]),
    context('cac:TaxSubtotal', SUBTOTAL_RULES),
    ...CATEGORIES.flatMap(categoryContexts),
    TOURISM_TAX,
  ];
  return [model, CODES];
}

export const MY = patterns('urn:peppol:pint:billing-1@my-1', 'urn:peppol:bis:billing');
export const MY_SELF_BILLING = patterns('urn:peppol:pint:selfbilling-1@my-1', 'urn:peppol:bis:selfbilling');
