// Peppol BIS Billing 3 and its self-billing sibling: what they ask beyond EN 16931.
import type { RuleSet } from '#rules/rule.ts';

export const BILLING: readonly RuleSet[] = [
  { name: 'peppol-billing', release: '2026.5', from: '2026-05-01', patterns: [] },
  { name: 'peppol-selfbilling', release: '2026.5', from: '2026-05-01', patterns: [] },
];
