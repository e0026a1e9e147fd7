// Peppol BIS Billing 3 and its self-billing sibling: what they ask beyond EN 16931.

import { NATIONAL } from '#rules/billing/national/all.ts';
import { noEmptyElements } from '#rules/common/empty-elements.ts';
import { PEPPOL_IDENTIFIERS } from '#rules/common/identifiers.ts';
import { latestRuleSet } from '#rules/common/latest.ts';
import { derived, type Pattern, type RuleSet } from '#rules/engine/rule.ts';
import { ALLOWANCE_RULES, PRICE_ALLOWANCE_RULES } from './allowances.ts';
import { CURRENCY_RULES, DIRECT_DEBIT_RULES, SELF_BILLING_CURRENCY_RULES } from './amounts.ts';
import { CODES } from './coded.ts';
import { CREDIT_NOTE_RULES, DOCUMENT_RULES } from './document.ts';
import { SELF_BILLING_EDITION } from './edition.ts';
import { LINE_RULES, PRICE_UNIT_RULES } from './lines.ts';

const GENERAL: readonly Pattern[] = [
  noEmptyElements('PEPPOL-EN16931-R008'),
  CREDIT_NOTE_RULES,
  [
    ...DOCUMENT_RULES,
    ...ALLOWANCE_RULES,
    ...DIRECT_DEBIT_RULES,
    ...CURRENCY_RULES,
    ...LINE_RULES,
    ...PRICE_ALLOWANCE_RULES,
    ...PRICE_UNIT_RULES,
    ...PEPPOL_IDENTIFIERS,
  ],
  CODES,
];

/** Other rule sets take these over by id. */
export const BILLING_PATTERNS: readonly Pattern[] = [...GENERAL, ...NATIONAL];

/** Self-billing knows no national rules. */
const SELF_BILLING_PATTERNS = derived(GENERAL, {
  drop: new Set(['PEPPOL-EN16931-R051', 'PEPPOL-EN16931-P0112']),
  replace: Object.values(SELF_BILLING_EDITION),
  add: [SELF_BILLING_CURRENCY_RULES],
});

export const BILLING: readonly RuleSet[] = [
  latestRuleSet('peppol-billing', BILLING_PATTERNS),
  latestRuleSet('peppol-selfbilling', SELF_BILLING_PATTERNS),
];
