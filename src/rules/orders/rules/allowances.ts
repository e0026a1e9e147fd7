// Allowances and charges of documents, lines and prices.
import { ALLOWANCE_REASONS, CHARGE_REASONS } from '#rules/codes/reasons.ts';
import { ALLOWANCE_CHARGE } from '#rules/common/allowance-charge.ts';
import { baseHasPercentage, percentageHasBase, shareOfBase } from '#rules/common/shares.ts';
import { coded } from '#rules/engine/kinds.ts';
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { has, text } from '#rules/engine/select.ts';
import { withoutMinusIfGiven, zeroOrMore, zeroOrMoreIfGiven } from './numbers.ts';

interface AllowanceIds {
  readonly base: string;
  readonly percentage: string;
  readonly share: string;
  readonly reason: string;
  readonly sign: string;
}

/** Allowances and charges at these places; a percentage without its amount may be asked of more of them. */
export function allowances(path: string, ids: AllowanceIds, percentagePath = path): readonly Context[] {
  return [
    percentageHasBase(ids.base, percentagePath),
    baseHasPercentage(ids.percentage, path),
    context(path, [
      shareOfBase(ids.share),
      rule(
        ids.reason,
        (node) => has(node, 'cbc:AllowanceChargeReason') || has(node, 'cbc:AllowanceChargeReasonCode'),
        'The allowance or charge has no reason: add cbc:AllowanceChargeReason or cbc:AllowanceChargeReasonCode.',
      ),
      zeroOrMore(ids.sign, 'cbc:Amount'),
    ]),
  ];
}

interface PriceIds {
  readonly net: string;
  readonly gross: string;
  readonly discount: string;
}

/** A price, the gross price it may be worked out from, and the discount are not negative. */
export function prices({ net, gross, discount }: PriceIds): Context {
  return context('cac:Price', [
    zeroOrMore(net, 'cbc:PriceAmount'),
    withoutMinusIfGiven(gross, `${ALLOWANCE_CHARGE}/cbc:BaseAmount`),
    zeroOrMoreIfGiven(discount, `${ALLOWANCE_CHARGE}/cbc:Amount`),
  ]);
}

/** Reason codes of the list that the indicator asks for. */
export function reasons(ofAllowance: string, ofCharge: string): readonly Context[] {
  const path = `${ALLOWANCE_CHARGE}/cbc:AllowanceChargeReasonCode`;
  return [
    context(path, (node) => text(node, '../cbc:ChargeIndicator') === 'false', [coded(ofAllowance, ALLOWANCE_REASONS)]),
    context(path, (node) => text(node, '../cbc:ChargeIndicator') === 'true', [coded(ofCharge, CHARGE_REASONS)]),
  ];
}
