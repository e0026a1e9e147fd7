/** The forms of receipts, by themselves: commands name them among their options, and load no writer for it. */
export const RECEIPT_FORMS = ['json', 'text', 'csv', 'ubl'] as const;
export type ReceiptForm = (typeof RECEIPT_FORMS)[number];

/** What the names of their files end with. */
export const EXTENSIONS: Readonly<Record<ReceiptForm, string>> = { json: 'json', text: 'txt', csv: 'csv', ubl: 'xml' };
