// Denmark: how an invoice between Danish parties is to be paid.
import { shown } from '#rules/engine/kinds.ts';
import { type Rule, rule } from '#rules/engine/rule.ts';
import { text, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

const CODES = ['1', '10', '31', '42', '48', '49', '50', '58', '59', '93', '97'];
const ACCOUNT = 'cac:PayeeFinancialAccount/cbc:ID';
const BRANCH = 'cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cbc:ID';
const MANDATE = 'cac:PaymentMandate/cbc:ID';
const PAYER = 'cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID';

export const DANISH_PAYMENT: readonly Rule[] = [
  rule(
    'DK-R-005',
    (means) => CODES.includes(codeOf(means)),
    (means) => `Payment means '${shown(codeOf(means))}' are not used between Danish parties: write one of ${CODES.join(', ')}.`,
    'cbc:PaymentMeansCode',
  ),
  paidBy(
    ['31', '42'],
    'DK-R-006',
    (means) => isFilled(means, ACCOUNT) && isFilled(means, BRANCH),
    'A bank transfer needs account and registration number: fill cac:PayeeFinancialAccount/cbc:ID and its cac:FinancialInstitutionBranch/cbc:ID.',
  ),
  paidBy(
    ['49'],
    'DK-R-007',
    (means) => isFilled(means, MANDATE) && isFilled(means, PAYER),
    "A direct debit needs the mandate and the payer's account: fill cac:PaymentMandate/cbc:ID and its cac:PayerFinancialAccount/cbc:ID.",
  ),
  paidBy(
    ['50'],
    'DK-R-008',
    (means) => ['01#', '04#', '15#'].includes(kindOf(means)) && /^[0-9]{7,8}$/.test(text(means, ACCOUNT) ?? ''),
    'A Giro payment needs a payment id that begins with 01#, 04# or 15#, and an account of 7 or 8 digits: correct cbc:PaymentID and cac:PayeeFinancialAccount/cbc:ID.',
  ),
  paidBy(
    ['50'],
    'DK-R-009',
    (means) => !['04#', '15#'].includes(kindOf(means)) || idOf(means).length === 19,
    'A Giro payment id that begins with 04# or 15# goes on with 16 digits: correct cbc:PaymentID.',
  ),
  paidBy(
    ['93'],
    'DK-R-010',
    (means) => ['71#', '73#', '75#'].includes(kindOf(means)) && text(means, ACCOUNT)?.length === 8,
    'A FIK payment needs a payment id that begins with 71#, 73# or 75#, and a creditor number of 8 characters: correct cbc:PaymentID and cac:PayeeFinancialAccount/cbc:ID.',
  ),
  paidBy(
    ['93'],
    'DK-R-011',
    (means) => !['71#', '75#'].includes(kindOf(means)) || [18, 19].includes(idOf(means).length),
    'A FIK payment id that begins with 71# or 75# goes on with 15 or 16 digits: correct cbc:PaymentID.',
  ),
];

/** A rule for these codes of payment means only. */
function paidBy(codes: readonly string[], id: string, holds: (means: XmlElement) => boolean, sentence: string): Rule {
  return rule(id, (means) => !codes.includes(codeOf(means)) || holds(means), sentence);
}

function codeOf(means: XmlElement): string {
  return text(means, 'cbc:PaymentMeansCode') ?? '';
}

function idOf(means: XmlElement): string {
  return text(means, 'cbc:PaymentID') ?? '';
}

/** The kind of card that the payment id begins with, `71#`. */
function kindOf(means: XmlElement): string {
  return idOf(means).slice(0, 3);
}

function isFilled(means: XmlElement, path: string): boolean {
  return trimmed(means, path) !== '';
}
