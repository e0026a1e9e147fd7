// The rules of EN 16931, the European semantic standard for invoices and credit notes.
import type { RuleSet } from '#rules/rule.ts';

export const EN16931: RuleSet = { name: 'en16931', release: '1.3.16', from: '2026-05-01', patterns: [] };
