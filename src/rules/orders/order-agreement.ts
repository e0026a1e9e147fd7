// Order agreement (T110): what seller and buyer have agreed on otherwise, told by the seller.
import { CURRENCIES } from '#rules/codes/currencies.ts';
import { ITEM_DOCUMENT_TYPES } from '#rules/orders/codes/lists.ts';
import {
  ADDITIONAL_DOCUMENT,
  address,
  attachment,
  BUYERS_ITEM,
  CLASSIFIED_TAX,
  COMMODITY,
  CONTACT,
  certificate,
  contact,
  documentAllowance,
  IDENTIFICATION,
  NAME,
  PERIOD,
  PROPERTY_ID,
  place,
  price,
  property,
  SELLERS_ITEM,
  STANDARD_ITEM,
  TAX_CATEGORY,
  TAX_SCHEME,
} from '#rules/orders/outline/groups.ts';
import { amount, code, constant, endpoint, group, identifier, mandatory, quantity, reference } from '#rules/orders/outline/parts.ts';
import { ruleSetOf } from './transaction.ts';

const LEGAL_ENTITY = group('cac:PartyLegalEntity!', ['cbc:RegistrationName!', identifier('cbc:CompanyID')]);
const NAMED = group('cac:Party', [IDENTIFICATION, NAME]);
const PROMISED = group('cac:PromisedDeliveryPeriod', [PERIOD.replace('cbc:StartDate', 'cbc:StartDate!')]);

const ITEM = group('cac:Item!', [
  'cbc:Description cbc:Name!',
  BUYERS_ITEM,
  SELLERS_ITEM,
  STANDARD_ITEM,
  group('cac:ItemSpecificationDocumentReference', [
    'cbc:ID!',
    code('cbc:DocumentTypeCode', ITEM_DOCUMENT_TYPES),
    'cbc:DocumentType',
    attachment('cbc:URI'),
  ]),
  COMMODITY,
  group('cac:TransactionConditions', [constant('cbc:ActionCode!', 'CT')]),
  CLASSIFIED_TAX,
  property([PROPERTY_ID]),
  certificate(constant('cbc:CertificateTypeCode!', 'NA')),
]);

const OUTLINE = group('OrderResponse', [
  'cbc:CustomizationID!',
  constant('cbc:ProfileID!', 'urn:fdc:peppol.eu:poacc:bis:order_agreement:3'),
  'cbc:ID! cbc:SalesOrderID cbc:IssueDate! cbc:IssueTime cbc:Note',
  code('cbc:DocumentCurrencyCode', CURRENCIES),
  'cbc:CustomerReference',
  reference('cac:OrderReference!'),
  reference('cac:OriginatorDocumentReference'),
  ADDITIONAL_DOCUMENT,
  reference('cac:Contract'),
  group('cac:SellerSupplierParty!', [
    group('cac:Party!', [endpoint('cbc:EndpointID!'), IDENTIFICATION, address('cac:PostalAddress'), LEGAL_ENTITY, CONTACT]),
  ]),
  group('cac:BuyerCustomerParty!', [
    group('cac:Party!', [endpoint('cbc:EndpointID!'), IDENTIFICATION, address('cac:PostalAddress'), LEGAL_ENTITY]),
    contact('cac:DeliveryContact'),
  ]),
  group('cac:OriginatorCustomerParty', [NAMED]),
  group('cac:AccountingCustomerParty', [NAMED]),
  group('cac:Delivery', [PROMISED, group('cac:DeliveryParty', [IDENTIFICATION, NAME, place('cac:PostalAddress')])]),
  group('cac:DeliveryTerms', ['cbc:ID cbc:SpecialTerms', group('cac:DeliveryLocation', ['cbc:ID!', place('cac:Address')])]),
  documentAllowance('cbc:AllowanceChargeReason', mandatory(TAX_CATEGORY)),
  group('cac:TaxTotal', [
    amount('cbc:TaxAmount!'),
    group('cac:TaxSubtotal', [
      amount('cbc:TaxableAmount!'),
      amount('cbc:TaxAmount!'),
      group('cac:TaxCategory!', ['cbc:ID! cbc:Percent cbc:TaxExemptionReason', TAX_SCHEME]),
    ]),
  ]),
  group('cac:LegalMonetaryTotal', [
    amount('cbc:LineExtensionAmount!'),
    amount('cbc:TaxExclusiveAmount!'),
    amount('cbc:TaxInclusiveAmount!'),
    amount('cbc:AllowanceTotalAmount'),
    amount('cbc:ChargeTotalAmount'),
    amount('cbc:PrepaidAmount'),
    amount('cbc:PayableRoundingAmount'),
    amount('cbc:PayableAmount!'),
  ]),
  group('cac:OrderLine!', [
    group('cac:LineItem!', [
      'cbc:ID! cbc:Note',
      quantity('cbc:Quantity!'),
      amount('cbc:LineExtensionAmount'),
      group('cac:Delivery', [quantity('cbc:Quantity'), PROMISED]),
      price('cac:Price!', 'cbc:PriceType'),
      ITEM,
    ]),
  ]),
]);

export const ORDER_AGREEMENT = ruleSetOf({ name: 'order-agreement', number: 'T110', outline: OUTLINE, rules: [] });
