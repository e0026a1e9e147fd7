// Documents of the ordering family that are not of the eight families, each complete and correct.
import { CAC, CBC } from '#ubl/tree.ts';

function document(root: string, content: string): Uint8Array {
  const namespaces = `xmlns="urn:oasis:names:specification:ubl:schema:xsd:${root}-2" xmlns:cac="${CAC}" xmlns:cbc="${CBC}"`;
  return new TextEncoder().encode(`<${root} ${namespaces}>${content}</${root}>`);
}

function opening(transaction: string, process: string, more = ''): string {
  return `
  <cbc:CustomizationID>urn:fdc:peppol.eu:poacc:trns:${transaction}:3</cbc:CustomizationID>
  <cbc:ProfileID>urn:fdc:peppol.eu:poacc:bis:${process}:3</cbc:ProfileID>
  <cbc:ID>1001</cbc:ID>
  <cbc:IssueDate>2026-03-02</cbc:IssueDate>${more}`;
}

const party = (gln: string, name: string): string => `
  <cbc:EndpointID schemeID="0088">${gln}</cbc:EndpointID>
  <cac:PartyLegalEntity><cbc:RegistrationName>${name}</cbc:RegistrationName></cac:PartyLegalEntity>`;
const SELLER = party('7300010000001', 'Northern Paper Supplies AB');
const BUYER = party('7350000000016', 'Lakeside Printing AB');

const CATEGORY = '<cbc:ID>S</cbc:ID><cbc:Percent>25</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme>';
const ITEM = `<cac:Item>
  <cbc:Name>Printing paper A4</cbc:Name>
  <cac:SellersItemIdentification><cbc:ID>PAPER-1</cbc:ID></cac:SellersItemIdentification>
  <cac:ClassifiedTaxCategory>${CATEGORY}</cac:ClassifiedTaxCategory>
</cac:Item>`;

/** Two boxes at 100 less 10 %, and 25 % VAT. */
export const AGREEMENT = document(
  'OrderResponse',
  `${opening('order_agreement', 'order_agreement')}
  <cbc:DocumentCurrencyCode>SEK</cbc:DocumentCurrencyCode>
  <cac:OrderReference><cbc:ID>PO-4711</cbc:ID></cac:OrderReference>
  <cac:SellerSupplierParty><cac:Party>${SELLER}</cac:Party></cac:SellerSupplierParty>
  <cac:BuyerCustomerParty><cac:Party>${BUYER}</cac:Party></cac:BuyerCustomerParty>
  <cac:AllowanceCharge>
    <cbc:ChargeIndicator>false</cbc:ChargeIndicator>
    <cbc:AllowanceChargeReasonCode>95</cbc:AllowanceChargeReasonCode>
    <cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric>
    <cbc:Amount currencyID="SEK">20.00</cbc:Amount>
    <cbc:BaseAmount currencyID="SEK">200.00</cbc:BaseAmount>
    <cac:TaxCategory>${CATEGORY}</cac:TaxCategory>
  </cac:AllowanceCharge>
  <cac:TaxTotal>
    <cbc:TaxAmount currencyID="SEK">45.00</cbc:TaxAmount>
    <cac:TaxSubtotal>
      <cbc:TaxableAmount currencyID="SEK">180.00</cbc:TaxableAmount>
      <cbc:TaxAmount currencyID="SEK">45.00</cbc:TaxAmount>
      <cac:TaxCategory>${CATEGORY}</cac:TaxCategory>
    </cac:TaxSubtotal>
  </cac:TaxTotal>
  <cac:LegalMonetaryTotal>
    <cbc:LineExtensionAmount currencyID="SEK">200.00</cbc:LineExtensionAmount>
    <cbc:TaxExclusiveAmount currencyID="SEK">180.00</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount currencyID="SEK">225.00</cbc:TaxInclusiveAmount>
    <cbc:AllowanceTotalAmount currencyID="SEK">20.00</cbc:AllowanceTotalAmount>
    <cbc:PayableAmount currencyID="SEK">225.00</cbc:PayableAmount>
  </cac:LegalMonetaryTotal>
  <cac:OrderLine>
    <cac:LineItem>
      <cbc:ID>1</cbc:ID>
      <cbc:Quantity unitCode="XBX">2</cbc:Quantity>
      <cbc:LineExtensionAmount currencyID="SEK">200.00</cbc:LineExtensionAmount>
      <cac:Price><cbc:PriceAmount currencyID="SEK">100.00</cbc:PriceAmount></cac:Price>
      ${ITEM}
    </cac:LineItem>
  </cac:OrderLine>`,
);

export const CART = document(
  'Catalogue',
  `${opening('punch_out', 'punch_out', '<cbc:IssueTime>12:00:00</cbc:IssueTime>')}
  <cac:ValidityPeriod><cbc:EndDate>2026-03-09</cbc:EndDate></cac:ValidityPeriod>
  <cac:ProviderParty>${SELLER}</cac:ProviderParty>
  <cac:ReceiverParty>${BUYER}</cac:ReceiverParty>
  <cac:CatalogueLine>
    <cbc:ID>1</cbc:ID>
    <cac:RequiredItemLocationQuantity>
      <cac:Price>
        <cbc:PriceAmount currencyID="SEK">100.00</cbc:PriceAmount>
        <cbc:BaseQuantity unitCode="XBX">1</cbc:BaseQuantity>
      </cac:Price>
      <cac:DeliveryUnit><cbc:BatchQuantity unitCode="XBX">2</cbc:BatchQuantity></cac:DeliveryUnit>
    </cac:RequiredItemLocationQuantity>
    ${ITEM}
  </cac:CatalogueLine>`,
);

function answer(transaction: string, process: string, response: string): Uint8Array {
  return document(
    'ApplicationResponse',
    `${opening(transaction, process)}
  <cac:SenderParty>${BUYER}</cac:SenderParty>
  <cac:ReceiverParty>${SELLER}</cac:ReceiverParty>
  <cac:DocumentResponse>${response}</cac:DocumentResponse>`,
  );
}

export const CATALOGUE_RESPONSE = answer(
  'catalogue_response',
  'catalogue_only',
  `<cac:Response><cbc:ResponseCode>AP</cbc:ResponseCode></cac:Response>
  <cac:DocumentReference><cbc:ID>C-1</cbc:ID></cac:DocumentReference>`,
);

export const INVOICE_RESPONSE = answer(
  'invoice_response',
  'invoice_response',
  `<cac:Response>
    <cbc:ResponseCode>RE</cbc:ResponseCode>
    <cac:Status>
      <cbc:StatusReasonCode listID="OPStatusReason">PRI</cbc:StatusReasonCode>
      <cbc:StatusReason>The price is not the agreed one.</cbc:StatusReason>
    </cac:Status>
  </cac:Response>
  <cac:DocumentReference><cbc:ID>1001</cbc:ID><cbc:DocumentTypeCode>380</cbc:DocumentTypeCode></cac:DocumentReference>`,
);

const ADDRESSES = new TextDecoder()
  .decode(
    answer(
      'mlr',
      'mlr',
      `<cac:Response><cbc:ResponseCode>RE</cbc:ResponseCode></cac:Response>
  <cac:DocumentReference><cbc:ID>1001</cbc:ID></cac:DocumentReference>
  <cac:LineResponse>
    <cac:LineReference><cbc:LineID>/Invoice/cbc:ID</cbc:LineID></cac:LineReference>
    <cac:Response>
      <cbc:Description>The invoice has no number.</cbc:Description>
      <cac:Status><cbc:StatusReasonCode>BV</cbc:StatusReasonCode></cac:Status>
    </cac:Response>
  </cac:LineResponse>`,
    ),
  )
  .replace(/<cac:PartyLegalEntity>.*?<\/cac:PartyLegalEntity>/g, '');

/** A message level response knows of its parties only the addresses. */
export const MESSAGE_RESPONSE = new TextEncoder().encode(ADDRESSES);
