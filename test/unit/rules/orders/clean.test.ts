import { describe, expect, it } from 'vitest';
import { validate } from '#rules/validate.ts';
import { documentOf } from '../../../support/documents.ts';
import { AGREEMENT, CART, CATALOGUE_RESPONSE, INVOICE_RESPONSE, MESSAGE_RESPONSE } from './documents.ts';

const OURS: [profile: string, document: Uint8Array][] = [
  ['order', documentOf('Order')],
  ['order-response', documentOf('OrderResponse')],
  ['order-change', documentOf('OrderChange')],
  ['order-cancellation', documentOf('OrderCancellation')],
  ['catalogue', documentOf('Catalogue')],
  ['despatch-advice', documentOf('DespatchAdvice')],
  ['order-agreement', AGREEMENT],
  ['punch-out', CART],
  ['catalogue-response', CATALOGUE_RESPONSE],
  ['invoice-response', INVOICE_RESPONSE],
  ['mlr', MESSAGE_RESPONSE],
];

describe('our documents of the ordering family', () => {
  it.each(OURS)('%s: nothing is wrong with it, not even a warning', async (profile, document) => {
    expect(await validate(document, { day: '2026-06-01' })).toMatchObject({ valid: true, profile, findings: [] });
  });
});
