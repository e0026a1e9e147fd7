// Where things stand in a billing document, beyond the places that EN 16931 names.

/** Paths from the document element, in an invoice and in a credit note. */
export function inDocument(path: string): string {
  return `/Invoice/${path} | /CreditNote/${path}`;
}

export const LINES = '/Invoice/cac:InvoiceLine | /CreditNote/cac:CreditNoteLine';
export const REPRESENTATIVE = 'cac:TaxRepresentativeParty';
export const LEGAL_NUMBER = 'cac:PartyLegalEntity/cbc:CompanyID';
