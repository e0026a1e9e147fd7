// Rules on the lines: their arithmetic, periods and references.
import { ALLOWANCE_CHARGE } from '#rules/common/allowance-charge.ts';
import { instantOf } from '#rules/common/dates.ts';
import { LINE } from '#rules/en16931/places.ts';
import { occurs, shown } from '#rules/kinds.ts';
import { type Context, context, type Rule, rule } from '#rules/rule.ts';
import { all, fact, first, has, number, numbers, stringOf, text, texts, trimmed } from '#rules/select.ts';
import { compare, type Decimal, equal, shown as figure, minus, near, ONE, over, plus, rounded, sum, times, ZERO } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const TOLERANCE: Decimal = { units: 2n, scale: 2 };
const BASE_QUANTITY = 'cac:Price/cbc:BaseQuantity';

export const LINE_RULES: readonly Context[] = [
  withinPeriod('PEPPOL-EN16931-R110', 'cbc:StartDate', (line, document) => line >= document, 'starts before'),
  withinPeriod('PEPPOL-EN16931-R111', 'cbc:EndDate', (line, document) => line <= document, 'ends after'),
  context(LINE, [
    rule('PEPPOL-EN16931-R120', addsUp, netSentence, 'cbc:LineExtensionAmount'),
    rule(
      'PEPPOL-EN16931-R121',
      (node) => {
        const base = number(node, BASE_QUANTITY);
        return !base || compare(base, ZERO) > 0;
      },
      (node) => `The price is for a quantity of ${trimmed(node, BASE_QUANTITY)}: write a number above zero into cbc:BaseQuantity.`,
      BASE_QUANTITY,
    ),
    occurs(
      'PEPPOL-EN16931-R100',
      'cac:DocumentReference',
      { max: 1 },
      'The line names several invoiced objects: keep one cac:DocumentReference.',
    ),
    rule(
      'PEPPOL-EN16931-R101',
      (node) => !has(node, 'cac:DocumentReference') || texts(node, 'cac:DocumentReference/cbc:DocumentTypeCode').includes('130'),
      'The reference of a line can only name the invoiced object: write 130 into cac:DocumentReference/cbc:DocumentTypeCode, or remove the reference.',
      'cac:DocumentReference/cbc:DocumentTypeCode',
    ),
  ]),
];

export const PRICE_UNIT_RULES: readonly Context[] = [
  context('cac:Price/cbc:BaseQuantity', ({ attributes }) => attributes.has('unitCode'), [
    rule('PEPPOL-EN16931-R130', hasUnitOfLine, unitSentence),
  ]),
];

/** Dates of the periods of lines, in a document that has such a date itself. */
function withinPeriod(id: string, date: string, fits: (line: number, document: number) => boolean, words: string): Context {
  const documentDate = fact((root) => first(root, `cac:InvoicePeriod/${date}`));
  const within: Rule = rule(
    id,
    (node, root) => {
      const line = instantOf(stringOf(node));
      const document = instantOf(text(root, `cac:InvoicePeriod/${date}`) ?? '');
      return line === undefined || document === undefined || fits(line, document);
    },
    (node, root) =>
      `The period of the line ${words} the period of the document (${shown(stringOf(node))} against ${trimmed(root, `cac:InvoicePeriod/${date}`)}): correct one of the two dates.`,
  );
  const path = `/Invoice/cac:InvoiceLine/cac:InvoicePeriod/${date} | /CreditNote/cac:CreditNoteLine/cac:InvoicePeriod/${date}`;
  return context(path, (_node, root) => documentDate(root) !== undefined, [within]);
}

interface Figures {
  readonly net: Decimal;
  readonly quantity: Decimal;
  readonly price: Decimal;
  readonly base: Decimal;
  readonly charges: Decimal;
  readonly allowances: Decimal;
  readonly expected: Decimal;
}

/** Undefined when one of them is no number, which is a matter of structure. */
function figuresOf(line: XmlElement, root: XmlElement): Figures | undefined {
  const net = numberOr(line, 'cbc:LineExtensionAmount', ZERO);
  const quantity = numberOr(line, quantityPath(root), ONE);
  const price = numberOr(line, 'cac:Price/cbc:PriceAmount', ZERO);
  const stated = numberOr(line, BASE_QUANTITY, ONE);
  if (!net || !quantity || !price || !stated) return undefined;
  const base = equal(stated, ZERO) ? ONE : stated;
  const charges = totalOf(line, 'true');
  const allowances = totalOf(line, 'false');
  const priced = times(quantity, over(price, base) ?? price);
  return { net, quantity, price, base, charges, allowances, expected: minus(plus(priced, charges), allowances) };
}

function addsUp(line: XmlElement, root: XmlElement): boolean {
  const figures = figuresOf(line, root);
  return !figures || near(figures.net, figures.expected, TOLERANCE);
}

function netSentence(line: XmlElement, root: XmlElement): string {
  const figures = figuresOf(line, root);
  if (!figures) return '';
  const { net, quantity, price, base, charges, allowances, expected } = figures;
  const per = equal(base, ONE) ? '' : ` per ${figure(base, 0)}`;
  const added = equal(charges, ZERO) ? '' : ` + charges ${figure(charges)}`;
  const taken = equal(allowances, ZERO) ? '' : ` - allowances ${figure(allowances)}`;
  return `The net amount of the line is ${figure(net)} but quantity ${figure(quantity, 0)} × price ${figure(price)}${per}${added}${taken} = ${figure(rounded(expected))}: correct cbc:LineExtensionAmount, or what it is worked out from.`;
}

function numberOr(line: XmlElement, path: string, missing: Decimal): Decimal | undefined {
  return has(line, path) ? number(line, path) : missing;
}

/** The charges of a line, or its allowances, together. */
function totalOf(line: XmlElement, indicator: string): Decimal {
  const meant = all(line, ALLOWANCE_CHARGE).filter((one) => trimmed(one, 'cbc:ChargeIndicator') === indicator);
  return rounded(sum(meant.flatMap((one) => numbers(one, 'cbc:Amount'))));
}

function quantityPath(root: XmlElement): string {
  return root.tag === 'Invoice' ? 'cbc:InvoicedQuantity' : 'cbc:CreditedQuantity';
}

function hasUnitOfLine(node: XmlElement, root: XmlElement): boolean {
  const counted = has(node, '../../cbc:InvoicedQuantity') || has(node, '../../cbc:CreditedQuantity');
  return !counted || texts(node, `../../${quantityPath(root)}/@unitCode`).includes(node.attributes.get('unitCode') ?? '');
}

function unitSentence(node: XmlElement, root: XmlElement): string {
  const ofLine = trimmed(node, `../../${quantityPath(root)}/@unitCode`);
  return `The price is per ${node.attributes.get('unitCode')}, the quantity of the line is in ${ofLine || 'no unit'}: give both the same unitCode.`;
}
