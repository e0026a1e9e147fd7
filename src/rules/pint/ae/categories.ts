// The tax categories of the Emirates.

import { shareOf } from '#rules/en16931/vat-shares.ts';
import { type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { fact, has, number } from '#rules/engine/select.ts';
import { within } from '#rules/pint/amounts.ts';
import { ANY_RATE, alignedIds, type Category, NO_RATE, POSITIVE_RATE, ZERO_RATE } from '#rules/pint/categories.ts';
import { isZero, saysOther } from '#rules/pint/conditions.ts';
import { type Decimal, near } from '#ubl/decimal.ts';

export const FIVE: Decimal = { units: 5n, scale: 0 };

const LINE_TAX = '../../cac:ItemPriceExtension/cac:TaxTotal/cbc:TaxAmount';

function untaxedLine(id: string): Rule {
  const sentence = 'Nothing is taxed on the line: write 0 into cac:ItemPriceExtension/cac:TaxTotal/cbc:TaxAmount.';
  return rule(id, (node) => isZero(number(node, LINE_TAX)), sentence, LINE_TAX);
}

function unrated(id: string): Rule {
  return rule(id, NO_RATE.fits, 'The category has no rate: take cbc:Percent out of the subtotal.', 'cbc:Percent');
}

/** Only lines count for the margin scheme. */
const isBaseOfMargin: Test = (node, root) => {
  const rate = number(node, 'cbc:Percent');
  const base = number(node, '../cbc:TaxableAmount');
  if (!rate || !base) return false;
  return [...shareOf(root, 'N', rate).lines.values()].some((net) => near(base, net, within('0.02')));
};

const MARGIN_RULES: readonly Rule[] = [
  rule(
    'ibr-102-ae',
    isBaseOfMargin,
    'The taxable amount of category N is not the sum of its lines: correct cbc:TaxableAmount.',
    '../cbc:TaxableAmount',
  ),
  rule(
    'ibr-108-ae',
    (node) => isZero(number(node, '../cbc:TaxAmount')),
    'The tax of category N is not shown: write 0 into cbc:TaxAmount.',
    '../cbc:TaxAmount',
  ),
];

const ITEM = '../cac:StandardItemIdentification/cbc:ID';

const isBuyerKnown = fact((root) => has(root, 'cac:AccountingCustomerParty/cac:Party/cac:PartyTaxScheme/cbc:CompanyID'));

const REVERSE_CHARGE_RULES: readonly Rule[] = [
  rule(
    'ibr-103-ae',
    (_, root) => isBuyerKnown(root),
    'With reverse charge the buyer owes the tax: add cac:AccountingCustomerParty/cac:Party/cac:PartyTaxScheme/cbc:CompanyID.',
  ),
  untaxedLine('ibr-162-ae'),
  rule(
    'ibr-174-ae',
    (node) => has(node, ITEM) && !saysOther(node, `${ITEM}/@schemeID`, '0160'),
    'With reverse charge the item is identified by its GTIN: add cac:StandardItemIdentification/cbc:ID with schemeID 0160.',
  ),
];

const SCHEME = 'VAT';
const UNTAXED = { scheme: SCHEME, used: 'once', adjustment: ZERO_RATE, base: 'exact', tax: 'none' } as const;

export const CATEGORIES: readonly Category[] = [
  {
    code: 'S',
    name: 'standard rate',
    scheme: SCHEME,
    id: alignedIds('s'),
    used: 'if and only if',
    line: POSITIVE_RATE,
    adjustment: POSITIVE_RATE,
    base: { within: within('0.02') },
    tax: { within: within('0.02') },
    unexempted: true,
  },
  { code: 'N', name: 'margin scheme', scheme: SCHEME, id: alignedIds('n'), ofSubtotals: MARGIN_RULES },
  {
    ...UNTAXED,
    code: 'E',
    name: 'exempt',
    id: alignedIds('e'),
    line: NO_RATE,
    ofLines: [
      rule(
        'ibr-163-ae',
        (node) => !has(node, LINE_TAX),
        'An exempt line has no tax amount: take cac:ItemPriceExtension/cac:TaxTotal out.',
        LINE_TAX,
      ),
    ],
    ofSubtotals: [unrated('ibr-121-ae')],
  },
  {
    ...UNTAXED,
    code: 'Z',
    name: 'zero rate',
    id: alignedIds('z'),
    line: ZERO_RATE,
    ofLines: [untaxedLine('ibr-165-ae')],
    ofSubtotals: [rule('ibr-120-ae', ZERO_RATE.fits, 'The zero rate is 0: write 0 into cbc:Percent of the subtotal.', 'cbc:Percent')],
  },
  {
    ...UNTAXED,
    code: 'O',
    name: 'outside the scope of VAT',
    id: alignedIds('o'),
    line: NO_RATE,
    adjustment: NO_RATE,
    ofSubtotals: [unrated('aligned-ibrp-o-11-ae')],
  },
  {
    ...UNTAXED,
    code: 'AE',
    name: 'reverse charge',
    // Of its own rules all but those on allowances and charges bear the name of the jurisdiction.
    id: (number) => (['06', '07'].includes(number) ? alignedIds('ae')(number) : `${alignedIds('ae')(number)}-ae`),
    used: 'some',
    line: ANY_RATE,
    ofLines: REVERSE_CHARGE_RULES,
  },
];
