// The Peppol BIS of ordering, catalogues, despatch advices, and of the responses.
import type { RuleSet } from '#rules/rule.ts';

const NAMES = [
  'order',
  'order-response',
  'order-response-advanced',
  'order-change',
  'order-cancellation',
  'order-agreement',
  'catalogue',
  'punch-out',
  'despatch-advice',
  'catalogue-response',
  'invoice-response',
  'mlr',
];

export const ORDERS: readonly RuleSet[] = NAMES.map((name) => ({ name, release: '2026.5', from: '2026-05-01', patterns: [] }));
