// The elements of invoices that are amounts, as context paths.

const BESIDE_TAX = [
  'cbc:Amount',
  'cbc:BaseAmount',
  'cbc:PriceAmount',
  'cbc:LineExtensionAmount',
  'cbc:TaxExclusiveAmount',
  'cbc:TaxInclusiveAmount',
  'cbc:AllowanceTotalAmount',
  'cbc:ChargeTotalAmount',
  'cbc:PrepaidAmount',
  'cbc:PayableRoundingAmount',
  'cbc:PayableAmount',
];

export const AMOUNTS_BESIDE_TAX = BESIDE_TAX.join(' | ');
export const AMOUNTS_BUT_TAX_AMOUNT = `${AMOUNTS_BESIDE_TAX} | cbc:TaxableAmount`;
export const ALL_AMOUNTS = `${AMOUNTS_BUT_TAX_AMOUNT} | cbc:TaxAmount`;
