// Where things stand in an invoice and in a credit note: the paths that several themes share.

export const DOCUMENT = '/Invoice | /CreditNote';
export const LINE = 'cac:InvoiceLine | cac:CreditNoteLine';
export const LINE_TAGS = ['cac:InvoiceLine', 'cac:CreditNoteLine'] as const;
export const SELLER = 'cac:AccountingSupplierParty/cac:Party';
export const BUYER = 'cac:AccountingCustomerParty/cac:Party';
