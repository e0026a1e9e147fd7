// Our invoice in each VAT category, and with everything that EN 16931 has a place for: valid, to be broken by the tests.
import { invoice } from '../../../support/documents.ts';
import { type Change, changed, findingsOf, idsOf } from '../../../support/judged.ts';

/** The ids of what EN 16931 finds; those that begin so. */
export const ids = (document: Uint8Array, beginning = ''): string[] => idsOf(document, 'en16931', beginning);

/** The sentence of one finding. */
export function sentenceOf(document: Uint8Array, id: string): string | undefined {
  return findingsOf(document, 'en16931').find(({ rule }) => rule === id)?.message;
}

const CATEGORY = /<cbc:ID>S<\/cbc:ID>\s*<cbc:Percent>25<\/cbc:Percent>/g;
const SUBTOTAL_SCHEME = /(<cac:TaxSubtotal>[\s\S]*?)(<cac:TaxScheme>)/;
const REASON = '<cbc:TaxExemptionReason>No VAT is charged</cbc:TaxExemptionReason>';
const WITHOUT_VAT: readonly Change[] = [
  [/(<cbc:TaxAmount currencyID="SEK">)[\d.]+/g, '$10.00'],
  [/(<cbc:(?:TaxInclusive|Payable)Amount currencyID="SEK">)[\d.]+/g, '$1396.00'],
];

const atRate = (code: string, percent: string): Change => [CATEGORY, `<cbc:ID>${code}</cbc:ID><cbc:Percent>${percent}</cbc:Percent>`];
const reasoned: Change = [SUBTOTAL_SCHEME, `$1${REASON}$2`];

export const DELIVERY = `<cac:Delivery>
  <cbc:ActualDeliveryDate>2026-03-01</cbc:ActualDeliveryDate>
  <cac:DeliveryLocation><cac:Address><cac:Country><cbc:IdentificationCode>FI</cbc:IdentificationCode></cac:Country></cac:Address></cac:DeliveryLocation>
</cac:Delivery>`;
/** Credit transfer comes after the delivery. */
export const withDelivery: Change = ['<cac:PaymentMeans>', `${DELIVERY}$&`];

export const withoutVatNumbers: Change = [/<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/g, ''];
const registered: Change = [/(Paper Supplies AB<\/cbc:RegistrationName>)/, '$1<cbc:CompanyID>5560000001</cbc:CompanyID>'];

const zeroRated = (code: string): Change[] => [atRate(code, '0'), ...WITHOUT_VAT];

/** What makes our invoice, two lines of 396.00 together, one in the category. */
const TO_CATEGORY: Readonly<Record<string, readonly Change[]>> = {
  S: [],
  Z: zeroRated('Z'),
  E: [...zeroRated('E'), reasoned],
  AE: [...zeroRated('AE'), reasoned],
  K: [...zeroRated('K'), reasoned, withDelivery],
  G: [...zeroRated('G'), reasoned],
  O: [[CATEGORY, '<cbc:ID>O</cbc:ID>'], ...WITHOUT_VAT, reasoned, withoutVatNumbers, registered],
  L: [atRate('L', '25')],
  M: [atRate('M', '25')],
};

export const CATEGORY_CODES = Object.keys(TO_CATEGORY);

export function invoiceIn(code: string, ...changes: readonly Change[]): Uint8Array {
  return changed(invoice(), ...(TO_CATEGORY[code] ?? []), ...changes);
}

/** An allowance or charge of the document, in a category. */
export function adjustment(kind: 'allowance' | 'charge', code: string, percent = '0', amount = '10.00'): string {
  return `<cac:AllowanceCharge>
    <cbc:ChargeIndicator>${kind === 'charge'}</cbc:ChargeIndicator>
    <cbc:AllowanceChargeReason>Freight</cbc:AllowanceChargeReason>
    <cbc:Amount currencyID="SEK">${amount}</cbc:Amount>
    <cac:TaxCategory><cbc:ID>${code}</cbc:ID>${code === 'O' && percent === '0' ? '' : `<cbc:Percent>${percent}</cbc:Percent>`}<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory>
  </cac:AllowanceCharge>`;
}

/** In front of the totals of VAT. */
export const adjusted = (...adjustments: readonly string[]): Change => ['<cac:TaxTotal>', `${adjustments.join('')}$&`];
/** Behind the seller and the buyer. */
export const afterParties = (content: string): Change => ['</cac:AccountingCustomerParty>', `$&${content}`];
export const afterBuyerReference = (content: string): Change => ['</cbc:BuyerReference>', `$&${content}`];
export const without = (tag: string): Change => [new RegExp(`<${tag}[ >][\\s\\S]*?</${tag}>`), ''];
export const amount = (tag: string, value: string): Change => [new RegExp(`(<cbc:${tag} currencyID="SEK">)[^<]+`), `$1${value}`];
