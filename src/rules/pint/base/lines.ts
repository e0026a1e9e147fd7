// What PINT asks of lines, their periods and prices.
import { instantOf } from '#rules/common/dates.ts';
import { baseQuantityAboveZero, quantityOf } from '#rules/common/net-of-line.ts';
import { isNotNegative } from '#rules/common/signs.ts';
import { nonEmpty, occurs, required, requiredAttribute } from '#rules/engine/kinds.ts';
import { type Context, context, rule, type Test } from '#rules/engine/rule.ts';
import { all, everywhere, fact, has, texts } from '#rules/engine/select.ts';
import { hasAny, says } from '#rules/pint/conditions.ts';
import type { XmlElement } from '#ubl/tree.ts';

const LINES = 'cac:InvoiceLine | cac:CreditNoteLine';
const QUANTITIES = ['cbc:InvoicedQuantity', 'cbc:CreditedQuantity'];

/** Below each kind of line. */
function ofLines(path: string): string {
  return `cac:InvoiceLine/${path} | cac:CreditNoteLine/${path}`;
}

function someNotNegative(node: XmlElement, path: string): boolean {
  return texts(node, path).some(isNotNegative);
}

const GROSS = 'cac:Price/cac:AllowanceCharge/cbc:BaseAmount';

export const LINE: Context = context(LINES, [
  nonEmpty('ibr-021', 'cbc:ID', 'The line has no number: fill cbc:ID.'),
  rule(
    'ibr-022',
    (node) => hasAny(node, ...QUANTITIES),
    (node) => `The line has no quantity: add ${quantityOf(node)}.`,
  ),
  rule(
    'ibr-023',
    (node) => QUANTITIES.some((path) => has(node, `${path}/@unitCode`)),
    (node) => `The quantity has no unit: add unitCode="…" to ${quantityOf(node)}.`,
  ),
  required('ibr-024', 'cbc:LineExtensionAmount', 'The line has no amount: add cbc:LineExtensionAmount.'),
  nonEmpty('ibr-025', 'cac:Item/cbc:Name', 'The line does not name what was sold: fill cac:Item/cbc:Name.'),
  required('ibr-026', 'cac:Price/cbc:PriceAmount', 'The line has no price: add cac:Price/cbc:PriceAmount.'),
  rule(
    'ibr-027',
    (node) => someNotNegative(node, 'cac:Price/cbc:PriceAmount'),
    'The price must be there and not below zero: correct cac:Price/cbc:PriceAmount, and make the quantity negative if something is taken back.',
    'cac:Price/cbc:PriceAmount',
  ),
  rule(
    'ibr-028',
    (node) => !has(node, GROSS) || someNotNegative(node, GROSS),
    `The price before discounts is below zero: correct ${GROSS}.`,
    GROSS,
  ),
  baseQuantityAboveZero('ibr-087'),
  rule(
    'ibr-089',
    (node) => all(node, 'cac:DocumentReference').filter((one) => says(one, 'cbc:DocumentTypeCode', '130')).length <= 1,
    'The line refers to several invoiced objects: keep one cac:DocumentReference of type 130.',
    'cac:DocumentReference',
  ),
  occurs('ibr-109', 'cac:OrderLineReference/cbc:LineID', { max: 1 }),
  occurs('ibr-110', 'cac:InvoicePeriod', { max: 1 }),
  occurs('ibr-111', 'cac:Price/cac:AllowanceCharge/cbc:Amount', { max: 1 }),
  occurs('ibr-sr-34', 'cbc:Note', { max: 1 }),
  occurs('ibr-sr-38', 'cac:Item/cac:ClassifiedTaxCategory/cbc:TaxExemptionReason', { max: 1 }),
  occurs('ibr-sr-50', 'cac:Item/cbc:Description', { max: 1 }),
]);

function daysOf(node: XmlElement, path: string): readonly number[] {
  return texts(node, path).flatMap((day) => instantOf(day) ?? []);
}

const startsOfDocument = fact((root) => daysOf(root, 'cac:InvoicePeriod/cbc:StartDate'));
const endsOfDocument = fact((root) => daysOf(root, 'cac:InvoicePeriod/cbc:EndDate'));

/** Days that are missing, or no days, are not compared. */
function neverBefore(later: readonly number[], earlier: readonly number[]): boolean {
  return !later.some((one) => earlier.some((other) => one < other));
}

const isInOrder: Test = (node) => neverBefore(daysOf(node, 'cbc:EndDate'), daysOf(node, 'cbc:StartDate'));

const ENDS_BEFORE_START = 'The period ends before it starts: correct cbc:StartDate or cbc:EndDate.';

export const PERIODS: readonly Context[] = [
  context(ofLines('cac:InvoicePeriod'), [
    rule('ibr-030', isInOrder, ENDS_BEFORE_START, 'cbc:EndDate'),
    rule(
      'ibr-085',
      (node, root) => neverBefore(daysOf(node, 'cbc:StartDate'), startsOfDocument(root)),
      "The period of the line starts before that of the document: correct the line's cbc:StartDate or the document's cac:InvoicePeriod.",
      'cbc:StartDate',
    ),
    rule(
      'ibr-086',
      (node, root) => neverBefore(endsOfDocument(root), daysOf(node, 'cbc:EndDate')),
      "The period of the line ends after that of the document: correct the line's cbc:EndDate or the document's cac:InvoicePeriod.",
      'cbc:EndDate',
    ),
    rule(
      'ibr-co-20',
      (node) => hasAny(node, 'cbc:StartDate', 'cbc:EndDate'),
      'The period of the line has neither a start nor an end: add cbc:StartDate, cbc:EndDate or both, or take it out.',
    ),
  ]),
  context('cac:InvoicePeriod', [
    rule('ibr-029', isInOrder, ENDS_BEFORE_START, 'cbc:EndDate'),
    rule(
      'ibr-co-19',
      (node) => hasAny(node, 'cbc:StartDate', 'cbc:EndDate', 'cbc:DescriptionCode'),
      'The period has neither a start nor an end: add cbc:StartDate, cbc:EndDate or both, or take it out.',
    ),
  ]),
];

export const ITEMS: readonly Context[] = [
  context('cac:AdditionalItemProperty', [
    rule(
      'ibr-054',
      (node) => has(node, 'cbc:Name') && has(node, 'cbc:Value'),
      'A property of an item needs a name and a value: add cbc:Name and cbc:Value, or take it out.',
    ),
  ]),
  context(ofLines('cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode'), [requiredAttribute('ibr-065', 'listID')]),
  context(ofLines('cac:Item/cac:StandardItemIdentification/cbc:ID'), [requiredAttribute('ibr-064', 'schemeID')]),
  // Lines of credit notes are not looked at.
  context('cac:InvoiceLine/cac:Item/cac:ClassifiedTaxCategory', [
    required('ibr-sr-58', 'cbc:ID', 'The tax category of the line has no code: add cbc:ID.'),
  ]),
];

const hasSameUnit: Test = (node) =>
  !QUANTITIES.some((path) => has(node, `../../${path}`)) ||
  QUANTITIES.some((path) => says(node, `../../${path}/@unitCode`, node.attributes.get('unitCode') ?? ''));

export const PRICE_UNIT: Context = context('cac:Price/cbc:BaseQuantity', ({ attributes }) => attributes.has('unitCode'), [
  rule(
    'ibr-088',
    hasSameUnit,
    ({ attributes }) =>
      `The price is for a quantity in ${attributes.get('unitCode')}, but the line counts in another unit: use the same unitCode in both.`,
  ),
]);

const isDespatchedAsWhole = fact((root) => everywhere(root, 'cac:DespatchDocumentReference').length > 0);

export const DESPATCHES: readonly Context[] = [
  context(ofLines('cac:DespatchLineReference/cac:DocumentReference/cbc:ID'), [
    rule(
      'ibr-092',
      (_, root) => !isDespatchedAsWhole(root),
      'The line refers to a despatch advice, and so does the document: keep one of the two.',
    ),
  ]),
  context(ofLines('cac:DespatchLineReference'), [occurs('ibr-sr-62', 'cac:DocumentReference', { max: 1 })]),
];
