// Rules on the document as a whole: process, notes, references, tax totals, parties.
import { buyerReference } from '#rules/common/buyer-reference.ts';
import { isNotNegative, isNotPositive } from '#rules/common/signs.ts';
import { BUYER, DOCUMENT, SELLER } from '#rules/en16931/places.ts';
import { required } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule } from '#rules/engine/rule.ts';
import { all, count, has, stringOf, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { locatedIn } from './countries.ts';
import { BILLING_EDITION } from './edition.ts';

export const bothInGermany = locatedIn('DE', 'seller', 'buyer');

const TAX_TOTALS: readonly Rule[] = [
  rule(
    'PEPPOL-EN16931-R053',
    (node) => splitTotals(node) === 1,
    (node) =>
      splitTotals(node) === 0
        ? 'The VAT is not split up by category: give the cac:TaxTotal in the currency of the document its cac:TaxSubtotal.'
        : `${splitTotals(node)} of the cac:TaxTotal are split up by category, but only one may be: keep the one in the currency of the document.`,
    'cac:TaxTotal',
  ),
  rule(
    'PEPPOL-EN16931-R054',
    (node) => unsplitTotals(node) === (has(node, 'cbc:TaxCurrencyCode') ? 1 : 0),
    (node) =>
      has(node, 'cbc:TaxCurrencyCode')
        ? `The VAT is accounted in another currency, so one cac:TaxTotal without cac:TaxSubtotal must state it in that currency; there are ${unsplitTotals(node)}.`
        : 'A cac:TaxTotal has no cac:TaxSubtotal, but there is no cbc:TaxCurrencyCode that it could be for: remove that tax total, or state the currency.',
    'cac:TaxTotal',
  ),
  rule(
    'PEPPOL-EN16931-R055',
    (node) => !has(node, 'cbc:TaxCurrencyCode') || signsAgree(node),
    'The VAT in the currency of the document and the VAT in the accounting currency have different signs: correct one of the two cac:TaxTotal/cbc:TaxAmount.',
    'cac:TaxTotal/cbc:TaxAmount',
  ),
];

export const DOCUMENT_RULES: readonly Context[] = [
  context(DOCUMENT, [
    required('PEPPOL-EN16931-R001', 'cbc:ProfileID', 'The document does not name its process: add cbc:ProfileID.'),
    BILLING_EDITION.process,
    rule(
      'PEPPOL-EN16931-R002',
      (node, root) => count(node, 'cbc:Note') <= 1 || bothInGermany(node, root),
      (node) => `The document has ${count(node, 'cbc:Note')} notes, but only one is allowed: put them into one cbc:Note.`,
      'cbc:Note',
    ),
    buyerReference('PEPPOL-EN16931-R003'),
    BILLING_EDITION.specification,
    ...TAX_TOTALS,
  ]),
  context('cbc:TaxCurrencyCode', [
    rule(
      'PEPPOL-EN16931-R005',
      (node) => trimmed(node, '.') !== trimmed(node, '../cbc:DocumentCurrencyCode'),
      'The accounting currency is the currency of the document: remove cbc:TaxCurrencyCode, it is only for another currency.',
    ),
  ]),
  context(BUYER, [
    required(
      'PEPPOL-EN16931-R010',
      'cbc:EndpointID',
      'The buyer has no electronic address: add cbc:EndpointID with its schemeID, the address to which the document is sent.',
    ),
  ]),
  context(SELLER, [
    required('PEPPOL-EN16931-R020', 'cbc:EndpointID', 'The seller has no electronic address: add cbc:EndpointID with its schemeID.'),
  ]),
];

export const CREDIT_NOTE_RULES: readonly Context[] = [
  context('/CreditNote', [
    rule(
      'PEPPOL-EN16931-R080',
      (node) => projects(node) <= 1,
      (node) =>
        `The credit note refers to ${projects(node)} projects (cac:AdditionalDocumentReference of type 50), but at most one is allowed: keep that one.`,
      'cac:AdditionalDocumentReference',
    ),
  ]),
];

function projects(node: XmlElement): number {
  const references = all(node, 'cac:AdditionalDocumentReference');
  return references.filter((reference) => texts(reference, 'cbc:DocumentTypeCode').includes('50')).length;
}

function splitTotals(node: XmlElement): number {
  return all(node, 'cac:TaxTotal').filter((total) => has(total, 'cac:TaxSubtotal')).length;
}

function unsplitTotals(node: XmlElement): number {
  return count(node, 'cac:TaxTotal') - splitTotals(node);
}

/** Some tax amounts of either currency are together not above zero, or not below it. */
function signsAgree(node: XmlElement): boolean {
  const own = taxIn(node, trimmed(node, 'cbc:DocumentCurrencyCode'));
  const accounted = taxIn(node, trimmed(node, 'cbc:TaxCurrencyCode'));
  return [isNotPositive, isNotNegative].some((fits) => own.some(fits) && accounted.some(fits));
}

function taxIn(node: XmlElement, currency: string): readonly string[] {
  const amounts = all(node, 'cac:TaxTotal/cbc:TaxAmount').filter(({ attributes }) => attributes.get('currencyID') === currency);
  return amounts.map(stringOf);
}
