// Currencies of amounts, and the mandate of direct debits.
import { AMOUNTS_BUT_TAX_AMOUNT } from '#rules/common/amounts.ts';
import { documentCurrencies } from '#rules/common/currencies.ts';
import { required, shown } from '#rules/engine/kinds.ts';
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { has, trimmed } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

const IN_DOCUMENT_CURRENCY = rule(
  'PEPPOL-EN16931-R051',
  ({ attributes }, root) => documentCurrencies(root).includes(attributes.get('currencyID') ?? ''),
  ({ tag, attributes }, root) =>
    `${tag} is in ${shown(attributes.get('currencyID') ?? 'no currency')}, the document in ${documentCurrencies(root)[0] ?? 'none'}: only the VAT total in the accounting currency may be in another. Correct currencyID, or cbc:DocumentCurrencyCode.`,
);

/** The tax total without subtotals is the one in the accounting currency. */
const isSplitTotal = ({ parent }: XmlElement): boolean => parent !== null && has(parent, 'cac:TaxSubtotal');

export const CURRENCY_RULES: readonly Context[] = [
  context('cac:TaxTotal/cbc:TaxAmount', isSplitTotal, [IN_DOCUMENT_CURRENCY]),
  context(`${AMOUNTS_BUT_TAX_AMOUNT} | cac:TaxSubtotal/cbc:TaxAmount`, [IN_DOCUMENT_CURRENCY]),
];

/** In self-billing the tax of a subtotal may be in any currency. */
export const SELF_BILLING_CURRENCY_RULES: readonly Context[] = [
  context('cac:TaxTotal/cbc:TaxAmount', isSplitTotal, [IN_DOCUMENT_CURRENCY]),
  context(AMOUNTS_BUT_TAX_AMOUNT, [IN_DOCUMENT_CURRENCY]),
];

export const DIRECT_DEBIT_RULES: readonly Context[] = [
  context('cac:PaymentMeans', (node) => ['49', '59'].includes(trimmed(node, 'cbc:PaymentMeansCode')), [
    required(
      'PEPPOL-EN16931-R061',
      'cac:PaymentMandate/cbc:ID',
      'A direct debit needs the reference of its mandate: add cac:PaymentMandate/cbc:ID.',
    ),
  ]),
];
