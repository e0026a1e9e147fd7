// Order cancellation (T115): what was ordered is not wanted any more.
import { REFERENCES_AND_PARTIES } from '#rules/orders/outline/order-groups.ts';
import { constant, group, reference } from '#rules/orders/outline/parts.ts';
import { customized, ofProcess } from '#rules/orders/rules/header.ts';
import { ruleSetOf } from './transaction.ts';

const OUTLINE = group('OrderCancellation', [
  constant('cbc:CustomizationID!', 'urn:fdc:peppol.eu:poacc:trns:order_cancellation:3'),
  constant('cbc:ProfileID!', 'urn:fdc:peppol.eu:poacc:bis:advanced_ordering:3'),
  'cbc:ID! cbc:IssueDate! cbc:IssueTime cbc:Note cbc:CancellationNote!',
  reference('cac:OrderReference!'),
  ...REFERENCES_AND_PARTIES,
]);

const RULES = [
  ofProcess('PEPPOL-T115-R031', 'urn:fdc:peppol.eu:poacc:bis:advanced_ordering:3'),
  customized('PEPPOL-T115-R034', 'urn:fdc:peppol.eu:poacc:trns:order_cancellation:3'),
];

export const ORDER_CANCELLATION = ruleSetOf({ name: 'order-cancellation', number: 'T115', outline: OUTLINE, rules: RULES });
