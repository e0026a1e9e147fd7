// What kind of transaction an invoice of the Emirates is: eight flags in cbc:ProfileExecutionID, and its type code.
import type { Test } from '#rules/engine/rule.ts';
import { fact, text, texts } from '#rules/engine/select.ts';
import type { XmlElement } from '#ubl/tree.ts';

const FLAGS = ['free zone', 'deemed supply', 'margin scheme', 'summary', 'continuous', 'disclosed agent', 'e-commerce', 'export'] as const;

type Flag = (typeof FLAGS)[number];

const flagsOf = fact((root): string | undefined => /^[01]{8}$/.exec(text(root, 'cbc:ProfileExecutionID') ?? '')?.[0]);

export function isFlagged(root: XmlElement, flag: Flag): boolean {
  return flagsOf(root)?.[FLAGS.indexOf(flag)] === '1';
}

export function hasFlags(root: XmlElement): boolean {
  return flagsOf(root) !== undefined;
}

const typesOf = fact((root) => [...texts(root, 'cbc:InvoiceTypeCode'), ...texts(root, 'cbc:CreditNoteTypeCode')]);

export function flagged(flag: Flag): Test {
  return (_, root) => isFlagged(root, flag);
}

export function isOfType(root: XmlElement, ...codes: readonly string[]): boolean {
  return typesOf(root).some((code) => codes.includes(code));
}

export function ofType(...codes: readonly string[]): Test {
  return (_, root) => isOfType(root, ...codes);
}

/** Out of the scope of VAT: the invoice 480 and its credit note 81. */
export const isOutOfScope = ofType('480', '81');
export const isCreditNote = ofType('381', '81');
