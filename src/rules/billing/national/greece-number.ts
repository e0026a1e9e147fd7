// Greece: the number of an invoice, which is six facts with | between them: tax number|date|branch|type|series|number.
import { vatNumbers } from '#rules/billing/countries.ts';
import { REPRESENTATIVE } from '#rules/billing/places.ts';
import { isGreekTin } from '#rules/common/check-digits.ts';
import { SELLER } from '#rules/en16931/places.ts';
import { quoted } from '#rules/engine/kinds.ts';
import { type Rule, rule } from '#rules/engine/rule.ts';
import { normalized, stringOf, text } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

const TYPES = ['1.1', '1.6', '2.1', '2.4', '5.1', '5.2'];
const DATE = /^(0?[1-9]|[12][0-9]|3[01])[-\\/ ]?(0?[1-9]|1[0-2])[-\\/ ]?(19|20)[0-9]{2}/;

export const GREEK_NUMBER: readonly Rule[] = [
  rule(
    'GR-R-001-1',
    (node) => partsOf(node).length === 6,
    (node) =>
      `The number of a Greek document has six parts with | between them, this one has ${partsOf(node).length}: write tax number|date|branch|type|series|number into cbc:ID.`,
  ),
  part('GR-R-001-2', 1, isTinOfSeller, "the nine digits of the seller's VAT number"),
  part('GR-R-001-3', 2, isIssueDate, 'the issue date as DD/MM/YYYY'),
  part('GR-R-001-4', 3, (value) => /^\+?[0-9]+$|^-0+$/.test(normalized(value)), 'the number of the branch, 0 for the head office'),
  part('GR-R-001-5', 4, (value) => TYPES.includes(value), `the type of the document, one of ${TYPES.join(', ')}`),
  part('GR-R-001-6', 5, (value) => value !== '', 'the series'),
  part('GR-R-001-7', 6, (value) => value !== '', 'the running number'),
];

/** A part that is not there is wrong too. */
function part(id: string, place: number, fits: (value: string, root: XmlElement) => boolean, what: string): Rule {
  return rule(
    id,
    (node, root) => {
      const value = partsOf(node)[place - 1];
      return value !== undefined && fits(value, root);
    },
    (node) => `${quoted(partsOf(node)[place - 1] ?? '')} cannot be part ${place} of the number of a Greek document: write ${what}.`,
  );
}

function partsOf(node: XmlElement): readonly string[] {
  const value = stringOf(node);
  return value === '' ? [] : value.split('|');
}

function isTinOfSeller(value: string, root: XmlElement): boolean {
  if (value.length !== 9 || !isGreekTin(value)) return false;
  return [SELLER, REPRESENTATIVE].some((party) => vatNumbers(root, party).some((number) => number.slice(2, 11) === value));
}

function isIssueDate(value: string, root: XmlElement): boolean {
  if (!DATE.test(value)) return false;
  const [day, month, year] = value.split('/');
  const issued = (text(root, 'cbc:IssueDate') ?? '').split('-');
  return issued[0] === year && issued[1] === month && issued[2] === day;
}
