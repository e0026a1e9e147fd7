// Currencies of amounts, dates, times, attachments and empty elements of PINT.
import { AMOUNTS_BESIDE_TAX } from '#rules/common/amounts.ts';
import { documentCurrencies } from '#rules/common/currencies.ts';
import { realDates } from '#rules/common/dates.ts';
import { noEmptyElements } from '#rules/common/empty-elements.ts';
import { requiredAttribute, shown } from '#rules/engine/kinds.ts';
import { type Context, context, rule, type Test } from '#rules/engine/rule.ts';
import { isBelow, normalized, stringOf, trimmed } from '#rules/engine/select.ts';
import { says } from '#rules/pint/conditions.ts';
import type { XmlElement } from '#ubl/tree.ts';

const isInDocumentCurrency: Test = (node, root) => documentCurrencies(root).includes(node.attributes.get('currencyID') ?? '');

const SAME_CURRENCY = rule(
  'ibr-126',
  (node, root) => isInDocumentCurrency(node, root) || isBelow(node, 'cac:ItemPriceExtension'),
  ({ attributes }, root) =>
    `The amount is in '${shown(attributes.get('currencyID') ?? '')}', but the document is in '${shown(documentCurrencies(root)[0] ?? '')}': state both in one currency.`,
);

/** A tax total in the tax currency keeps its own. */
function isOfTotalInDocumentCurrency(totalOf: (node: XmlElement) => XmlElement | null | undefined): Test {
  return (node, root) => {
    const total = totalOf(node);
    return total != null && says(total, 'cbc:TaxAmount/@currencyID', ...documentCurrencies(root));
  };
}

const ofTotal = isOfTotalInDocumentCurrency(({ parent }) => parent);
const ofSubtotal = isOfTotalInDocumentCurrency(({ parent }) => parent?.parent);

export const CURRENCY_CONTEXTS: readonly Context[] = [
  context(AMOUNTS_BESIDE_TAX, [SAME_CURRENCY]),
  context('cac:TaxTotal/cbc:TaxAmount', ofTotal, [SAME_CURRENCY]),
  context('cac:TaxTotal/cac:TaxSubtotal/cbc:TaxableAmount | cac:TaxTotal/cac:TaxSubtotal/cbc:TaxAmount', ofSubtotal, [SAME_CURRENCY]),
];

const TIME = /^(?:([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?|24:00:00(?:\.0+)?)(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/;

const isBasic: Test = ({ tag }) => tag.startsWith('cbc:');

const TAX_CURRENCY = rule(
  'ibr-077',
  (node) => normalized(stringOf(node)) !== trimmed(node, '../cbc:DocumentCurrencyCode'),
  (node) =>
    `The tax currency is the currency of the document, ${shown(stringOf(node))}: take cbc:TaxCurrencyCode out, it is for another one.`,
);

const [EMPTY] = noEmptyElements('ibr-079');

export const VALUE_CONTEXTS: readonly Context[] = [
  realDates('ibr-073'),
  context('*Time', isBasic, [
    rule(
      'ibr-119',
      (node) => TIME.test(stringOf(node).trim()),
      (node) => `'${shown(stringOf(node))}' is no time: write it as hh:mm:ss, with a time zone if you like.`,
    ),
  ]),
  context('*BinaryObject', [requiredAttribute('ibr-074', 'mimeCode'), requiredAttribute('ibr-075', 'filename')]),
  context('cbc:TaxCurrencyCode', [TAX_CURRENCY]),
  ...(EMPTY ? [EMPTY] : []),
];
