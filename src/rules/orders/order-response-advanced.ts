// Advanced order response (T116): what a seller says to an order, a change or a cancellation.
import { reference } from '#rules/orders/outline/parts.ts';
import { DELIVERY, orderResponse } from '#rules/orders/outline/response-groups.ts';
import { customized } from '#rules/orders/rules/header.ts';
import { responseRules } from '#rules/orders/rules/responses.ts';
import { ruleSetOf } from './transaction.ts';

const OUTLINE = orderResponse('urn:fdc:peppol.eu:poacc:bis:advanced_ordering:3', [reference('cac:OrderChangeDocumentReference')], DELIVERY);

const RULES = [customized('PEPPOL-T116-R006', 'urn:fdc:peppol.eu:poacc:trns:order_response_advanced:3'), ...responseRules('T116')];

export const ORDER_RESPONSE_ADVANCED = ruleSetOf({ name: 'order-response-advanced', number: 'T116', outline: OUTLINE, rules: RULES });
