// Allowances and charges, on the document, on its lines and on the prices.
import { baseHasPercentage, grossLessDiscount, ON_DOCUMENT_AND_LINES, percentageHasBase, shareOfBase } from '#rules/common/shares.ts';
import { quoted } from '#rules/engine/kinds.ts';
import { type Context, context, rule } from '#rules/engine/rule.ts';
import { trimmed } from '#rules/engine/select.ts';

export const ALLOWANCE_RULES: readonly Context[] = [
  percentageHasBase('PEPPOL-EN16931-R041', ON_DOCUMENT_AND_LINES),
  baseHasPercentage('PEPPOL-EN16931-R042', ON_DOCUMENT_AND_LINES),
  context(ON_DOCUMENT_AND_LINES, [
    shareOfBase('PEPPOL-EN16931-R040'),
    rule(
      'PEPPOL-EN16931-R043',
      (node) => ['true', 'false'].includes(trimmed(node, 'cbc:ChargeIndicator')),
      (node) =>
        `${quoted(trimmed(node, 'cbc:ChargeIndicator'))} is no charge indicator: write true for a charge, false for an allowance into cbc:ChargeIndicator.`,
      'cbc:ChargeIndicator',
    ),
  ]),
];

export const PRICE_ALLOWANCE_RULES: readonly Context[] = [
  context('cac:Price/cac:AllowanceCharge', [
    rule(
      'PEPPOL-EN16931-R044',
      (node) => trimmed(node, 'cbc:ChargeIndicator') === 'false',
      'A price can have a discount but no charge: write false into cbc:ChargeIndicator, and put charges on the line.',
      'cbc:ChargeIndicator',
    ),
    grossLessDiscount('PEPPOL-EN16931-R046'),
  ]),
];
