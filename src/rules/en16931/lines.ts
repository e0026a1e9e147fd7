// The lines: quantity, price, item.
import { quantityOf } from '#rules/common/net-of-line.ts';
import { isNotNegative } from '#rules/common/signs.ts';
import { isVat } from '#rules/common/tax-scheme.ts';
import { maxDecimals, nonEmpty, required, requiredAttribute } from '#rules/engine/kinds.ts';
import { context, type Pattern, rule } from '#rules/engine/rule.ts';
import { all, has, texts } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { LINE } from './places.ts';

const PRICE = 'cac:Price/cbc:PriceAmount';
const BELOW_ZERO = 'is below zero: give a price of zero or more, and a negative quantity where something is taken back.';
const GROSS_PRICE = 'cac:Price/cac:AllowanceCharge/cbc:BaseAmount';

export const LINES: Pattern = [
  context(LINE, [
    nonEmpty('BR-21', 'cbc:ID', 'The line has no number: fill cbc:ID.'),
    rule(
      'BR-22',
      (node) => has(node, 'cbc:InvoicedQuantity') || has(node, 'cbc:CreditedQuantity'),
      (node) => `The line has no quantity: add ${quantityOf(node)}.`,
    ),
    rule(
      'BR-23',
      (node) => has(node, 'cbc:InvoicedQuantity/@unitCode') || has(node, 'cbc:CreditedQuantity/@unitCode'),
      (node) => `The quantity of the line has no unit: add unitCode to ${quantityOf(node)}, for example C62 for pieces.`,
    ),
    required('BR-24', 'cbc:LineExtensionAmount', 'The line has no net amount: add cbc:LineExtensionAmount.'),
    nonEmpty('BR-25', 'cac:Item/cbc:Name', 'The item of the line has no name: fill cac:Item/cbc:Name.'),
    required('BR-26', PRICE, `The line has no price: add ${PRICE}.`),
    rule('BR-27', (node) => texts(node, PRICE).some(isNotNegative), priceSentence, PRICE),
    rule(
      'BR-28',
      (node) => !has(node, GROSS_PRICE) || texts(node, GROSS_PRICE).some(isNotNegative),
      `The gross price ${BELOW_ZERO}`,
      GROSS_PRICE,
    ),
    rule(
      'BR-CO-04',
      (node) => all(node, 'cac:Item/cac:ClassifiedTaxCategory').some((category) => has(category, 'cbc:ID') && isVat(category)),
      'The line has no VAT category: add cac:Item/cac:ClassifiedTaxCategory with cbc:ID and the tax scheme VAT.',
      'cac:Item/cac:ClassifiedTaxCategory',
    ),
    maxDecimals('BR-DEC-23', 'cbc:LineExtensionAmount'),
  ]),
  context('cac:AdditionalItemProperty', [
    rule(
      'BR-54',
      (node) => has(node, 'cbc:Name') && has(node, 'cbc:Value'),
      'The property of the item has a name or a value only: give it both, cbc:Name and cbc:Value.',
    ),
  ]),
  context(ofItem('cac:CommodityClassification/cbc:ItemClassificationCode'), [
    requiredAttribute('BR-65', 'listID', 'The class of the item does not say by which scheme: add listID, for example listID="STI".'),
  ]),
  context(ofItem('cac:StandardItemIdentification/cbc:ID'), [
    requiredAttribute(
      'BR-64',
      'schemeID',
      'The standard number of the item does not say of which kind it is: add schemeID, for example schemeID="0160".',
    ),
  ]),
];

function ofItem(path: string): string {
  return `cac:InvoiceLine/cac:Item/${path} | cac:CreditNoteLine/cac:Item/${path}`;
}

function priceSentence(node: XmlElement): string {
  return has(node, PRICE) ? `The price ${BELOW_ZERO}` : `The line has no price that could be zero or more: add ${PRICE}.`;
}
