// How the invoice is to be paid.
import { nonEmpty, required } from '#rules/engine/kinds.ts';
import { advice, context, type Pattern, rule } from '#rules/engine/rule.ts';
import { has, normalized, stringOf, texts, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

/** UNTDID 4461: credit transfer, and the one of SEPA. */
const CREDIT_TRANSFERS = ['30', '58'];
/** The first six and the last four digits: whoever sends more gives the card away. */
const CARD_CHARACTERS_MAX = 10;
const NO_ACCOUNT =
  'The payment is a credit transfer, but names no account: fill cac:PayeeFinancialAccount/cbc:ID with the IBAN or account number.';

export const PAYMENT: Pattern = [
  context('cac:PaymentMeans/cac:CardAccount/cbc:PrimaryAccountNumberID', [
    advice(
      'BR-51',
      (node) => normalized(stringOf(node)).length <= CARD_CHARACTERS_MAX,
      `The card number has more than ${CARD_CHARACTERS_MAX} characters: send its first 6 and last 4 digits at most.`,
    ),
  ]),
  context('cac:PaymentMeans/cac:PayeeFinancialAccount', isOfCreditTransfer, [nonEmpty('BR-50', 'cbc:ID', NO_ACCOUNT)]),
  context('cac:PaymentMeans', [
    required('BR-49', 'cbc:PaymentMeansCode', 'The payment instruction does not say how to pay: add cbc:PaymentMeansCode, for example 30.'),
    rule(
      'BR-61',
      (node) => !CREDIT_TRANSFERS.includes(trimmed(node, 'cbc:PaymentMeansCode')) || has(node, 'cac:PayeeFinancialAccount/cbc:ID'),
      NO_ACCOUNT,
    ),
  ]),
];

function isOfCreditTransfer({ parent }: XmlElement): boolean {
  return parent !== null && texts(parent, 'cbc:PaymentMeansCode').some((code) => CREDIT_TRANSFERS.includes(code));
}
