// Groups of parts that an order has, and what changes or cancels it.
import { BOOLEANS } from '#rules/orders/codes/lists.ts';
import {
  ADDITIONAL_DOCUMENT,
  address,
  BUYERS_ITEM,
  CLASSIFIED_TAX,
  COMMODITY,
  CONTACT,
  country,
  destination,
  IDENTIFICATION,
  ITEM_NUMBERS,
  LINE_ALLOWANCE,
  NAME,
  PERIOD,
  PROPERTY_ID,
  price,
  property,
  SELLERS_ITEM,
  STANDARD_ITEM,
  TAX_SCHEME,
} from './groups.ts';
import type { Part } from './outline.ts';
import { amount, attribute, attributed, code, type Entry, endpoint, group, identifier, quantity, reference } from './parts.ts';

const VAT_NUMBER = group('cac:PartyTaxScheme', ['cbc:CompanyID!', TAX_SCHEME]);
const LEGAL_ENTITY = group('cac:PartyLegalEntity!', [
  'cbc:RegistrationName!',
  identifier('cbc:CompanyID'),
  group('cac:RegistrationAddress', ['cbc:CityName', country('cac:Country!')]),
]);

export const BUYER = group('cac:BuyerCustomerParty!', [
  group('cac:Party!', [endpoint('cbc:EndpointID!'), IDENTIFICATION, NAME, address('cac:PostalAddress'), VAT_NUMBER, LEGAL_ENTITY, CONTACT]),
]);

const seller = (at: Part): Part =>
  group('cac:SellerSupplierParty!', [
    group('cac:Party!', [at, IDENTIFICATION, NAME, address('cac:PostalAddress!'), LEGAL_ENTITY, CONTACT]),
  ]);
export const SELLER = seller(endpoint('cbc:EndpointID!'));

const invoicee = (at: Part): Part =>
  group('cac:AccountingCustomerParty', [
    group('cac:Party!', [at, IDENTIFICATION, NAME, address('cac:PostalAddress!'), VAT_NUMBER, LEGAL_ENTITY, CONTACT]),
  ]);
export const INVOICEE = invoicee(endpoint('cbc:EndpointID'));

/** Changes and cancellations take any scheme for the electronic addresses of these two. */
const SELLER_ANYWHERE = seller(attributed('cbc:EndpointID!', attribute('schemeID!')));
export const INVOICEE_ANYWHERE = invoicee(attributed('cbc:EndpointID', attribute('schemeID!')));

export const ORIGINATOR = group('cac:OriginatorCustomerParty', [group('cac:Party!', [IDENTIFICATION, NAME, CONTACT])]);

/** What a change and a cancellation refer to, and between whom. */
export const REFERENCES_AND_PARTIES: readonly Entry[] = [
  reference('cac:OriginatorDocumentReference'),
  ADDITIONAL_DOCUMENT,
  reference('cac:Contract'),
  BUYER,
  SELLER_ANYWHERE,
  ORIGINATOR,
];

export const DELIVERY_TERMS = group('cac:DeliveryTerms', ['cbc:ID cbc:SpecialTerms', group('cac:DeliveryLocation', ['cbc:ID!'])]);
export const PAYMENT_TERMS = group('cac:PaymentTerms', ['cbc:Note!']);

export const DELIVERY: readonly Part[] = [
  group('cac:DeliveryLocation', [identifier('cbc:ID'), 'cbc:Name', destination('cac:Address!')]),
  group('cac:RequestedDeliveryPeriod', [PERIOD]),
];

export const TAX_TOTAL = group('cac:TaxTotal', [amount('cbc:TaxAmount!')]);
export const TOTALS = group('cac:AnticipatedMonetaryTotal', [
  amount(
    'cbc:LineExtensionAmount! cbc:TaxExclusiveAmount cbc:TaxInclusiveAmount cbc:AllowanceTotalAmount cbc:ChargeTotalAmount cbc:PrepaidAmount cbc:PayableRoundingAmount cbc:PayableAmount!',
  ),
]);

/** What a line asks for, after its numbers and its status. */
export const LINE_AMOUNTS: readonly Entry[] = [
  quantity('cbc:Quantity!'),
  amount('cbc:LineExtensionAmount'),
  code('cbc:PartialDeliveryIndicator', BOOLEANS),
  'cbc:AccountingCost',
];
export const LINE_TERMS: readonly Part[] = [group('cac:OriginatorParty', [IDENTIFICATION, NAME]), LINE_ALLOWANCE, price('cac:Price')];

const item = (identifications: readonly Entry[]): Part =>
  group('cac:Item!', [
    'cbc:Description cbc:Name!',
    ...identifications,
    reference('cac:ItemSpecificationDocumentReference'),
    COMMODITY,
    CLASSIFIED_TAX,
    property([PROPERTY_ID]),
    group('cac:ItemInstance', ['cbc:SerialID', group('cac:LotIdentification', ['cbc:LotNumberID'])]),
  ]);
export const ITEM = item(ITEM_NUMBERS);
export const CHANGED_ITEM = item([BUYERS_ITEM, SELLERS_ITEM, STANDARD_ITEM]);

export const QUOTATION_LINE = group('cac:QuotationLineReference', ['cbc:LineID!']);
