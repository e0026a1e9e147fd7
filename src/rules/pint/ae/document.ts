// What the Emirates ask of the document as a whole.
import { required } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, everywhere, fact, has, normalized, number, texts } from '#rules/engine/select.ts';
import { documentRules } from '#rules/pint/categories.ts';
import { customized, isPositive, profiledFromStart, ruleWhere, says, saysOther } from '#rules/pint/conditions.ts';
import { taxNumberOnce } from '#rules/pint/subtotals.ts';
import { countOf } from '#rules/pint/tax-uses.ts';
import { equal } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { CATEGORIES, FIVE } from './categories.ts';
import { flagged, hasFlags, isCreditNote, isFlagged, isOfType, isOutOfScope, ofType } from './transaction.ts';

const SELLER = 'cac:AccountingSupplierParty/cac:Party';
const DELIVERED = 'cac:Delivery/cac:DeliveryLocation/cac:Address';
const REASON = 'cac:DiscrepancyResponse/cbc:ResponseCode';

const isDeliveredInFull: Test = (root) =>
  ['cbc:StreetName', 'cbc:CityName', 'cbc:CountrySubentity'].every((part) => has(root, `${DELIVERED}/${part}`));

const PARTY_RULES: readonly Rule[] = [
  taxNumberOnce('aligned-ibrp-sr-12', 'VAT'),
  ruleWhere(
    'ibr-007-ae',
    flagged('free zone'),
    (root) => has(root, 'cac:BuyerCustomerParty/cac:Party/cac:PartyIdentification/cbc:ID'),
    'An invoice of a free zone names who benefits: add cac:BuyerCustomerParty/cac:Party/cac:PartyIdentification/cbc:ID.',
  ),
  rule(
    'ibr-134-ae',
    (root) =>
      isOutOfScope(root, root) ||
      all(root, `${SELLER}/cac:PartyTaxScheme`).some((one) => says(one, 'cac:TaxScheme/cbc:ID', 'VAT') && has(one, 'cbc:CompanyID')),
    `The seller has no VAT number: add ${SELLER}/cac:PartyTaxScheme with cbc:CompanyID and the tax scheme VAT.`,
  ),
  ruleWhere(
    'ibr-136-ae',
    isOutOfScope,
    (root) => has(root, 'cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity/cbc:CompanyID'),
    'Outside the scope of VAT the buyer is known by its registration: add cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity/cbc:CompanyID.',
  ),
  ruleWhere(
    'ibr-137-ae',
    flagged('disclosed agent'),
    (root) => has(root, 'cac:SellerSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID'),
    'An agent names for whom he bills: add cac:SellerSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID.',
  ),
  ruleWhere(
    'ibr-176-ae',
    flagged('disclosed agent'),
    (root) => {
      const principals = texts(root, 'cac:SellerSupplierParty/cac:Party/cac:PartyIdentification/cbc:ID');
      const sellers = texts(root, `${SELLER}/cac:PartyTaxScheme/cbc:CompanyID`);
      return sellers.some((seller) => principals.some((principal) => principal !== seller));
    },
    'An agent is somebody other than for whom he bills: the tax number of the seller and the identifier of cac:SellerSupplierParty must differ.',
  ),
];

/** Nothing is paid for credit notes, and for what is only deemed to be supplied. */
function isUnpaid(root: XmlElement): boolean {
  return isOfType(root, '381', '81', '261') || isFlagged(root, 'deemed supply');
}

const DATE_RULES: readonly Rule[] = [
  ruleWhere(
    'ibr-138-ae',
    flagged('summary'),
    (root) => has(root, 'cac:InvoicePeriod'),
    'A summary invoice says for which period it is: add cac:InvoicePeriod.',
  ),
  rule(
    'ibr-141-ae',
    (root) => texts(root, 'cbc:TaxPointDate').every((day) => texts(root, 'cbc:IssueDate').some((issued) => day < issued)),
    'The tax point must be before the issue date: correct cbc:TaxPointDate, or take it out.',
    'cbc:TaxPointDate',
  ),
  ruleWhere(
    'ibr-124-ae',
    isCreditNote,
    (root) => !has(root, 'cbc:TaxPointDate'),
    'A credit note has no tax point of its own: take cbc:TaxPointDate out.',
    'cbc:TaxPointDate',
  ),
  ruleWhere(
    'ibr-127-ae',
    (root) => isPositive(number(root, 'cac:LegalMonetaryTotal/cbc:PayableAmount')) && !isUnpaid(root),
    (root) => has(root, 'cbc:DueDate'),
    'There is something to pay, but not until when: add cbc:DueDate.',
  ),
  ruleWhere(
    'ibr-160-ae',
    (root) => says(root, 'cac:InvoicePeriod/cbc:DescriptionCode', 'OTH'),
    (root) => has(root, 'cbc:Note'),
    'The frequency of billing is OTH (another one): say which in cbc:Note.',
    'cac:InvoicePeriod/cbc:DescriptionCode',
  ),
];

/** Goods that were never there are credited without an invoice; everything else names the invoice that it corrects. */
const isReferred: Test = (root) => (has(root, 'cac:BillingReference') ? saysOther(root, REASON, 'VD') : says(root, REASON, 'VD'));

const CREDIT_RULES: readonly Rule[] = [
  ruleWhere(
    'ibr-055-ae',
    isCreditNote,
    isReferred,
    `A credit note names the invoice that it corrects and why: add cac:BillingReference and ${REASON}; only with the reason VD there is no reference.`,
    REASON,
  ),
  ruleWhere('ibr-158-ae', ofType('381'), (root) => has(root, REASON), `The credit note does not say why: add ${REASON}.`),
];

const DELIVERY_RULES: readonly Rule[] = [
  ruleWhere(
    'ibr-142-ae',
    flagged('e-commerce'),
    isDeliveredInFull,
    `An invoice of e-commerce says where it was delivered: add street, city and emirate to ${DELIVERED}.`,
  ),
  ruleWhere(
    'ibr-152-ae',
    flagged('export'),
    (root) => says(root, `${DELIVERED}/cac:Country/cbc:IdentificationCode`, 'AE') || isDeliveredInFull(root, root),
    `An invoice for an export says where it was delivered: add street, city and region to ${DELIVERED}.`,
  ),
];

const AED = 'AED';
const isForeign: Test = (root) => saysOther(root, 'cbc:DocumentCurrencyCode', AED);
const rates = fact((root) => everywhere(root, 'cac:TaxExchangeRate').filter((exchange) => has(exchange, 'cbc:CalculationRate')));

const hasRateForTax: Test = (root) =>
  says(root, 'cac:TaxExchangeRate/cbc:SourceCurrencyCode', ...texts(root, 'cbc:DocumentCurrencyCode')) &&
  says(root, 'cac:TaxExchangeRate/cbc:TargetCurrencyCode', ...texts(root, 'cbc:TaxCurrencyCode')) &&
  has(root, 'cac:TaxExchangeRate/cbc:CalculationRate');

const isTotalledInDirhams: Test = (root) =>
  says(root, 'cbc:TaxCurrencyCode', AED) &&
  says(root, 'cac:TaxTotal/cbc:TaxAmount/@currencyID', AED) &&
  all(root, 'cac:AdditionalDocumentReference').some(
    (one) => says(one, 'cbc:DocumentTypeCode', 'aedtotal-incl-vat') && has(one, 'cbc:DocumentDescription'),
  );

const CURRENCY_RULES: readonly Rule[] = [
  ruleWhere(
    'ibr-153-ae',
    (root, of) => says(root, 'cbc:TaxCurrencyCode', AED) && isForeign(root, of),
    hasRateForTax,
    "The exchange rate is not stated: add cac:TaxExchangeRate from the document's currency to AED, with cbc:CalculationRate.",
    'cbc:TaxCurrencyCode',
  ),
  rule(
    'ibr-159-ae',
    (root, of) => says(root, 'cbc:DocumentCurrencyCode', AED) || (isForeign(root, of) && rates(root).length > 0),
    'The document is not in AED: add cac:TaxExchangeRate/cbc:CalculationRate.',
    'cbc:DocumentCurrencyCode',
  ),
  rule(
    'ibr-175-ae',
    (root, of) => says(root, 'cbc:DocumentCurrencyCode', AED) || (isForeign(root, of) && isTotalledInDirhams(root, of)),
    'The document is not in AED: add cbc:TaxCurrencyCode AED, the tax in AED, and the total in AED as a cac:AdditionalDocumentReference of the type aedtotal-incl-vat with its cbc:DocumentDescription.',
    'cbc:DocumentCurrencyCode',
  ),
  rule(
    'ibr-140-ae',
    (root) => !has(root, 'cbc:TaxCurrencyCode') || says(root, 'cbc:TaxCurrencyCode', AED),
    'Tax is accounted for in AED: write AED into cbc:TaxCurrencyCode, or take it out.',
    'cbc:TaxCurrencyCode',
  ),
];

/** Every code that is given; what has none is asked for by other rules. */
function usesOnly(root: XmlElement, allowed: readonly string[]): boolean {
  return codesOf(root).every((code) => allowed.includes(code));
}

const codesOf = fact((root) =>
  ['cac:TaxCategory', 'cac:ClassifiedTaxCategory'].flatMap((tag) =>
    everywhere(root, tag).flatMap((category) => texts(category, 'cbc:ID').map(normalized)),
  ),
);

/** Those of lines count as well. */
const marginSubtotals = fact((root) =>
  everywhere(root, 'cac:TaxSubtotal').filter((subtotal) => says(subtotal, 'cac:TaxCategory/cbc:ID', 'N')),
);

const standardRates = fact((root) =>
  everywhere(root, 'cac:TaxCategory').filter((category) => says(category, 'cbc:ID', 'S') && has(category, 'cbc:Percent')),
);

const TAX_RULES: readonly Rule[] = [
  rule(
    'ibr-105-ae',
    (root) =>
      countOf(root, (use) => use.place !== 'line' && use.code === 'N' && use.schemes.includes('VAT')) === 0 ||
      marginSubtotals(root).length === 1,
    'The margin scheme (category N) has exactly one subtotal: correct the cac:TaxSubtotal.',
  ),
  ruleWhere(
    'ibr-122-ae',
    isOutOfScope,
    (root) => usesOnly(root, ['E', 'O', 'Z']),
    'Outside the scope of VAT only the tax categories E, O and Z are used: correct the categories, or the type of the document.',
  ),
  ruleWhere(
    'ibr-116-ae',
    flagged('margin scheme'),
    (root) => usesOnly(root, ['N']),
    'In the margin scheme every tax category is N: correct the categories, or the third flag of cbc:ProfileExecutionID.',
    'cbc:ProfileExecutionID',
  ),
  ruleWhere(
    'ibr-151-ae',
    ofType('380', '381'),
    (root) => countOf(root, ({ place, code }) => place === 'line' && code !== 'E' && code !== 'O') > 0,
    'Every line is exempt or outside the scope of VAT: use the type 480 (or 81), or correct the tax categories.',
  ),
  rule(
    'ibr-190-ae',
    (root) =>
      standardRates(root).every((category) => {
        const rate = number(category, 'cbc:Percent');
        return rate !== undefined && equal(rate, FIVE);
      }),
    'The standard rate (category S) is 5 %: write 5 into cac:TaxCategory/cbc:Percent.',
  ),
];

const TRANSACTION_RULES: readonly Rule[] = [
  customized('aligned-ibrp-001-ae', 'urn:peppol:pint:billing-1@ae-1', 'urn:peppol:pint:selfbilling-1@ae-1'),
  profiledFromStart('aligned-ibrp-002-ae', 'urn:peppol:bis:billing', 'urn:peppol:bis:selfbilling'),
  ruleWhere(
    'ibr-157-ae',
    isOutOfScope,
    (root) => !isFlagged(root, 'margin scheme') && !isFlagged(root, 'deemed supply') && !isFlagged(root, 'summary'),
    'Outside the scope of VAT there is no margin scheme, deemed supply or summary: correct cbc:ProfileExecutionID, or the type of the document.',
    'cbc:ProfileExecutionID',
  ),
  rule(
    'ibr-191-ae',
    (root) => isUnpaid(root) || has(root, 'cac:PaymentMeans/cbc:PaymentMeansCode'),
    'The way of payment is not stated: add cac:PaymentMeans/cbc:PaymentMeansCode.',
  ),
  rule(
    'ibr-154-ae',
    hasFlags,
    () => 'The kind of transaction is not stated as it should be: write eight characters, each 0 or 1, into cbc:ProfileExecutionID.',
    'cbc:ProfileExecutionID',
  ),
  required('ibr-193-ae', 'cbc:UUID', 'The document has no unique identifier: add cbc:UUID.'),
];

export const DOCUMENT: Context = context('/Invoice | /CreditNote', [
  ...TRANSACTION_RULES,
  ...documentRules(CATEGORIES),
  ...PARTY_RULES,
  ...DATE_RULES,
  ...CREDIT_RULES,
  ...DELIVERY_RULES,
  ...CURRENCY_RULES,
  ...TAX_RULES,
]);
