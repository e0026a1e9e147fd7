// Order response (T76): what a seller says to an order.
import { orderResponse, PROMISED_DELIVERY } from '#rules/orders/outline/response-groups.ts';
import { customized } from '#rules/orders/rules/header.ts';
import { responseRules } from '#rules/orders/rules/responses.ts';
import { ruleSetOf } from './transaction.ts';

const OUTLINE = orderResponse('urn:fdc:peppol.eu:poacc:bis:ordering:3', [], PROMISED_DELIVERY);

const RULES = [customized('PEPPOL-T76-R006', 'urn:fdc:peppol.eu:poacc:trns:order_response:3'), ...responseRules('T76')];

export const ORDER_RESPONSE = ruleSetOf({ name: 'order-response', number: 'T76', outline: OUTLINE, rules: RULES });
