// Order agreement (T110): what seller and buyer have agreed on otherwise, told by the seller.
import { CURRENCIES } from '#rules/codes/currencies.ts';
import { context } from '#rules/engine/rule.ts';
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
import { AGREEMENT_TAXES } from '#rules/orders/rules/agreement-taxes.ts';
import { AGREEMENT_TOTALS } from '#rules/orders/rules/agreement-totals.ts';
import { allowances, prices, reasons } from '#rules/orders/rules/allowances.ts';
import { amounts } from '#rules/orders/rules/amounts.ts';
import { customized } from '#rules/orders/rules/header.ts';
import { identifiedItem } from '#rules/orders/rules/items.ts';
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
  reference('cac:OrderReference! cac:OriginatorDocumentReference'),
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
      amount('cbc:TaxableAmount! cbc:TaxAmount!'),
      group('cac:TaxCategory!', ['cbc:ID! cbc:Percent cbc:TaxExemptionReason', TAX_SCHEME]),
    ]),
  ]),
  group('cac:LegalMonetaryTotal', [
    amount(
      'cbc:LineExtensionAmount! cbc:TaxExclusiveAmount! cbc:TaxInclusiveAmount! cbc:AllowanceTotalAmount cbc:ChargeTotalAmount cbc:PrepaidAmount cbc:PayableRoundingAmount cbc:PayableAmount!',
    ),
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

const AMOUNTS = ['cbc:Amount', 'cbc:TaxAmount', 'cbc:TaxableAmount', 'cbc:LineExtensionAmount', 'cbc:PriceAmount', 'cbc:BaseAmount'];

const RULES = [
  customized('PEPPOL-T110-R030', 'urn:fdc:peppol.eu:poacc:trns:order_agreement:3'),
  context('cac:Item', [identifiedItem('PEPPOL-T110-R002')]),
  amounts(AMOUNTS, 'cac:LegalMonetaryTotal', { currency: 'PEPPOL-T110-R004', digits: 'PEPPOL-T110-R013' }),
  ...AGREEMENT_TAXES,
  AGREEMENT_TOTALS,
  ...allowances('/OrderResponse/cac:AllowanceCharge', {
    base: 'PEPPOL-T110-R015',
    percentage: 'PEPPOL-T110-R016',
    share: 'PEPPOL-T110-R017',
    reason: 'PEPPOL-T110-R018',
    sign: 'PEPPOL-T110-R021',
  }),
  prices({ net: 'PEPPOL-T110-R001', gross: 'PEPPOL-T110-R022', discount: 'PEPPOL-T110-R023' }),
  ...reasons('PEPPOL-T110-CL001', 'PEPPOL-T110-CL002'),
];

export const ORDER_AGREEMENT = ruleSetOf({ name: 'order-agreement', number: 'T110', outline: OUTLINE, rules: RULES });
