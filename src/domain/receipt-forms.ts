/** The forms of receipts, by themselves: commands name them among their options, and load no writer for it. */
export const RECEIPT_FORMS = ['json', 'text', 'csv'] as const;
export type ReceiptForm = (typeof RECEIPT_FORMS)[number];
