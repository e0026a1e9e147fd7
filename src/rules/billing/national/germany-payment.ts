// Germany: payment means, direct debits and cash discounts between German parties.
import { bothInGermany } from '#rules/billing/document.ts';
import { inDocument } from '#rules/billing/places.ts';
import { isIban } from '#rules/common/check-digits.ts';
import { SELLER } from '#rules/en16931/places.ts';
import { quoted, required, shown } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule, warning } from '#rules/engine/rule.ts';
import { all, has, normalized, text, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

const MEANS = 'cac:PaymentMeans';
const TRANSFER = 'cac:PayeeFinancialAccount';
const CARD = 'cac:CardAccount';
const DEBIT = 'cac:PaymentMandate';
const DEBITED = `${DEBIT}/cac:PayerFinancialAccount/cbc:ID`;
const DISCOUNT = /^#SKONTO#TAGE=[0-9]+#PROZENT=[0-9]+\.[0-9]{2}(?:#BASISBETRAG=-?[0-9]+\.[0-9]{2})?#$/;

export const GERMAN_PAYMENT = required(
  'DE-R-001',
  MEANS,
  'Between German parties the document says how it is to be paid: add cac:PaymentMeans.',
);

export const GERMAN_TERMS = rule('DE-R-018', hasDiscountsInForm, discountSentence, 'cac:PaymentTerms/cbc:Note');

export const GERMAN_DIRECT_DEBIT: readonly Rule[] = [
  rule(
    'DE-R-030',
    (node) =>
      !has(node, `${MEANS}/${DEBIT}`) ||
      [SELLER, 'cac:PayeeParty'].some((party) => texts(node, `${party}/cac:PartyIdentification/cbc:ID/@schemeID`).includes('SEPA')),
    'A direct debit needs the identifier of the creditor: add cac:PartyIdentification/cbc:ID with schemeID SEPA to the seller or the payee.',
    `${MEANS}/${DEBIT}`,
  ),
  rule(
    'DE-R-031',
    (node) => !has(node, `${MEANS}/${DEBIT}`) || has(node, `${MEANS}/${DEBITED}`),
    'A direct debit needs the account that is debited: add cac:PayerFinancialAccount/cbc:ID to cac:PaymentMandate.',
    `${MEANS}/${DEBIT}`,
  ),
];

export const GERMAN_PAYMENT_MEANS: readonly Context[] = [
  paidBy(
    ['30', '58'],
    [
      iban('DE-R-019', '58', `${TRANSFER}/cbc:ID`),
      required('DE-R-023-1', TRANSFER, `A credit transfer needs the account that is paid to: add ${TRANSFER}.`),
      without('DE-R-023-2', 'A credit transfer', [CARD, DEBIT]),
    ],
  ),
  paidBy(
    ['48', '54', '55'],
    [
      required('DE-R-024-1', CARD, `A payment by card needs the card: add ${CARD}.`),
      without('DE-R-024-2', 'A payment by card', [TRANSFER, DEBIT]),
    ],
  ),
  paidBy(
    ['59'],
    [
      iban('DE-R-020', '59', DEBITED),
      required('DE-R-025-1', DEBIT, `A direct debit needs its mandate: add ${DEBIT}.`),
      without('DE-R-025-2', 'A direct debit', [TRANSFER, CARD]),
    ],
  ),
];

function paidBy(codes: readonly string[], rules: readonly Rule[]): Context {
  return context(
    inDocument(MEANS),
    (node, root) => bothInGermany(node, root) && codes.includes(trimmed(node, 'cbc:PaymentMeansCode')),
    rules,
  );
}

function without(id: string, what: string, paths: readonly string[]): Rule {
  return rule(
    id,
    (node) => !paths.some((path) => has(node, path)),
    (node) =>
      `${what} cannot carry ${paths.filter((path) => has(node, path)).join(' and ')}: take that out, or correct cbc:PaymentMeansCode.`,
    'cbc:PaymentMeansCode',
  );
}

function iban(id: string, code: string, path: string): Rule {
  return warning(
    rule(
      id,
      (node) => trimmed(node, 'cbc:PaymentMeansCode') !== code || isIban(text(node, path) ?? ''),
      (node) => `${quoted(trimmed(node, path))} is no IBAN: a SEPA payment (code ${code}) needs one in ${path}.`,
      path,
    ),
  );
}

/** The first note of each of the terms of payment. */
function notesOf(node: XmlElement): readonly string[] {
  return all(node, 'cac:PaymentTerms').flatMap((terms) => texts(terms, 'cbc:Note').slice(0, 1));
}

function discountLines(note: string): readonly string[] {
  return note
    .split('\n')
    .map(normalized)
    .filter((line) => line.startsWith('#'));
}

/** Every line that begins with # is a discount, and a line break follows the last one. */
function hasDiscountsInForm(node: XmlElement): boolean {
  return notesOf(node).every((note) => {
    const lines = discountLines(note);
    return lines.length === 0 || (lines.every((line) => DISCOUNT.test(line)) && /^\s*\n/.test(note.split(/#.+#/).at(-1) ?? ''));
  });
}

function discountSentence(node: XmlElement): string {
  const wrong = notesOf(node)
    .flatMap(discountLines)
    .find((line) => !DISCOUNT.test(line));
  const form = '#SKONTO#TAGE=14#PROZENT=2.00#';
  return wrong === undefined
    ? `The cash discounts are not closed: end cbc:Note with a line break after the last ${form}.`
    : `'${shown(wrong)}' is no cash discount: write it as ${form}, on a line of its own, or begin the line with another character than #.`;
}
