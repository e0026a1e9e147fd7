// Order change (T114): what a buyer wants otherwise than ordered.
import { CURRENCIES } from '#rules/codes/currencies.ts';
import { LINE_CHANGES } from '#rules/orders/codes/lists.ts';
import { DELIVERY_PARTY, documentAllowance, PERIOD, TAX_CATEGORY } from '#rules/orders/outline/groups.ts';
import {
  CHANGED_ITEM,
  DELIVERY,
  DELIVERY_TERMS,
  INVOICEE_ANYWHERE,
  LINE_AMOUNTS,
  LINE_TERMS,
  PAYMENT_TERMS,
  QUOTATION_LINE,
  REFERENCES_AND_PARTIES,
  TAX_TOTAL,
  TOTALS,
} from '#rules/orders/outline/order-groups.ts';
import { code, constant, group, identifier, reference } from '#rules/orders/outline/parts.ts';
import { customized, ofProcess } from '#rules/orders/rules/header.ts';
import { orderRules } from '#rules/orders/rules/of-order.ts';
import { ruleSetOf } from './transaction.ts';

const LINE = group('cac:OrderLine!', [
  'cbc:Note',
  group('cac:LineItem!', [
    'cbc:ID!',
    code('cbc:LineStatusCode!', LINE_CHANGES),
    ...LINE_AMOUNTS,
    group('cac:Delivery', [identifier('cbc:ID'), group('cac:RequestedDeliveryPeriod', [PERIOD])]),
    ...LINE_TERMS,
    CHANGED_ITEM,
  ]),
  QUOTATION_LINE,
]);

const OUTLINE = group('OrderChange', [
  constant('cbc:CustomizationID!', 'urn:fdc:peppol.eu:poacc:trns:order_change:3'),
  constant('cbc:ProfileID!', 'urn:fdc:peppol.eu:poacc:bis:advanced_ordering:3'),
  'cbc:ID! cbc:SalesOrderID cbc:IssueDate! cbc:IssueTime cbc:SequenceNumberID cbc:Note',
  code('cbc:DocumentCurrencyCode!', CURRENCIES),
  'cbc:CustomerReference cbc:AccountingCost',
  group('cac:ValidityPeriod', ['cbc:EndDate!']),
  reference('cac:OrderReference! cac:QuotationDocumentReference'),
  ...REFERENCES_AND_PARTIES,
  INVOICEE_ANYWHERE,
  group('cac:Delivery', [
    ...DELIVERY,
    group('cac:DeliveryParty', DELIVERY_PARTY),
    group('cac:Shipment', ['cbc:ID!', group('cac:TransportHandlingUnit', ['cbc:ShippingMarks'])]),
  ]),
  DELIVERY_TERMS,
  PAYMENT_TERMS,
  documentAllowance('cbc:AllowanceChargeReason!', TAX_CATEGORY),
  TAX_TOTAL,
  TOTALS,
  LINE,
]);

const RULES = [
  ofProcess('PEPPOL-T114-R031', 'urn:fdc:peppol.eu:poacc:bis:advanced_ordering:3'),
  customized('PEPPOL-T114-R034', 'urn:fdc:peppol.eu:poacc:trns:order_change:3'),
  ...orderRules('T114', 'OrderChange'),
];

export const ORDER_CHANGE = ruleSetOf({ name: 'order-change', number: 'T114', outline: OUTLINE, rules: RULES });
