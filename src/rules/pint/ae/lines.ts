// Lines, items, prices, allowances and charges in the Emirates.
import { ALLOWANCE_CHARGE, isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { grossLessDiscount } from '#rules/common/shares.ts';
import { informational, required } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule } from '#rules/engine/rule.ts';
import { all, count, has, isBelow, numbers, stringOf } from '#rules/engine/select.ts';
import { baseWithPercentage } from '#rules/pint/amounts.ts';
import { isOnDocument, ruleWhere, says } from '#rules/pint/conditions.ts';
import { categoryNeeded, rateNeeded, taxAmountNeeded, taxableAmountNeeded } from '#rules/pint/subtotals.ts';
import { codeOf } from '#rules/pint/tax-uses.ts';
import { compare, ZERO } from '#ubl/decimal.ts';
import { lineAmount, percentage } from './amounts.ts';
import { isOutOfScope } from './transaction.ts';

export const PRICES: readonly Context[] = [
  context(`cac:Price/${ALLOWANCE_CHARGE}`, [grossLessDiscount('aligned-ibrp-004')]),
  context('cac:Price', [
    rule(
      'ibr-126-ae',
      (node) => has(node, 'cbc:BaseQuantity') && has(node, `${ALLOWANCE_CHARGE}/cbc:BaseAmount`),
      'The price does not say for which quantity it is, or what it was before discounts: add cbc:BaseQuantity and cac:AllowanceCharge/cbc:BaseAmount.',
    ),
  ]),
  context('cac:PaymentMeans', [
    ruleWhere(
      'ibr-192-ae',
      (node) => says(node, 'cbc:PaymentMeansCode', '30'),
      (node) => has(node, 'cac:PayeeFinancialAccount/cbc:ID'),
      'A credit transfer needs an account: add cac:PayeeFinancialAccount/cbc:ID.',
    ),
  ]),
];

interface Ids {
  readonly category: string;
  readonly both: string;
  readonly amount: string;
  readonly margin: string;
  readonly reason: string;
}

function adjustmentRules(what: string, ids: Ids): readonly Rule[] {
  return [
    categoryNeeded(ids.category, 'VAT', what, 'cac:TaxCategory', isOnDocument),
    baseWithPercentage(ids.both),
    percentage(ids.amount),
    rule(
      ids.margin,
      (node) => !says(node, 'cac:TaxCategory/cbc:ID', 'N'),
      `The margin scheme (category N) is for lines only: choose another tax category for the ${what}.`,
      'cac:TaxCategory/cbc:ID',
    ),
    ruleWhere(
      ids.reason,
      (node) => says(node, 'cac:TaxCategory/cbc:ID', 'E'),
      (node) => has(node, 'cbc:AllowanceChargeReasonCode'),
      `The ${what} is exempt, so it says why by a code: add cbc:AllowanceChargeReasonCode.`,
    ),
  ];
}

export const ADJUSTMENTS: readonly Context[] = [
  context(
    ALLOWANCE_CHARGE,
    (node) => isAllowance(node) && !isBelow(node, 'cac:Price'),
    adjustmentRules('allowance', {
      category: 'aligned-ibrp-032',
      both: 'aligned-ibrp-057',
      amount: 'ibr-131-ae',
      margin: 'ibr-115-ae',
      reason: 'ibr-168-ae',
    }),
  ),
  context(
    ALLOWANCE_CHARGE,
    isCharge,
    adjustmentRules('charge', {
      category: 'aligned-ibrp-037',
      both: 'aligned-ibrp-058',
      amount: 'ibr-146-ae',
      margin: 'ibr-114-ae',
      reason: 'ibr-169-ae',
    }),
  ),
];

const CATEGORY = 'cac:Item/cac:ClassifiedTaxCategory';
const EXTENSION = 'cac:ItemPriceExtension';

export const LINES: readonly Context[] = [
  context('cbc:CalculationRate', [
    rule(
      'ibr-002-ae',
      (node) => /^[0-9]+(\.[0-9]{1,6})?$/.test(stringOf(node)),
      'The exchange rate is a number with at most six digits after the point: correct cbc:CalculationRate.',
    ),
  ]),
  context('cac:InvoiceLine | cac:CreditNoteLine', [
    ruleWhere(
      'ibr-104-ae',
      (node) => all(node, CATEGORY).some((category) => codeOf(category) !== 'E'),
      (node) => has(node, `${EXTENSION}/cac:TaxTotal/cbc:TaxAmount`) && has(node, `${EXTENSION}/cbc:Amount`),
      `The line does not state its tax and its amount with tax in AED: add ${EXTENSION} with cac:TaxTotal/cbc:TaxAmount and cbc:Amount.`,
    ),
    ruleWhere(
      'ibr-111-ae',
      (node) => says(node, `${CATEGORY}/cbc:ID`, 'N'),
      (node) => numbers(node, `${CATEGORY}/cbc:Percent`).some((rate) => compare(rate, ZERO) > 0),
      'A line of the margin scheme (category N) has a rate above 0: correct cbc:Percent.',
      `${CATEGORY}/cbc:Percent`,
    ),
    required('ibr-145-ae', CATEGORY, `The line has no tax category: add ${CATEGORY}.`),
    lineAmount('ibr-147-ae'),
    ruleWhere(
      'ibr-167-ae',
      (node) => says(node, `${CATEGORY}/cbc:ID`, 'E'),
      (node) => has(node, `${CATEGORY}/cbc:TaxExemptionReasonCode`),
      'The line is exempt, so it says why: add cbc:TaxExemptionReasonCode to its tax category.',
      CATEGORY,
    ),
    ruleWhere(
      'ibr-123-ae',
      isOutOfScope,
      (node) => count(node, CATEGORY) === 1,
      `Outside the scope of VAT each line has exactly one tax category: correct ${CATEGORY}.`,
    ),
    required('ibr-194-ae', `${EXTENSION}/cbc:Amount`, `The line does not state its amount with tax in AED: add ${EXTENSION}/cbc:Amount.`),
  ]),
];

const CLASSIFICATION = 'cac:CommodityClassification/cbc:ItemClassificationCode';
const SERVICE = 'cac:AdditionalItemIdentification/cbc:ID';

function itemOfType(id: string, type: string, what: string, ...paths: readonly string[]): Rule {
  return ruleWhere(
    id,
    (node) => says(node, 'cac:CommodityClassification/cbc:CommodityCode', type),
    (node) => paths.every((path) => has(node, path)),
    `The item is ${what} (type ${type}), so it is classified as such: add ${paths.join(' and ')}.`,
  );
}

export const ITEMS: readonly Context[] = [
  context('cac:Item', [
    required('ibr-125-ae', 'cbc:Description', 'The item is not described: add cbc:Description.'),
    ruleWhere(
      'ibr-166-ae',
      (node) => says(node, 'cac:ClassifiedTaxCategory/cbc:ID', 'AE'),
      (node) => has(node, 'cac:CommodityClassification/cbc:NatureCode'),
      'With reverse charge the nature of the goods or services is stated: add cac:CommodityClassification/cbc:NatureCode.',
    ),
    itemOfType('ibr-184-ae', 'G', 'goods', CLASSIFICATION),
    itemOfType('ibr-185-ae', 'S', 'a service', SERVICE),
    itemOfType('ibr-186-ae', 'B', 'both goods and a service', CLASSIFICATION, SERVICE),
    informational('ibr-187-ae'),
    ruleWhere(
      'ibr-188-ae',
      (node) => has(node, CLASSIFICATION),
      (node) => says(node, `${CLASSIFICATION}/@listID`, 'HS'),
      'Goods are classified by the harmonised system: write HS into listID.',
      CLASSIFICATION,
    ),
    ruleWhere(
      'ibr-189-ae',
      (node) => has(node, SERVICE),
      (node) => says(node, `${SERVICE}/@schemeID`, 'SAC'),
      'Services are classified by the service accounting code: write SAC into schemeID.',
      SERVICE,
    ),
  ]),
  context('cac:TaxSubtotal', [
    taxableAmountNeeded('aligned-ibrp-045'),
    taxAmountNeeded('aligned-ibrp-046'),
    categoryNeeded('aligned-ibrp-047', 'VAT', 'tax subtotal'),
    rateNeeded('aligned-ibrp-048', 'VAT', 'O', 'E'),
    rule(
      'ibr-119-ae',
      (node) => says(node, 'cac:TaxCategory/cbc:ID', 'O', 'E') !== has(node, 'cac:TaxCategory/cbc:Percent'),
      'A tax subtotal has a rate, except in the categories O and E, which have none: correct cac:TaxCategory/cbc:Percent.',
      'cac:TaxCategory',
    ),
  ]),
];
