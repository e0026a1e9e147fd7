// Changes to our invoice that the tests of several countries make.
import type { Change } from '../../../support/judged.ts';

/** Both parties are in this country, by their addresses. */
export const bothIn = (country: string): Change => [/<cbc:IdentificationCode>SE/g, `<cbc:IdentificationCode>${country}`];
/** The buyer is in this one. */
export const buyerIn = (country: string): Change => [/(Lakeside[\s\S]*?IdentificationCode>)\s*\w\w\s*/, `$1${country}`];

export const means = (code: string): Change => ['PaymentMeansCode>30<', `PaymentMeansCode>${code}<`];
export const account = (value: string): Change => ['SE4550000000058398257466', value];

/** Legal numbers, as `scheme:number`. */
export const sellerNumber = (number: string): Change => legalNumber('Northern Paper Supplies AB', number);
export const buyerNumber = (number: string): Change => legalNumber('Lakeside Printing AB', number);

function legalNumber(name: string, number: string): Change {
  const [scheme, value] = number.split(':');
  return [`${name}</cbc:RegistrationName>`, `$&<cbc:CompanyID schemeID="${scheme}">${value}</cbc:CompanyID>`];
}

/** The number that the seller has under another tax scheme. */
export const otherTax = (company: string, scheme = 'TAX'): Change => [
  '<cac:PartyLegalEntity>',
  `<cac:PartyTaxScheme><cbc:CompanyID>${company}</cbc:CompanyID><cac:TaxScheme><cbc:ID>${scheme}</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>$&`,
];

export const beforeParties = (content: string): Change => ['<cac:AccountingSupplierParty>', `${content}$&`];
