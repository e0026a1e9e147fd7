// Our invoice and credit note as each jurisdiction of PINT wants them: valid, to be broken by the tests.
import { creditNote, invoice } from '../../../support/documents.ts';
import { type Change, changed, findingsOf } from '../../../support/judged.ts';

function specified(customization: string, process = 'billing'): Change[] {
  return [
    [/(<cbc:CustomizationID>)[^<]*/, `$1urn:peppol:pint:${customization}`],
    [/(<cbc:ProfileID>)[^<]*/, `$1urn:peppol:bis:${process}`],
  ];
}

export const typed = (code: string): Change => [/(<cbc:(?:Invoice|CreditNote)TypeCode>)\d+/, `$1${code}`];
export const categorised = (from: string, to: string): Change => [new RegExp(`<cbc:ID>${from}</cbc:ID>`, 'g'), `<cbc:ID>${to}</cbc:ID>`];
const inCurrency = (code: string): Change => [/SEK/g, code];
const GST = categorised('VAT', 'GST');
const UUID: Change = ['<cbc:IssueDate>', '<cbc:UUID>f81d4fae-7dec-11d0-a765-00a0c91e6bf6</cbc:UUID>$&'];
const PERIOD: Change = [
  '<cac:OrderReference>',
  '<cac:InvoicePeriod><cbc:StartDate>2026-02-01</cbc:StartDate><cbc:EndDate>2026-02-28</cbc:EndDate></cac:InvoicePeriod>$&',
];

const numbered = (name: string, number: string, attributes = ''): Change => [
  `${name}</cbc:RegistrationName>`,
  `$&<cbc:CompanyID${attributes}>${number}</cbc:CompanyID>`,
];
const SELLER = 'Northern Paper Supplies AB';
const BUYER = 'Lakeside Printing AB';

/** Of 396.00 nothing is taxed. */
const UNTAXED: readonly Change[] = [
  [/<cbc:ID>S<\/cbc:ID>\s*<cbc:Percent>25<\/cbc:Percent>/g, '<cbc:ID>O</cbc:ID>'],
  [/>99\.00</g, '>0.00<'],
  [/>495\.00</g, '>396.00<'],
];

const AT_FIVE_PERCENT: readonly Change[] = [
  [/<cbc:Percent>25/g, '<cbc:Percent>5'],
  [/>99\.00</g, '>19.80<'],
  [/>495\.00</g, '>415.80<'],
];

const PRICE_END = /<cbc:PriceAmount currencyID="AED">([\d.]+)<\/cbc:PriceAmount>\s*<\/cac:Price>/;

/** The price of the first line that has none of it yet: before discounts, and what the line is with tax. */
const priced = (tax: string, amount: string): Change => [
  PRICE_END,
  `<cbc:PriceAmount currencyID="AED">$1</cbc:PriceAmount><cbc:BaseQuantity unitCode="XBX">1</cbc:BaseQuantity>
  <cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:Amount currencyID="AED">0</cbc:Amount><cbc:BaseAmount currencyID="AED">$1</cbc:BaseAmount></cac:AllowanceCharge></cac:Price>
  <cac:ItemPriceExtension><cbc:Amount currencyID="AED">${amount}</cbc:Amount><cac:TaxTotal><cbc:TaxAmount currencyID="AED">${tax}</cbc:TaxAmount></cac:TaxTotal></cac:ItemPriceExtension>`,
];

const EMIRATES: readonly Change[] = [
  inCurrency('AED'),
  ...AT_FIVE_PERCENT,
  UUID,
  ['<cbc:ID>1001</cbc:ID>', '<cbc:ProfileExecutionID>00000000</cbc:ProfileExecutionID>$&'],
  [/<\/cbc:PostalZone>/g, '$&<cbc:CountrySubentity>Z</cbc:CountrySubentity>'],
  [/<cac:Item>/g, '$&<cbc:Description>Paper</cbc:Description>'],
  priced('6.25', '131.25'),
  priced('13.55', '284.55'),
];

const CREDITED: readonly Change[] = [
  ['<cac:OrderReference>', '<cac:DiscrepancyResponse><cbc:ResponseCode>DL8.61.1.A</cbc:ResponseCode></cac:DiscrepancyResponse>$&'],
  [
    '</cac:OrderReference>',
    '$&<cac:BillingReference><cac:InvoiceDocumentReference><cbc:ID>900</cbc:ID></cac:InvoiceDocumentReference></cac:BillingReference>',
  ],
];

const JAPAN: readonly Change[] = [PERIOD, ['SE730001000001', 'T1234567890123']];

const AUSTRALIA: readonly Change[] = [
  GST,
  inCurrency('AUD'),
  [/<cbc:IdentificationCode>SE/g, '<cbc:IdentificationCode>AU'],
  numbered(SELLER, '51824753556', ' schemeID="0151"'),
  numbered(BUYER, '53004085616', ' schemeID="0151"'),
];

const MALAYSIA: readonly Change[] = [
  inCurrency('MYR'),
  categorised('S', 'SA'),
  numbered(SELLER, '202001234567'),
  numbered(BUYER, '202007654321'),
  ['<cac:PartyName>', '<cac:PartyIdentification><cbc:ID>C1234567890</cbc:ID></cac:PartyIdentification>$&'],
];

const SINGAPORE: readonly Change[] = [GST, inCurrency('SGD'), categorised('S', 'SR'), UUID, numbered(SELLER, '200000001A')];

const SELF_BILLED = 'selfbilling';

/** What makes our invoice one of the jurisdiction, and our credit note where it has any. */
const EDITIONS = {
  pint: { invoice: specified('billing-1'), credit: specified('billing-1') },
  'pint-ae': {
    invoice: [...specified('billing-1@ae-1'), ...EMIRATES],
    credit: [...specified('billing-1@ae-1'), ...EMIRATES, ...CREDITED],
  },
  'pint-ae-sb': {
    invoice: [...specified('selfbilling-1@ae-1', SELF_BILLED), ...EMIRATES, typed('389')],
    credit: [...specified('selfbilling-1@ae-1', SELF_BILLED), ...EMIRATES, typed('261')],
  },
  'pint-sg': { invoice: [...specified('billing-1@sg-1'), ...SINGAPORE], credit: [...specified('billing-1@sg-1'), ...SINGAPORE] },
  'pint-aunz': { invoice: [...specified('billing-1@aunz-1'), ...AUSTRALIA], credit: [...specified('billing-1@aunz-1'), ...AUSTRALIA] },
  'pint-aunz-sb': {
    invoice: [...specified('selfbilling-1@aunz-1', SELF_BILLED), ...AUSTRALIA, typed('389')],
    credit: [...specified('selfbilling-1@aunz-1', SELF_BILLED), ...AUSTRALIA, typed('261')],
  },
  // The publisher knows no credit note of Japan; the specification does.
  'pint-jp': { invoice: [...specified('billing-1@jp-1'), ...JAPAN], credit: [...specified('billing-1@jp-1'), ...JAPAN] },
  'pint-jp-ntr': {
    invoice: [
      ...specified('nontaxinvoice-1@jp-1'),
      PERIOD,
      typed('480'),
      ...UNTAXED,
      [/<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/, ''],
      numbered(SELLER, '1234567890123'),
    ],
    credit: undefined,
  },
  'pint-jp-sb': {
    invoice: [...specified('selfbilling-1@jp-1', SELF_BILLED), ...JAPAN, typed('389')],
    credit: undefined,
  },
  'pint-my': { invoice: [...specified('billing-1@my-1'), ...MALAYSIA], credit: [...specified('billing-1@my-1'), ...MALAYSIA] },
  'pint-my-sb': {
    invoice: [...specified('selfbilling-1@my-1', SELF_BILLED), ...MALAYSIA, typed('389')],
    credit: [...specified('selfbilling-1@my-1', SELF_BILLED), ...MALAYSIA, typed('261')],
  },
  'pint-eu': { invoice: specified('billing-1@eu-1'), credit: specified('billing-1@eu-1') },
} satisfies Record<string, { invoice: readonly Change[]; credit: readonly Change[] | undefined }>;

export type Jurisdiction = keyof typeof EDITIONS;

export const JURISDICTIONS = Object.keys(EDITIONS).filter(isJurisdiction);

function isJurisdiction(name: string): name is Jurisdiction {
  return name in EDITIONS;
}

export function invoiceOf(jurisdiction: Jurisdiction, ...changes: readonly Change[]): Uint8Array {
  return changed(invoice(), ...EDITIONS[jurisdiction].invoice, ...changes);
}

/** Some profiles of Japan have none. */
export function creditNoteOf(jurisdiction: Jurisdiction, ...changes: readonly Change[]): Uint8Array | undefined {
  const { credit } = EDITIONS[jurisdiction];
  return credit && changed(creditNote(), ...credit, ...changes);
}

function setsOf(jurisdiction: Jurisdiction): string[] {
  if (jurisdiction === 'pint') return ['pint'];
  return [`${jurisdiction}/base`, ...(jurisdiction === 'pint-eu' ? ['pint-eu/en'] : []), `${jurisdiction}/jur`];
}

/** The ids of what is found, each once, in the order of the alphabet. */
export function idsIn(jurisdiction: Jurisdiction, document: Uint8Array): string[] {
  return [...new Set(findingsOf(document, ...setsOf(jurisdiction)).map(({ rule }) => rule))].sort();
}

/** What the rules find in the invoice of the jurisdiction after these changes. */
export function found(jurisdiction: Jurisdiction, ...changes: readonly Change[]): string[] {
  return idsIn(jurisdiction, invoiceOf(jurisdiction, ...changes));
}

export function sentenceOf(jurisdiction: Jurisdiction, id: string, ...changes: readonly Change[]): string | undefined {
  return findingsOf(invoiceOf(jurisdiction, ...changes), ...setsOf(jurisdiction)).find(({ rule }) => rule === id)?.message;
}
