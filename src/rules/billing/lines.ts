// Rules on the lines: their arithmetic, periods and references.
import { instantOf } from '#rules/common/dates.ts';
import { baseQuantityAboveZero, netOfLine, quantityPath, SPELT_IN_CENTS } from '#rules/common/net-of-line.ts';
import { LINE } from '#rules/en16931/places.ts';
import { occurs, shown } from '#rules/engine/kinds.ts';
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { fact, has, stringOf, text, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

export const LINE_RULES: readonly Context[] = [
  withinPeriod('PEPPOL-EN16931-R110', 'cbc:StartDate', (line, document) => line >= document, 'starts before'),
  withinPeriod('PEPPOL-EN16931-R111', 'cbc:EndDate', (line, document) => line <= document, 'ends after'),
  context(LINE, [
    netOfLine('PEPPOL-EN16931-R120', SPELT_IN_CENTS),
    baseQuantityAboveZero('PEPPOL-EN16931-R121'),
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
  const documentDate = fact((root) => text(root, `cac:InvoicePeriod/${date}`));
  const within = rule(
    id,
    (node, root) => {
      const line = instantOf(stringOf(node));
      const document = instantOf(documentDate(root) ?? '');
      return line === undefined || document === undefined || fits(line, document);
    },
    (node, root) =>
      `The period of the line ${words} the period of the document (${shown(stringOf(node))} against ${shown(documentDate(root) ?? '')}): correct one of the two dates.`,
  );
  const path = `/Invoice/cac:InvoiceLine/cac:InvoicePeriod/${date} | /CreditNote/cac:CreditNoteLine/cac:InvoicePeriod/${date}`;
  return context(path, (_node, root) => documentDate(root) !== undefined, [within]);
}

function hasUnitOfLine(node: XmlElement, root: XmlElement): boolean {
  const counted = has(node, '../../cbc:InvoicedQuantity') || has(node, '../../cbc:CreditedQuantity');
  return !counted || texts(node, `../../${quantityPath(root)}/@unitCode`).includes(node.attributes.get('unitCode') ?? '');
}

function unitSentence(node: XmlElement, root: XmlElement): string {
  const ofLine = trimmed(node, `../../${quantityPath(root)}/@unitCode`);
  return `The price is per ${node.attributes.get('unitCode')}, the quantity of the line is in ${ofLine || 'no unit'}: give both the same unitCode.`;
}
