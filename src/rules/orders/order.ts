// Order (T01): what a buyer asks a seller for.
import { CURRENCIES } from '#rules/codes/currencies.ts';
import { ORDER_TYPES, SHIPPING_PRIORITIES } from '#rules/orders/codes/lists.ts';
import { ADDITIONAL_DOCUMENT, DELIVERY_PARTY, destination, documentAllowance, PERIOD, TAX_CATEGORY } from '#rules/orders/outline/groups.ts';
import {
  BUYER,
  DELIVERY,
  DELIVERY_TERMS,
  INVOICEE,
  ITEM,
  LINE_AMOUNTS,
  LINE_TERMS,
  ORIGINATOR,
  PAYMENT_TERMS,
  QUOTATION_LINE,
  SELLER,
  TAX_TOTAL,
  TOTALS,
} from '#rules/orders/outline/order-groups.ts';
import { code, group, identifier, reference } from '#rules/orders/outline/parts.ts';
import { customized, ofProcess } from '#rules/orders/rules/header.ts';
import { orderRules } from '#rules/orders/rules/of-order.ts';
import { ruleSetOf } from './transaction.ts';

const LINE = group('cac:OrderLine!', [
  'cbc:Note',
  group('cac:LineItem!', [
    'cbc:ID!',
    ...LINE_AMOUNTS,
    group('cac:Delivery', [
      identifier('cbc:ID'),
      group('cac:DeliveryLocation', ['cbc:Name', destination('cac:Address!')]),
      group('cac:RequestedDeliveryPeriod!', [PERIOD]),
    ]),
    ...LINE_TERMS,
    ITEM,
  ]),
  QUOTATION_LINE,
]);

const OUTLINE = group('Order', [
  'cbc:CustomizationID! cbc:ProfileID! cbc:ID! cbc:SalesOrderID cbc:IssueDate! cbc:IssueTime',
  code('cbc:OrderTypeCode', ORDER_TYPES),
  'cbc:Note',
  code('cbc:DocumentCurrencyCode!', CURRENCIES),
  'cbc:CustomerReference cbc:AccountingCost',
  group('cac:ValidityPeriod', ['cbc:EndDate!']),
  reference('cac:QuotationDocumentReference cac:OrderDocumentReference cac:OriginatorDocumentReference cac:CatalogueReference'),
  ADDITIONAL_DOCUMENT,
  reference('cac:Contract cac:ProjectReference'),
  BUYER,
  SELLER,
  ORIGINATOR,
  INVOICEE,
  group('cac:Delivery', [
    ...DELIVERY,
    group('cac:DeliveryParty', DELIVERY_PARTY),
    group('cac:Despatch', ['cbc:RequestedDespatchDate! cbc:RequestedDespatchTime']),
    group('cac:Shipment', [
      'cbc:ID!',
      code('cbc:ShippingPriorityLevelCode', SHIPPING_PRIORITIES),
      group('cac:TransportHandlingUnit', ['cbc:ShippingMarks']),
    ]),
  ]),
  DELIVERY_TERMS,
  PAYMENT_TERMS,
  documentAllowance('cbc:AllowanceChargeReason!', TAX_CATEGORY),
  TAX_TOTAL,
  TOTALS,
  LINE,
]);

const RULES = [
  ofProcess(
    'PEPPOL-T01-R031',
    'urn:fdc:peppol.eu:poacc:bis:order_only:3',
    'urn:fdc:peppol.eu:poacc:bis:ordering:3',
    'urn:fdc:peppol.eu:poacc:bis:advanced_ordering:3',
  ),
  customized('PEPPOL-T01-R034', 'urn:fdc:peppol.eu:poacc:trns:order:3'),
  ...orderRules('T01', 'Order'),
];

export const ORDER = ruleSetOf({ name: 'order', number: 'T01', outline: OUTLINE, rules: RULES });
