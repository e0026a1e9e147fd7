// Order response (T76): what a seller says to an order.
import { orderResponse, PROMISED_DELIVERY } from '#rules/orders/outline/response-groups.ts';
import { ruleSetOf } from './transaction.ts';

const OUTLINE = orderResponse('urn:fdc:peppol.eu:poacc:bis:ordering:3', [], PROMISED_DELIVERY);

export const ORDER_RESPONSE = ruleSetOf({ name: 'order-response', number: 'T76', outline: OUTLINE, rules: [] });
