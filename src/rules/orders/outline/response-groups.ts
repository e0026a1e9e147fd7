// Groups of parts that both kinds of order response have.
import { CURRENCIES } from '#rules/codes/currencies.ts';
import { LINE_STATUSES, RESPONSES } from '#rules/orders/codes/lists.ts';
import {
  BUYERS_ITEM,
  CLASSIFIED_TAX,
  COMMODITY,
  IDENTIFICATION,
  LEGAL_NAME,
  PERIOD,
  property,
  SELLERS_ITEM,
  STANDARD_ITEM,
} from './groups.ts';
import type { Part } from './outline.ts';
import { amount, code, constant, type Entry, endpoint, group, quantity, reference } from './parts.ts';

const PARTY = group('cac:Party!', [endpoint('cbc:EndpointID!'), IDENTIFICATION, LEGAL_NAME]);
const PROMISED = group('cac:PromisedDeliveryPeriod', [PERIOD]);

export const PROMISED_DELIVERY = group('cac:Delivery', [group('cac:PromisedDeliveryPeriod!', [PERIOD])]);
export const DELIVERY = group('cac:Delivery', [PROMISED]);

const SUBSTITUTE = group('cac:SellerSubstitutedLineItem', [
  'cbc:ID!',
  group('cac:Item!', ['cbc:Name', SELLERS_ITEM, STANDARD_ITEM, COMMODITY, CLASSIFIED_TAX, property([])]),
]);

/** The response of a process; `references` stand between the order's number and the parties, `lineDelivery` in the lines. */
export const orderResponse = (profileId: string, references: readonly Entry[], lineDelivery: Part): Part =>
  group('OrderResponse', [
    'cbc:CustomizationID!',
    constant('cbc:ProfileID!', profileId),
    'cbc:ID! cbc:SalesOrderID cbc:IssueDate! cbc:IssueTime',
    code('cbc:OrderResponseCode!', RESPONSES),
    'cbc:Note',
    code('cbc:DocumentCurrencyCode!', CURRENCIES),
    'cbc:CustomerReference',
    reference('cac:OrderReference!'),
    ...references,
    group('cac:SellerSupplierParty!', [PARTY]),
    group('cac:BuyerCustomerParty!', [PARTY]),
    PROMISED_DELIVERY,
    group('cac:OrderLine', [
      group('cac:LineItem!', [
        'cbc:ID! cbc:Note',
        code('cbc:LineStatusCode!', LINE_STATUSES),
        quantity('cbc:Quantity'),
        'cbc:MaximumBackorderQuantity',
        lineDelivery,
        group('cac:Price', [amount('cbc:PriceAmount!'), quantity('cbc:BaseQuantity')]),
        group('cac:Item!', ['cbc:Name!', BUYERS_ITEM, SELLERS_ITEM, STANDARD_ITEM]),
      ]),
      SUBSTITUTE,
      group('cac:OrderLineReference!', ['cbc:LineID!']),
    ]),
  ]);
