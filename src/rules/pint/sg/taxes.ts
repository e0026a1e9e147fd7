// GST of Singapore: subtotals, and the category NG of sellers who are not registered for it.
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { informational, required } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, everywhere, fact, has, trimmed } from '#rules/engine/select.ts';
import { type Category, categoryContexts, documentRules } from '#rules/pint/categories.ts';
import { ruleWhere, says } from '#rules/pint/conditions.ts';
import { taxAmountNeeded, taxableAmountNeeded, taxOfSubtotal } from '#rules/pint/subtotals.ts';
import { codeOf, isUnder } from '#rules/pint/tax-uses.ts';
import { asRounded, taxTotal } from '#rules/pint/totals.ts';
import { compare, type Decimal, minus, plus } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const GST = 'GST';

const UNREGISTERED: Category = {
  code: 'NG',
  name: 'the seller is not registered for GST',
  scheme: GST,
  id: (number) => `BR-NG-${number}-GST-SG`,
  used: 'once',
  base: 'exact',
  tax: 'none',
  alone: true,
  anywhere: true,
};

const SUBTOTAL = categoryContexts(UNREGISTERED).at(-1);

/** A registration for GST, of whomever. */
function hasGstNumber(party: XmlElement, path: string): boolean {
  return all(party, path).some((one) => isUnder(one, GST) && has(one, 'cbc:CompanyID'));
}

const SELLER = 'cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme';
const BUYER = 'cac:AccountingCustomerParty/cac:Party/cac:PartyTaxScheme';

const hasRepresentative = fact((root) =>
  everywhere(root, 'cac:TaxRepresentativeParty').some((party) => hasGstNumber(party, 'cac:PartyTaxScheme')),
);

const isUnregistered: Test = (_, root) => !hasGstNumber(root, SELLER) && !hasRepresentative(root) && !hasGstNumber(root, BUYER);

const isNg = (category: XmlElement): boolean => codeOf(category) === 'NG' && isUnder(category, GST);

const hasNgLine = fact((root) => everywhere(root, 'cac:ClassifiedTaxCategory').some(isNg));

function hasNgAdjustment(kind: (node: XmlElement) => boolean): Test {
  return (root) => all(root, 'cac:AllowanceCharge').some((one) => kind(one) && all(one, 'cac:TaxCategory').some(isNg));
}

function unregistered(id: string, where: Test, what: string): Rule {
  const sentence = `${what} is in the tax category NG (the seller is not registered for GST), but a GST number is stated: take the number out, or choose the category that fits.`;
  return ruleWhere(id, where, isUnregistered, sentence, SELLER);
}

export const TAX_DOCUMENT_RULES: readonly Rule[] = [
  required('BR-CO-18-GST-SG', 'cac:TaxTotal/cac:TaxSubtotal', 'The GST is not stated by category: add cac:TaxTotal/cac:TaxSubtotal.'),
  ...documentRules([UNREGISTERED]),
  unregistered('BR-NG-02-GST-SG', (_, root) => hasNgLine(root), 'A line'),
  unregistered('BR-NG-03-GST-SG', hasNgAdjustment(isAllowance), 'An allowance'),
  unregistered('BR-NG-04-GST-SG', hasNgAdjustment(isCharge), 'A charge'),
];

export const UNREGISTERED_SUBTOTAL: readonly Context[] = SUBTOTAL ? [SUBTOTAL] : [];

const TWO: Decimal = { units: 2n, scale: 0 };

/** Less than two dollars apart. */
function isAbout(tax: Decimal, expected: Decimal): boolean {
  return compare(minus(tax, TWO), expected) < 0 && compare(plus(tax, TWO), expected) > 0;
}

/** The scheme is compared as it is written, not in capitals. */
function isWrittenGst(node: XmlElement, path: string): boolean {
  return all(node, path).some((one) => says(one, 'cac:TaxScheme/cbc:ID', GST) && has(one, 'cbc:ID'));
}

export const TAX_TOTALS: readonly Context[] = [
  context('/Invoice/cac:TaxTotal | /CreditNote/cac:TaxTotal', [taxTotal('BR-CO-14-GST-SG', asRounded)]),
  context('cac:TaxTotal/cac:TaxSubtotal', [
    taxableAmountNeeded('BR-45-GST-SG'),
    taxAmountNeeded('BR-46-GST-SG'),
    rule(
      'BR-47-GST-SG',
      (node) => isWrittenGst(node, 'cac:TaxCategory'),
      'The tax subtotal has no GST category: add cac:TaxCategory with cbc:ID and cac:TaxScheme/cbc:ID GST.',
      'cac:TaxCategory',
    ),
    // Its official test is true whatever the subtotal says; BR-CO-17-GST-SG misses the rate.
    informational('BR-48-GST-SG'),
    taxOfSubtotal('BR-CO-17-GST-SG', GST, isAbout),
  ]),
];

export const TAXED_LINES = context('cac:InvoiceLine | cac:CreditNoteLine', [
  rule(
    'BR-CO-04-GST-SG',
    (node) => isWrittenGst(node, 'cac:Item/cac:ClassifiedTaxCategory'),
    'The line has no GST category: add cac:Item/cac:ClassifiedTaxCategory with cbc:ID and cac:TaxScheme/cbc:ID GST.',
  ),
]);

const REGISTERED_CODES = new Set(['SR', 'SRCA-S', 'SRCA-C', 'ZR', 'SRRC', 'SROVR-RS', 'SROVR-LVG', 'SRLVG', 'NA']);

function hasAddress(root: XmlElement, party: string): boolean {
  return ['cbc:StreetName', 'cbc:PostalZone'].every((part) => has(root, `${party}/cac:Party/cac:PostalAddress/${part}`));
}

const TAX_CURRENCY = 'cbc:TaxCurrencyCode';

const isTotalledInDollars: Test = (_, root) =>
  trimmed(root, 'cbc:DocumentCurrencyCode') === 'SGD' ? !has(root, TAX_CURRENCY) : trimmed(root, TAX_CURRENCY) === 'SGD';

/** What tax invoices of registered sellers carry, asked where their categories are in the breakdown. */
export const REGISTERED: Context = context('cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory', (node) => REGISTERED_CODES.has(codeOf(node)), [
  rule(
    'BR-105-GST-SG',
    (_, root) => hasGstNumber(root, SELLER) || hasRepresentative(root),
    `A tax invoice states the GST number of the seller: add ${SELLER}/cbc:CompanyID with the tax scheme GST.`,
  ),
  rule(
    'BR-106-GST-SG',
    (_, root) => hasAddress(root, 'cac:AccountingSupplierParty'),
    'A tax invoice states where the seller is: add cbc:StreetName and cbc:PostalZone to its cac:PostalAddress.',
  ),
  rule(
    'BR-107-GST-SG',
    (_, root) => hasAddress(root, 'cac:AccountingCustomerParty'),
    'A tax invoice states where the buyer is: add cbc:StreetName and cbc:PostalZone to its cac:PostalAddress.',
  ),
  rule('BR-108-GST-SG', (_, root) => has(root, 'cbc:UUID'), 'A tax invoice has a unique identifier: add cbc:UUID.'),
  // It is meant to ask a credit note for its reason, but looks for credit notes below the tax category, where there are none.
  informational('BR-111-GST-SG'),
  rule(
    'BR-112-GST-SG',
    (_, root) => has(root, 'cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity/cbc:CompanyID'),
    'A tax invoice states the registration number (UEN) of the seller: add cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity/cbc:CompanyID.',
  ),
  rule(
    'BR-113-GST-SG',
    isTotalledInDollars,
    'GST is accounted for in SGD: write SGD into cbc:TaxCurrencyCode if the document is in another currency, and take it out if it is in SGD.',
  ),
]);
