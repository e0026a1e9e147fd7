// Allowances and charges, of the document and of a line.
import { isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { isVat } from '#rules/common/tax-scheme.ts';
import { informational, maxDecimals, required } from '#rules/engine/kinds.ts';
import { type Context, context, type Pattern, type Rule, rule } from '#rules/engine/rule.ts';
import { all, has } from '#rules/engine/select.ts';

const ON_DOCUMENT = '/Invoice/cac:AllowanceCharge | /CreditNote/cac:AllowanceCharge';
const ON_LINE = 'cac:InvoiceLine/cac:AllowanceCharge | cac:CreditNoteLine/cac:AllowanceCharge';

/** The ids by which the same is asked of each kind. */
interface Ids {
  readonly amount: string;
  readonly amountDecimals: string;
  readonly baseDecimals: string;
  readonly reason: readonly string[];
  readonly sameReason: string;
  /** Those of lines are in the VAT category of their line. */
  readonly category?: string;
}

export const ALLOWANCES: Pattern = [
  ofKind('allowance of the document', ON_DOCUMENT, isAllowance, {
    amount: 'BR-31',
    amountDecimals: 'BR-DEC-01',
    baseDecimals: 'BR-DEC-02',
    reason: ['BR-33', 'BR-CO-21'],
    sameReason: 'BR-CO-05',
    category: 'BR-32',
  }),
  ofKind('charge of the document', ON_DOCUMENT, isCharge, {
    amount: 'BR-36',
    amountDecimals: 'BR-DEC-05',
    baseDecimals: 'BR-DEC-06',
    reason: ['BR-38', 'BR-CO-22'],
    sameReason: 'BR-CO-06',
    category: 'BR-37',
  }),
  ofKind('allowance of the line', ON_LINE, isAllowance, {
    amount: 'BR-41',
    amountDecimals: 'BR-DEC-24',
    baseDecimals: 'BR-DEC-25',
    reason: ['BR-42', 'BR-CO-23'],
    sameReason: 'BR-CO-07',
  }),
  ofKind('charge of the line', ON_LINE, isCharge, {
    amount: 'BR-43',
    amountDecimals: 'BR-DEC-27',
    baseDecimals: 'BR-DEC-28',
    reason: ['BR-44', 'BR-CO-24'],
    sameReason: 'BR-CO-08',
  }),
];

function ofKind(what: string, path: string, when: typeof isAllowance, ids: Ids): Context {
  return context(path, when, [
    required(ids.amount, 'cbc:Amount', `The ${what} has no amount: add cbc:Amount.`),
    maxDecimals(ids.amountDecimals, 'cbc:Amount'),
    maxDecimals(ids.baseDecimals, 'cbc:BaseAmount'),
    ...ids.reason.map((id) => reasoned(id, what)),
    informational(ids.sameReason),
    ...(ids.category === undefined ? [] : [categorised(ids.category, what)]),
  ]);
}

function reasoned(id: string, what: string): Rule {
  return rule(
    id,
    (node) => has(node, 'cbc:AllowanceChargeReason') || has(node, 'cbc:AllowanceChargeReasonCode'),
    `The ${what} has no reason: add cbc:AllowanceChargeReason or cbc:AllowanceChargeReasonCode.`,
  );
}

function categorised(id: string, what: string): Rule {
  return rule(
    id,
    (node) => all(node, 'cac:TaxCategory').some((category) => has(category, 'cbc:ID') && isVat(category)),
    `The ${what} has no VAT category: add cac:TaxCategory with cbc:ID and the tax scheme VAT.`,
    'cac:TaxCategory',
  );
}
