// Realistic documents of our own for all suites: Peppol BIS Billing 3.0 invoices and the other families, with right arithmetic.
import { type FamilyName, familyNamed } from '#domain/family.ts';
import { CAC, CBC } from '#ubl/tree.ts';
import type { All, DocumentOptions } from './document-options.ts';
import { escaped, money, split } from './markup.ts';
import { ORDERING } from './ordering-documents.ts';

/** Our usual seller and buyer, with valid GLN check digits. */
export const SELLER = '0088:7300010000001';
export const BUYER = '0088:7350000000016';

/** A Peppol BIS Billing 3.0 invoice, complete and correct. */
export function invoice(options: DocumentOptions = {}): Uint8Array {
  return documentOf('Invoice', options);
}

export function creditNote(options: DocumentOptions = {}): Uint8Array {
  return documentOf('CreditNote', options);
}

/** A document of any family, complete and correct. */
export function documentOf(name: FamilyName, options: DocumentOptions = {}): Uint8Array {
  const all = {
    id: '1001',
    sender: SELLER,
    receiver: BUYER,
    issueDate: '2026-03-02',
    note: 'Thank you for your order.',
    lines: 2,
    attachmentBytes: 0,
    ...options,
  };
  const content = name === 'Invoice' || name === 'CreditNote' ? billing(name, all) : ORDERING[name](all);
  const namespaces = `xmlns="${familyNamed(name).namespace}" xmlns:cac="${CAC}" xmlns:cbc="${CBC}"`;
  return bytes(`<?xml version="1.0" encoding="UTF-8"?>\n<${name} ${namespaces}>${content}\n</${name}>\n`);
}

/** An invoice of exactly this many bytes: an attachment takes up the room, a few line ends after the root the rest. */
export function invoiceOfSize(sizeBytes: number, options: DocumentOptions = {}): Uint8Array {
  const smallest = invoice({ ...options, attachmentBytes: 3 });
  if (smallest.length > sizeBytes) throw new RangeError(`this invoice has at least ${smallest.length} bytes`);
  const attachmentBytes = 3 + Math.floor((sizeBytes - smallest.length) / 4) * 3;
  const padded = new Uint8Array(sizeBytes).fill(0x0a);
  padded.set(invoice({ ...options, attachmentBytes }));
  return padded;
}

const BILLING = 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0';
const BILLING_PROFILE = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0';
const VAT_PERCENT = 25;

function billing(name: 'Invoice' | 'CreditNote', options: All): string {
  const prices = Array.from({ length: options.lines }, (_, at) => ({ quantity: (at % 3) + 1, priceCents: 12_500 + at * 1_050 }));
  const netCents = prices.reduce((sum, { quantity, priceCents }) => sum + quantity * priceCents, 0);
  const vatCents = Math.floor((netCents * VAT_PERCENT) / 100 + 0.5);
  const invoiced = name === 'Invoice';
  return `
  <cbc:CustomizationID>${BILLING}</cbc:CustomizationID>
  <cbc:ProfileID>${BILLING_PROFILE}</cbc:ProfileID>
  <cbc:ID>${escaped(options.id)}</cbc:ID>
  <cbc:IssueDate>${options.issueDate}</cbc:IssueDate>${invoiced ? `\n  <cbc:DueDate>2027-01-31</cbc:DueDate>` : ''}
  <cbc:${name}TypeCode>${invoiced ? 380 : 381}</cbc:${name}TypeCode>
  <cbc:Note>${escaped(options.note)}</cbc:Note>
  <cbc:DocumentCurrencyCode>SEK</cbc:DocumentCurrencyCode>
  <cbc:BuyerReference>Goods-in 7</cbc:BuyerReference>
  <cac:OrderReference>
    <cbc:ID>PO-4711</cbc:ID>
  </cac:OrderReference>${options.attachmentBytes > 0 ? attachment(options.attachmentBytes) : ''}
  <cac:AccountingSupplierParty>${billingParty(options.sender, 'Northern Paper Supplies AB', 'SE730001000001')}
  </cac:AccountingSupplierParty>
  <cac:AccountingCustomerParty>${billingParty(options.receiver, 'Lakeside Printing AB', 'SE735000000001')}
  </cac:AccountingCustomerParty>${invoiced ? PAYMENT : ''}
  <cac:TaxTotal>
    <cbc:TaxAmount currencyID="SEK">${money(vatCents)}</cbc:TaxAmount>
    <cac:TaxSubtotal>
      <cbc:TaxableAmount currencyID="SEK">${money(netCents)}</cbc:TaxableAmount>
      <cbc:TaxAmount currencyID="SEK">${money(vatCents)}</cbc:TaxAmount>
      <cac:TaxCategory>${VAT_CATEGORY}
      </cac:TaxCategory>
    </cac:TaxSubtotal>
  </cac:TaxTotal>
  <cac:LegalMonetaryTotal>
    <cbc:LineExtensionAmount currencyID="SEK">${money(netCents)}</cbc:LineExtensionAmount>
    <cbc:TaxExclusiveAmount currencyID="SEK">${money(netCents)}</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount currencyID="SEK">${money(netCents + vatCents)}</cbc:TaxInclusiveAmount>
    <cbc:PayableAmount currencyID="SEK">${money(netCents + vatCents)}</cbc:PayableAmount>
  </cac:LegalMonetaryTotal>${prices.map((price, at) => billingLine(name, at + 1, price)).join('')}`;
}

function billingLine(
  name: 'Invoice' | 'CreditNote',
  number: number,
  { quantity, priceCents }: { quantity: number; priceCents: number },
): string {
  const counted = name === 'Invoice' ? 'InvoicedQuantity' : 'CreditedQuantity';
  return `
  <cac:${name}Line>
    <cbc:ID>${number}</cbc:ID>
    <cbc:${counted} unitCode="XBX">${quantity}</cbc:${counted}>
    <cbc:LineExtensionAmount currencyID="SEK">${money(quantity * priceCents)}</cbc:LineExtensionAmount>
    <cac:Item>
      <cbc:Name>Printing paper A4, 80 g, box ${number}</cbc:Name>
      <cac:ClassifiedTaxCategory>${VAT_CATEGORY}
      </cac:ClassifiedTaxCategory>
    </cac:Item>
    <cac:Price>
      <cbc:PriceAmount currencyID="SEK">${money(priceCents)}</cbc:PriceAmount>
    </cac:Price>
  </cac:${name}Line>`;
}

const VAT_CATEGORY = `
        <cbc:ID>S</cbc:ID>
        <cbc:Percent>${VAT_PERCENT}</cbc:Percent>
        <cac:TaxScheme>
          <cbc:ID>VAT</cbc:ID>
        </cac:TaxScheme>`;

const PAYMENT = `
  <cac:PaymentMeans>
    <cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>
    <cbc:PaymentID>1001</cbc:PaymentID>
    <cac:PayeeFinancialAccount>
      <cbc:ID>SE4550000000058398257466</cbc:ID>
    </cac:PayeeFinancialAccount>
  </cac:PaymentMeans>`;

function billingParty(participant: string, name: string, vat: string): string {
  const { scheme, value } = split(participant);
  return `
    <cac:Party>
      <cbc:EndpointID schemeID="${scheme}">${value}</cbc:EndpointID>
      <cac:PartyName>
        <cbc:Name>${name}</cbc:Name>
      </cac:PartyName>
      <cac:PostalAddress>
        <cbc:StreetName>Storgatan 1</cbc:StreetName>
        <cbc:CityName>Östersund</cbc:CityName>
        <cbc:PostalZone>83130</cbc:PostalZone>
        <cac:Country>
          <cbc:IdentificationCode>SE</cbc:IdentificationCode>
        </cac:Country>
      </cac:PostalAddress>
      <cac:PartyTaxScheme>
        <cbc:CompanyID>${vat}</cbc:CompanyID>
        <cac:TaxScheme>
          <cbc:ID>VAT</cbc:ID>
        </cac:TaxScheme>
      </cac:PartyTaxScheme>
      <cac:PartyLegalEntity>
        <cbc:RegistrationName>${name}</cbc:RegistrationName>
      </cac:PartyLegalEntity>
    </cac:Party>`;
}

function attachment(sizeBytes: number): string {
  return `
  <cac:AdditionalDocumentReference>
    <cbc:ID>Specification</cbc:ID>
    <cac:Attachment>
      <cbc:EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="lines.csv">${Buffer.alloc(sizeBytes, 'line;box;price\n').toString('base64')}</cbc:EmbeddedDocumentBinaryObject>
    </cac:Attachment>
  </cac:AdditionalDocumentReference>`;
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
