import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../support/documents.ts';
import { type Change, changed, findingsOf, idsOf } from '../../../support/judged.ts';

const CHANGE = documentOf('OrderChange');
const CANCELLATION = documentOf('OrderCancellation');
const ADVICE = documentOf('DespatchAdvice', { lines: 1 });

function rules(ids: string, transaction: string): string[] {
  return ids === '' ? [] : ids.split(' ').map((id) => `PEPPOL-${transaction}-${id}`);
}

describe('an order change', () => {
  it('has the rules of an order under its own numbers', () => {
    const wrong = changed(
      CHANGE,
      ['bis:advanced_ordering:3', 'bis:ordering:3'],
      ['<cbc:PayableAmount currencyID="SEK">', '<cbc:PayableAmount currencyID="EUR">'],
      [/<cbc:ID>2<\/cbc:ID>/, '<cbc:ID>1</cbc:ID>'],
    );
    expect(idsOf(wrong, 'order-change')).toEqual(rules('B00301 R001 R003 R031', 'T114'));
  });

  it('only warns when its lines do not make up the total, because it may tell changed ones only', () => {
    const partial = changed(CHANGE, ['>396.00</cbc:LineExtensionAmount>', '>500.00</cbc:LineExtensionAmount>']);
    expect(findingsOf(partial, 'order-change').map(({ rule, severity }) => [rule, severity])).toEqual([['PEPPOL-T114-R008', 'warning']]);
  });

  it('says of each line what becomes of it', () => {
    expect(idsOf(changed(CHANGE, [/<cbc:LineStatusCode>3/, '<cbc:LineStatusCode>42']), 'order-change')).toEqual(rules('B23301', 'T114'));
  });

  it('takes any scheme for the address of the seller', () => {
    const elsewhere: Change = ['schemeID="0088">7300010000001', 'schemeID="XXXX">7300010000001'];
    const fromBuyer: Change = ['schemeID="0088">7350000000016', 'schemeID="XXXX">7350000000016'];
    const order = documentOf('OrderChange', { sender: '0088:7350000000016', receiver: '0088:7300010000001' });
    expect(idsOf(changed(order, elsewhere), 'order-change')).toEqual([]);
    expect(idsOf(changed(order, fromBuyer), 'order-change')).toEqual(rules('B03402', 'T114'));
  });
});

describe('an order cancellation', () => {
  it.each<[string, string, ...Change[]]>([
    ['another process', 'B00301 R031', ['bis:advanced_ordering:3', 'bis:ordering:3']],
    ['the specification of something else', 'B00201 R034', ['trns:order_cancellation:3', 'trns:order_change:3']],
    ['a minor version of the specification', 'B00201', ['trns:order_cancellation:3', 'trns:order_cancellation:3:1']],
    ['no reason', 'B00105', [/<cbc:CancellationNote>.*<\/cbc:CancellationNote>/, '']],
    ['no order', 'B00106', [/<cac:OrderReference>.*<\/cac:OrderReference>/, '']],
  ])('%s: %s', (_what, ids, ...changes) => {
    expect(idsOf(changed(CANCELLATION, ...changes), 'order-cancellation')).toEqual(rules(ids, 'T115'));
  });
});

describe('a despatch advice', () => {
  const withParty = (role: string): Change => [
    '<cac:DespatchLine>',
    `<cac:${role}><cac:Party><cac:PostalAddress><cac:Country><cbc:IdentificationCode>SE</cbc:IdentificationCode></cac:Country></cac:PostalAddress></cac:Party></cac:${role}>$&`,
  ];

  it.each<[string, string, ...Change[]]>([
    ['the specification of something else', 'R011', ['trns:despatch_advice:3', 'trns:order:3']],
    ['a buyer whom nobody knows', 'R008', withParty('BuyerCustomerParty')],
    ['a seller whom nobody knows', 'R009', withParty('SellerSupplierParty')],
    ['an originator whom nobody knows', 'R010', withParty('OriginatorCustomerParty')],
    ['an item that nobody knows', 'R003', [/<cac:SellersItemIdentification>.*<\/cac:SellersItemIdentification>/, '']],
    ['an item without name', 'B19601 R004', [/<cbc:Name>.*<\/cbc:Name>/, '']],
    ['no quantity', 'B18002 R005 R006', [/<cbc:DeliveredQuantity.*/, '']],
    ['a quantity below zero', 'R006', ['unitCode="XBX">1', 'unitCode="XBX">-1']],
    [
      'something outstanding without reason',
      'R007',
      ['</cbc:DeliveredQuantity>', '$&<cbc:OutstandingQuantity unitCode="XBX">1</cbc:OutstandingQuantity>'],
    ],
  ])('%s: %s', (_what, ids, ...changes) => {
    expect(idsOf(changed(ADVICE, ...changes), 'despatch-advice')).toEqual(rules(ids, 'T16'));
  });
});
