/** The forms of receipts, by themselves: commands name them among their options, and load no writer for it. */
export const RECEIPT_FORMS = ['json', 'text', 'csv', 'ubl'] as const;
export type ReceiptForm = (typeof RECEIPT_FORMS)[number];

/** Those in which receipts are written: of the settings, and of layouts of other providers. */
export type WrittenForm = ReceiptForm;

/** What the names of their files end with. */
export const EXTENSIONS: Readonly<Record<ReceiptForm, string>> = { json: 'json', text: 'txt', csv: 'csv', ubl: 'xml' };
