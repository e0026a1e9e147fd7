// Totals in Singapore dollars, which are stated as references to documents of a type of their own.

import { type Context, context, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { all, everywhere, fact, has, text, texts } from '#rules/engine/select.ts';
import { ruleWhere, says } from '#rules/pint/conditions.ts';
import { isGrossRight, taxInclusiveTotal } from '#rules/pint/totals.ts';
import { decimalOf } from '#ubl/decimal.ts';
import type { XmlElement } from '#ubl/tree.ts';

const REFERENCE = 'cac:AdditionalDocumentReference';
const TYPE = 'cbc:DocumentTypeCode';
const WITH_GST = 'sgdtotal-incl-gst';
const WITHOUT_GST = 'sgdtotal-excl-gst';

function refers(root: XmlElement, type: string): boolean {
  return all(root, REFERENCE).some((one) => says(one, TYPE, type));
}

const currencies = fact((root) => everywhere(root, 'cac:TaxTotal').flatMap((total) => texts(total, 'cbc:TaxAmount/@currencyID')));

const isTotalled: Test = (root) =>
  texts(root, 'cbc:TaxCurrencyCode').every((currency) => currencies(root).includes(currency)) &&
  refers(root, WITH_GST) &&
  refers(root, WITHOUT_GST);

/** Also those of lines count, so that none may state a tax total of its own in the currency of the document. */
const isGstOnce: Test = (root) => {
  const currency = text(root, 'cbc:DocumentCurrencyCode');
  return currency === undefined || (currencies(root).filter((one) => one === currency).length === 1 && isGrossRight(root));
};

export const TOTALS_IN_DOLLARS: readonly Rule[] = [
  ruleWhere(
    'BR-53-GST-SG',
    (root) => has(root, 'cbc:TaxCurrencyCode'),
    isTotalled,
    `There is a tax currency, so the GST and both totals are stated in it: add a cac:TaxTotal in that currency and a ${REFERENCE} of each of the types ${WITH_GST} and ${WITHOUT_GST}.`,
    'cbc:TaxCurrencyCode',
  ),
  rule(
    'BR-110-GST-SG',
    (root) => has(root, 'cbc:TaxCurrencyCode') || !(refers(root, WITH_GST) || refers(root, WITHOUT_GST)),
    'Totals in SGD are stated although there is no tax currency: add cbc:TaxCurrencyCode, or take the references out.',
    REFERENCE,
  ),
  taxInclusiveTotal('BR-CO-15-GST-SG', isGstOnce),
];

const isKnownType: Test = (node, root) =>
  says(node, TYPE, '130', WITH_GST, WITHOUT_GST) || (root.tag === 'CreditNote' && says(node, TYPE, '50'));

function isMoney(value: string): boolean {
  return decimalOf(value) !== undefined && (value.split('.')[1] ?? '').length <= 2;
}

function amountIn(id: string, type: string): Rule {
  return ruleWhere(
    id,
    (node) => says(node, TYPE, type),
    (node) => texts(node, 'cbc:DocumentDescription').some(isMoney),
    `The reference ${type} states a total in SGD: write the amount, with at most two digits after the point, into cbc:DocumentDescription.`,
    'cbc:DocumentDescription',
  );
}

function inDollars(id: string, type: string): Rule {
  return ruleWhere(
    id,
    (node) => says(node, TYPE, type),
    (node) => says(node, 'cbc:ID', 'SGD'),
    `The reference ${type} states a total in SGD: write SGD into cbc:ID.`,
    'cbc:ID',
  );
}

export const REFERENCES: Context = context(REFERENCE, (node) => has(node, TYPE), [
  rule(
    'UBL-SR-43-GST-SG',
    isKnownType,
    `The type of the referenced document is not known here: write 130 (invoiced object), ${WITH_GST} or ${WITHOUT_GST} (in a credit note also 50, a project) into ${TYPE}.`,
    TYPE,
  ),
  amountIn('BR-100-GST-SG', WITH_GST),
  amountIn('BR-101-GST-SG', WITHOUT_GST),
  rule(
    'BR-102-GST-SG',
    (node, root) => isKnownType(node, root) && !has(node, 'cac:Attachment'),
    `A reference with a type code stands for a number or an amount: take cac:Attachment out, or ${TYPE} if a document is meant.`,
    'cac:Attachment',
  ),
  inDollars('BR-103-GST-SG', WITH_GST),
  inDollars('BR-104-GST-SG', WITHOUT_GST),
]);
