// Documents of the ordering family, each complete and correct by its Peppol BIS.
import type { FamilyName } from '#domain/family.ts';
import type { All } from './document-options.ts';
import { escaped, money, split } from './markup.ts';

type Ordering = Exclude<FamilyName, 'Invoice' | 'CreditNote'>;

/** By their own elements, in the order of UBL. */
export const ORDERING: Readonly<Record<Ordering, (options: All) => string>> = {
  Order: (options) => `${opening('order', 'ordering', options)}
  <cbc:DocumentCurrencyCode>SEK</cbc:DocumentCurrencyCode>
  <cac:ValidityPeriod><cbc:EndDate>2027-01-31</cbc:EndDate></cac:ValidityPeriod>${parties(options.sender, options.receiver)}${totals(options)}${each(options, orderLine)}`,

  OrderResponse: (options) => `${opening('order_response', 'ordering', options, '<cbc:OrderResponseCode>AP</cbc:OrderResponseCode>')}
  <cbc:DocumentCurrencyCode>SEK</cbc:DocumentCurrencyCode>${REFERENCE}
  <cac:SellerSupplierParty><cac:Party>${nameAndAddress(options.sender, SELLER_NAME)}</cac:Party></cac:SellerSupplierParty>
  <cac:BuyerCustomerParty><cac:Party>${nameAndAddress(options.receiver, BUYER_NAME)}</cac:Party></cac:BuyerCustomerParty>`,

  OrderChange: (options) => `${opening('order_change', 'advanced_ordering', options, '<cbc:SequenceNumberID>1</cbc:SequenceNumberID>')}
  <cbc:DocumentCurrencyCode>SEK</cbc:DocumentCurrencyCode>
  <cac:ValidityPeriod><cbc:EndDate>2027-01-31</cbc:EndDate></cac:ValidityPeriod>${REFERENCE}${parties(options.sender, options.receiver)}${totals(options)}${each(options, (line) => orderLine(line, '<cbc:LineStatusCode>3</cbc:LineStatusCode>'))}`,

  OrderCancellation: (options) => `${opening('order_cancellation', 'advanced_ordering', options)}
  <cbc:CancellationNote>Ordered twice.</cbc:CancellationNote>${REFERENCE}${parties(options.sender, options.receiver)}`,

  Catalogue: (options) => `${identity('catalogue', 'catalogue_only', options)}
  <cbc:Name>${escaped(options.note)}</cbc:Name>
  <cbc:IssueDate>${options.issueDate}</cbc:IssueDate>
  <cac:ValidityPeriod><cbc:StartDate>2026-01-01</cbc:StartDate><cbc:EndDate>2027-01-31</cbc:EndDate></cac:ValidityPeriod>
  <cac:ProviderParty>${nameAndAddress(options.sender, SELLER_NAME)}</cac:ProviderParty>
  <cac:ReceiverParty>${nameAndAddress(options.receiver, BUYER_NAME)}</cac:ReceiverParty>${each(options, catalogueLine)}`,

  DespatchAdvice: (options) => `${opening('despatch_advice', 'despatch_advice', options)}${REFERENCE}
  <cac:DespatchSupplierParty><cac:Party>${nameAndAddress(options.sender, SELLER_NAME)}</cac:Party></cac:DespatchSupplierParty>
  <cac:DeliveryCustomerParty><cac:Party>${nameAndAddress(options.receiver, BUYER_NAME)}</cac:Party></cac:DeliveryCustomerParty>${each(options, despatchLine)}`,
};

const SELLER_NAME = 'Northern Paper Supplies AB';
const BUYER_NAME = 'Lakeside Printing AB';
const REFERENCE = `
  <cac:OrderReference><cbc:ID>PO-4711</cbc:ID></cac:OrderReference>`;

function identity(transaction: string, process: string, { id }: All): string {
  return `
  <cbc:CustomizationID>urn:fdc:peppol.eu:poacc:trns:${transaction}:3</cbc:CustomizationID>
  <cbc:ProfileID>urn:fdc:peppol.eu:poacc:bis:${process}:3</cbc:ProfileID>
  <cbc:ID>${escaped(id)}</cbc:ID>`;
}

function opening(transaction: string, process: string, options: All, afterDate = ''): string {
  return `${identity(transaction, process, options)}
  <cbc:IssueDate>${options.issueDate}</cbc:IssueDate>${afterDate}
  <cbc:Note>${escaped(options.note)}</cbc:Note>`;
}

/** Of what a buyer sends to a seller. */
function parties(buyer: string, seller: string): string {
  return `
  <cac:BuyerCustomerParty><cac:Party>${nameAndAddress(buyer, BUYER_NAME)}</cac:Party></cac:BuyerCustomerParty>
  <cac:SellerSupplierParty><cac:Party>${nameAndAddress(seller, SELLER_NAME, POSTAL_ADDRESS)}</cac:Party></cac:SellerSupplierParty>`;
}

const POSTAL_ADDRESS = `
    <cac:PostalAddress><cac:Country><cbc:IdentificationCode>SE</cbc:IdentificationCode></cac:Country></cac:PostalAddress>`;

function nameAndAddress(participant: string, name: string, postalAddress = ''): string {
  const { scheme, value } = split(participant);
  return `
    <cbc:EndpointID schemeID="${scheme}">${value}</cbc:EndpointID>${postalAddress}
    <cac:PartyLegalEntity><cbc:RegistrationName>${name}</cbc:RegistrationName></cac:PartyLegalEntity>
  `;
}

interface Line {
  readonly number: number;
  readonly quantity: number;
  readonly priceCents: number;
}

function linesOf({ lines }: All): Line[] {
  return Array.from({ length: lines }, (_, at) => ({ number: at + 1, quantity: (at % 3) + 1, priceCents: 12_500 + at * 1_050 }));
}

function each(options: All, write: (line: Line) => string): string {
  return linesOf(options)
    .map((line) => `\n  ${write(line)}`)
    .join('');
}

function totals(options: All): string {
  const net = money(linesOf(options).reduce((sum, { quantity, priceCents }) => sum + quantity * priceCents, 0));
  return `
  <cac:AnticipatedMonetaryTotal>
    <cbc:LineExtensionAmount currencyID="SEK">${net}</cbc:LineExtensionAmount>
    <cbc:PayableAmount currencyID="SEK">${net}</cbc:PayableAmount>
  </cac:AnticipatedMonetaryTotal>`;
}

function orderLine({ number, quantity, priceCents }: Line, status = ''): string {
  return `<cac:OrderLine>
    <cac:LineItem>
      <cbc:ID>${number}</cbc:ID>${status}
      <cbc:Quantity unitCode="XBX">${quantity}</cbc:Quantity>
      <cbc:LineExtensionAmount currencyID="SEK">${money(quantity * priceCents)}</cbc:LineExtensionAmount>
      <cac:Price><cbc:PriceAmount currencyID="SEK">${money(priceCents)}</cbc:PriceAmount></cac:Price>
      ${item(number)}
    </cac:LineItem>
  </cac:OrderLine>`;
}

function catalogueLine({ number, priceCents }: Line): string {
  return `<cac:CatalogueLine>
    <cbc:ID>${number}</cbc:ID>
    <cbc:OrderableUnit>XBX</cbc:OrderableUnit>
    <cac:RequiredItemLocationQuantity>
      <cac:Price><cbc:PriceAmount currencyID="SEK">${money(priceCents)}</cbc:PriceAmount></cac:Price>
    </cac:RequiredItemLocationQuantity>
    ${item(number)}
  </cac:CatalogueLine>`;
}

function despatchLine({ number, quantity }: Line): string {
  return `<cac:DespatchLine>
    <cbc:ID>${number}</cbc:ID>
    <cbc:DeliveredQuantity unitCode="XBX">${quantity}</cbc:DeliveredQuantity>
    <cac:OrderLineReference><cbc:LineID>${number}</cbc:LineID></cac:OrderLineReference>
    ${item(number)}
  </cac:DespatchLine>`;
}

function item(number: number): string {
  return `<cac:Item>
        <cbc:Name>Printing paper A4, 80 g, box ${number}</cbc:Name>
        <cac:SellersItemIdentification><cbc:ID>PAPER-${number}</cbc:ID></cac:SellersItemIdentification>
      </cac:Item>`;
}
