// The Peppol BIS of ordering, catalogues, despatch advices, and of the responses.
import type { RuleSet } from '#rules/engine/rule.ts';
import { CATALOGUE } from './catalogue.ts';
import { CATALOGUE_RESPONSE } from './catalogue-response.ts';
import { DESPATCH_ADVICE } from './despatch-advice.ts';
import { INVOICE_RESPONSE } from './invoice-response.ts';
import { MLR } from './mlr.ts';
import { ORDER } from './order.ts';
import { ORDER_AGREEMENT } from './order-agreement.ts';
import { ORDER_CANCELLATION } from './order-cancellation.ts';
import { ORDER_CHANGE } from './order-change.ts';
import { ORDER_RESPONSE } from './order-response.ts';
import { ORDER_RESPONSE_ADVANCED } from './order-response-advanced.ts';
import { PUNCH_OUT } from './punch-out.ts';

export const ORDERS: readonly RuleSet[] = [
  ORDER,
  ORDER_RESPONSE,
  ORDER_RESPONSE_ADVANCED,
  ORDER_CHANGE,
  ORDER_CANCELLATION,
  ORDER_AGREEMENT,
  CATALOGUE,
  PUNCH_OUT,
  DESPATCH_ADVICE,
  CATALOGUE_RESPONSE,
  INVOICE_RESPONSE,
  MLR,
];
