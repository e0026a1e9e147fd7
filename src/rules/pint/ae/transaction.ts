// What kind of transaction an invoice of the Emirates is: eight flags in cbc:ProfileExecutionID, and its type code.
import { says } from '#rules/pint/conditions.ts';
import type { Test } from '#rules/rule.ts';
import { text } from '#rules/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

const FLAGS = ['free zone', 'deemed supply', 'margin scheme', 'summary', 'continuous', 'disclosed agent', 'e-commerce', 'export'] as const;

export type Flag = (typeof FLAGS)[number];

export function isFlagged(root: XmlElement, flag: Flag): boolean {
  const flags = text(root, 'cbc:ProfileExecutionID') ?? '';
  return hasFlags(root) && flags[FLAGS.indexOf(flag)] === '1';
}

export function hasFlags(root: XmlElement): boolean {
  return /^[01]{8}$/.test(text(root, 'cbc:ProfileExecutionID') ?? '');
}

export function flagged(flag: Flag): Test {
  return (_, root) => isFlagged(root, flag);
}

export function isOfType(root: XmlElement, ...codes: readonly string[]): boolean {
  return says(root, 'cbc:InvoiceTypeCode', ...codes) || says(root, 'cbc:CreditNoteTypeCode', ...codes);
}

export function ofType(...codes: readonly string[]): Test {
  return (_, root) => isOfType(root, ...codes);
}

/** Out of the scope of VAT: the invoice 480 and its credit note 81. */
export const isOutOfScope = ofType('480', '81');
export const isCreditNote = ofType('381', '81');
