// PINT, the international invoice, and its jurisdictions.
import type { RuleSet } from '#rules/rule.ts';

export const PINT: readonly RuleSet[] = [{ name: 'pint', release: '2026.5', from: '2026-05-01', patterns: [] }];
