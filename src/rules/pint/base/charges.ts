// Allowances and charges of PINT, on the document, on lines and in prices.
import { ALLOWANCE_CHARGE, isAllowance, isCharge } from '#rules/common/allowance-charge.ts';
import { occurs, shown } from '#rules/engine/kinds.ts';
import { type Context, context, type Rule, rule, type Test } from '#rules/engine/rule.ts';
import { has, isBelow, trimmed } from '#rules/engine/select.ts';
import { hasAny, ruleWhere } from '#rules/pint/conditions.ts';
import type { XmlElement } from '#ubl/tree.ts';

const isOnLine: Test = (node) => isBelow(node, 'cac:InvoiceLine') || isBelow(node, 'cac:CreditNoteLine');
const isNotOnLine: Test = (node, root) => !isOnLine(node, root);
const isReasoned: Test = (node) => hasAny(node, 'cbc:AllowanceChargeReason', 'cbc:AllowanceChargeReasonCode');

function amountNeeded(id: string, where: Test, what: string): Rule {
  const sentence = `${what} has no amount: add cbc:Amount.`;
  return ruleWhere(id, where, (node) => has(node, 'cbc:Amount'), sentence);
}

function reasonNeeded(id: string, where: Test, what: string): Rule {
  const sentence = `${what} does not say why: add cbc:AllowanceChargeReason or cbc:AllowanceChargeReasonCode.`;
  return ruleWhere(id, where, isReasoned, sentence);
}

function indicatorOf(node: XmlElement): string {
  return trimmed(node, 'cbc:ChargeIndicator');
}

const PRICE_LEVEL = rule(
  'ibr-083',
  (node) => indicatorOf(node) === 'false',
  'A price can be reduced, not raised: write false into cbc:ChargeIndicator, and put charges on the line.',
  'cbc:ChargeIndicator',
);

const INDICATOR = rule(
  'ibr-082',
  (node) => ['true', 'false'].includes(indicatorOf(node)),
  (node) => `'${shown(indicatorOf(node))}' says neither charge nor allowance: write true or false into cbc:ChargeIndicator.`,
  'cbc:ChargeIndicator',
);

export const CHARGES: readonly Context[] = [
  context(`cac:Price/${ALLOWANCE_CHARGE}`, [PRICE_LEVEL]),
  context(ALLOWANCE_CHARGE, isAllowance, [
    amountNeeded('ibr-031', isNotOnLine, 'The allowance'),
    reasonNeeded('ibr-033', isNotOnLine, 'The allowance'),
    amountNeeded('ibr-041', isOnLine, 'The allowance of the line'),
    reasonNeeded('ibr-042', isOnLine, 'The allowance of the line'),
    occurs('ibr-sr-30', 'cbc:AllowanceChargeReason', { max: 1 }),
  ]),
  context(ALLOWANCE_CHARGE, isCharge, [
    amountNeeded('ibr-036', isNotOnLine, 'The charge'),
    reasonNeeded('ibr-038', isNotOnLine, 'The charge'),
    amountNeeded('ibr-043', isOnLine, 'The charge of the line'),
    // Asked of every charge, although its official words speak of lines.
    reasonNeeded('ibr-044', () => true, 'The charge'),
    occurs('ibr-sr-31', 'cbc:AllowanceChargeReason', { max: 1 }),
  ]),
  context(ALLOWANCE_CHARGE, [INDICATOR]),
  context(`${ALLOWANCE_CHARGE}/cac:TaxCategory`, [occurs('ibr-sr-61', 'cbc:TaxExemptionReason', { max: 1 })]),
];
