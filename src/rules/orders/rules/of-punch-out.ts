// The rules of a punch-out cart.
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { all, has, number, text, texts } from '#rules/engine/select.ts';
import { compare } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { identifiedItem } from './items.ts';
import { zeroOrMore } from './numbers.ts';
import { dayOf } from './periods.ts';
import { rates } from './taxes.ts';

const BASE = 'cac:Price/cbc:BaseQuantity';
const BATCH = 'cac:DeliveryUnit/cbc:BatchQuantity';

function endsAfterIssue(period: XmlElement): boolean {
  const [end, issued] = [dayOf(text(period, 'cbc:EndDate')), dayOf(text(period, '../cbc:IssueDate'))];
  return end !== undefined && issued !== undefined && compare(end, issued) >= 0;
}

/** Both quantities are given; the rules on them compare them. */
function hasBoth(node: XmlElement): boolean {
  return has(node, BASE) && has(node, BATCH);
}

function isAboveZero(node: XmlElement, path: string): boolean {
  return (number(node, path)?.units ?? 0n) > 0n;
}

function unitsAgree(node: XmlElement): boolean {
  const ofBatch = texts(node, `${BATCH}/@unitCode`);
  return texts(node, `${BASE}/@unitCode`).some((unit) => ofBatch.includes(unit));
}

export const PUNCH_OUT_RULES: readonly Context[] = [
  context('Catalogue/cac:ValidityPeriod', [
    rule(
      'PEPPOL-T77-R001',
      endsAfterIssue,
      'The cart is no longer valid on the day it was issued: give cbc:EndDate a day that is not before cbc:IssueDate.',
      'cbc:EndDate',
    ),
  ]),
  context('cac:RequiredItemLocationQuantity/cac:Price', [zeroOrMore('PEPPOL-T77-R003', 'cbc:PriceAmount')]),
  context('cac:Item', [
    identifiedItem('PEPPOL-T77-R004'),
    rule(
      'PEPPOL-T77-R005',
      (node) => all(node, 'cac:ItemSpecificationDocumentReference').filter(isMainImage).length <= 1,
      'The item has several main images: give PRODUCT_IMAGE to one cac:ItemSpecificationDocumentReference only.',
    ),
  ]),
  context('cac:CatalogueLine/cac:RequiredItemLocationQuantity', [
    rule(
      'PEPPOL-T77-R006',
      (node) => !hasBoth(node) || unitsAgree(node),
      'The price and the quantity in the cart are in different units: give cbc:BaseQuantity and cbc:BatchQuantity the same unitCode.',
      BATCH,
    ),
    rule(
      'PEPPOL-T77-R002',
      (node) => !hasBoth(node) || (isAboveZero(node, BASE) && isAboveZero(node, BATCH)),
      'A quantity of the cart is not above zero: correct cbc:BaseQuantity or cbc:BatchQuantity.',
    ),
  ]),
  context('cac:Item/cac:AdditionalItemProperty', (node) => texts(node, 'cbc:Name').includes('ServiceIndicator'), [
    rule(
      'PEPPOL-T77-R007',
      (node) => texts(node, 'cbc:Value').some((value) => value === 'true' || value === 'false'),
      'The property ServiceIndicator says whether the item is a service: write true or false into cbc:Value.',
      'cbc:Value',
    ),
  ]),
  context('cac:ClassifiedTaxCategory', rates({ given: 'PEPPOL-T77-R008', standard: 'PEPPOL-T77-R009' })),
];

function isMainImage(document: XmlElement): boolean {
  return texts(document, 'cbc:DocumentTypeCode').includes('PRODUCT_IMAGE');
}
