// The head of an invoice: what it is, its dates and period, its notes and references.

import { instantOf } from '#rules/common/dates.ts';
import { nearest } from '#rules/engine/codes.ts';
import { nonEmpty, required, shown } from '#rules/engine/kinds.ts';
import { context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { everywhere, has, stringOf, text, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';
import { NOTE_SUBJECTS } from './codes.ts';
import { DOCUMENT } from './places.ts';

/** Sought as text, as the official rule does. */
const SUBJECTS = ` ${[...NOTE_SUBJECTS.values].join(' ')} `;

export const HEADER: Pattern = [
  context(DOCUMENT, [
    nonEmpty('BR-01', 'cbc:CustomizationID', 'The document does not say which rules it follows: fill cbc:CustomizationID.'),
    nonEmpty('BR-02', 'cbc:ID', 'The document has no number: fill cbc:ID.'),
    nonEmpty('BR-03', 'cbc:IssueDate', 'The document has no issue date: fill cbc:IssueDate, as YYYY-MM-DD.'),
    rule(
      'BR-04',
      (node) => trimmed(node, 'cbc:InvoiceTypeCode') !== '' || trimmed(node, 'cbc:CreditNoteTypeCode') !== '',
      ({ tag }) => `The document has no type: fill cbc:${tag}TypeCode, for example with ${tag === 'CreditNote' ? '381' : '380'}.`,
    ),
    nonEmpty('BR-05', 'cbc:DocumentCurrencyCode', 'The document does not say in which currency it is: fill cbc:DocumentCurrencyCode.'),
    rule(
      'BR-16',
      (node) => has(node, 'cac:InvoiceLine') || has(node, 'cac:CreditNoteLine'),
      ({ tag }) => `The document has no line: add at least one cac:${tag}Line.`,
    ),
    rule('BR-53', statesVatInEachCurrency, vatCurrencySentence, 'cbc:TaxCurrencyCode'),
    rule(
      'BR-CO-03',
      (node) => !has(node, 'cbc:TaxPointDate') || !has(node, 'cac:InvoicePeriod/cbc:DescriptionCode'),
      'When VAT becomes due is said twice, by a date and by a code: take out cbc:TaxPointDate or cac:InvoicePeriod/cbc:DescriptionCode.',
      'cbc:TaxPointDate',
    ),
  ]),
  context('/Invoice/cbc:Note | /CreditNote/cbc:Note', [rule('BR-CL-08', hasKnownSubject, subjectSentence)]),
  context('cac:InvoiceLine/cac:InvoicePeriod | cac:CreditNoteLine/cac:InvoicePeriod', [
    inOrder('BR-30'),
    rule(
      'BR-CO-20',
      (node) => has(node, 'cbc:StartDate') || has(node, 'cbc:EndDate'),
      'The period of the line has neither a start nor an end: add cbc:StartDate, cbc:EndDate or both, or take the period out.',
    ),
  ]),
  context('cac:InvoicePeriod', [
    inOrder('BR-29'),
    rule(
      'BR-CO-19',
      (node) => has(node, 'cbc:StartDate') || has(node, 'cbc:EndDate') || has(node, 'cbc:DescriptionCode'),
      'The period of the document has no start, no end and no code of a VAT point: add cbc:StartDate, cbc:EndDate or cbc:DescriptionCode, or take the period out.',
    ),
  ]),
  context('cac:AdditionalDocumentReference', [
    nonEmpty('BR-52', 'cbc:ID', 'The reference to a supporting document has no number: fill cac:AdditionalDocumentReference/cbc:ID.'),
  ]),
  context('cac:BillingReference', [
    required(
      'BR-55',
      'cac:InvoiceDocumentReference/cbc:ID',
      'The reference to a preceding invoice has no number: fill cac:InvoiceDocumentReference/cbc:ID.',
    ),
  ]),
];

function inOrder(id: string): Rule {
  const holds = (node: XmlElement): boolean => {
    const start = instantOf(text(node, 'cbc:StartDate') ?? '');
    const end = instantOf(text(node, 'cbc:EndDate') ?? '');
    // Whether a date is a date at all, the structure says.
    return start === undefined || end === undefined || end >= start;
  };
  const sentence = (node: XmlElement): string =>
    `The period ends on ${trimmed(node, 'cbc:EndDate')}, before it starts on ${trimmed(node, 'cbc:StartDate')}: exchange or correct the dates.`;
  return rule(id, holds, sentence, 'cbc:EndDate');
}

function currencyWithoutVat(node: XmlElement, root: XmlElement): string | undefined {
  const stated = new Set(everywhere(root, 'cac:TaxTotal').flatMap((total) => texts(total, 'cbc:TaxAmount/@currencyID')));
  return texts(node, 'cbc:TaxCurrencyCode').find((currency) => !stated.has(currency));
}

function statesVatInEachCurrency(node: XmlElement, root: XmlElement): boolean {
  return !has(node, 'cbc:TaxCurrencyCode') || currencyWithoutVat(node, root) === undefined;
}

function vatCurrencySentence(node: XmlElement, root: XmlElement): string {
  const currency = shown(currencyWithoutVat(node, root) ?? '');
  return `VAT is accounted for in ${currency}, but no total of VAT is in that currency: add a cac:TaxTotal with cbc:TaxAmount currencyID="${currency}".`;
}

/** `#AAI#Text`: three characters between the first two marks are a subject; anything else is just text. */
function subjectOf(node: XmlElement): string | undefined {
  const [, subject, rest] = stringOf(node).split('#', 3);
  return rest !== undefined && subject?.length === 3 ? subject : undefined;
}

function hasKnownSubject(node: XmlElement): boolean {
  const subject = subjectOf(node);
  return subject === undefined || SUBJECTS.includes(subject);
}

function subjectSentence(node: XmlElement): string {
  const subject = subjectOf(node) ?? '';
  const [like] = nearest(NOTE_SUBJECTS.values, subject);
  return `The note begins with #${subject}#, but ${subject} is no ${NOTE_SUBJECTS.name}: correct it${like ? `, perhaps to ${like}` : ''}, or take the marks out.`;
}
