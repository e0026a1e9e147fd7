import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../support/documents.ts';
import { type Change, changed, findingsOf, idsOf } from '../../../support/judged.ts';
import { CATALOGUE_RESPONSE, INVOICE_RESPONSE, MESSAGE_RESPONSE } from './documents.ts';

const ACCEPTED = documentOf('OrderResponse');

const line = (number: number): string => `<cac:OrderLine>
  <cac:LineItem>
    <cbc:ID>${number}</cbc:ID><cbc:LineStatusCode>3</cbc:LineStatusCode>
    <cac:Delivery><cac:PromisedDeliveryPeriod>
      <cbc:StartDate>2026-03-10</cbc:StartDate><cbc:EndDate>2026-03-12</cbc:EndDate>
    </cac:PromisedDeliveryPeriod></cac:Delivery>
    <cac:Price><cbc:PriceAmount currencyID="SEK">100</cbc:PriceAmount></cac:Price>
    <cac:Item><cbc:Name>Printing paper</cbc:Name></cac:Item>
  </cac:LineItem>
  <cac:OrderLineReference><cbc:LineID>${number}</cbc:LineID></cac:OrderLineReference>
</cac:OrderLine>`;
const withLines: Change = ['</OrderResponse>', `${line(1)}${line(2)}$&`];
const CHANGED = changed(ACCEPTED, ['>AP<', '>CA<'], withLines);

function rules(ids: string, transaction: string): string[] {
  return ids === '' ? [] : ids.split(' ').map((id) => `PEPPOL-${transaction}-${id}`);
}

describe('an order response', () => {
  it.each<[string, string, ...Change[]]>([
    ['changes in its lines', ''],
    ['the specification of something else', 'R006', ['trns:order_response:3', 'trns:order:3']],
    ['a buyer whom nobody knows', 'R001', [/<cac:PartyLegalEntity><cbc:RegistrationName>Lakeside.*<\/cac:PartyLegalEntity>/, '']],
    ['a seller without registered name', 'B02101 R002', [/<cbc:RegistrationName>Northern[^/]*\/cbc:RegistrationName>/, '']],
    ['two lines with one number', 'R003', ['<cbc:ID>2</cbc:ID>', '<cbc:ID>1</cbc:ID>']],
    ['a delivery that ends before it starts', 'R004', ['<cbc:EndDate>2026-03-12', '<cbc:EndDate>2026-03-09']],
    ['a delivery on one day', '', ['<cbc:EndDate>2026-03-12', '<cbc:EndDate>2026-03-10']],
    ['a delivery with an open end', '', ['<cbc:EndDate>2026-03-12</cbc:EndDate>', '']],
    ['a price in another currency', 'R005', ['currencyID="SEK"', 'currencyID="EUR"']],
    ['changes that no line tells', 'R007', [/<cac:OrderLine>[\s\S]*<\/cac:OrderLine>/, '']],
    ['lines after all was accepted', 'R008', ['>CA<', '>AP<']],
    ['lines after all was rejected', 'R009', ['>CA<', '>RE<']],
    ['lines after all was acknowledged', 'R010', ['>CA<', '>AB<']],
    ['an unknown code', 'B00801', ['>CA<', '>XX<']],
  ])('%s: %s', (_what, ids, ...changes) => {
    expect(idsOf(changed(CHANGED, ...changes), 'order-response', 'PEPPOL-T76')).toEqual(rules(ids, 'T76'));
  });

  it('may answer a change when it is an advanced one', () => {
    const advanced = changed(
      CHANGED,
      ['trns:order_response:3', 'trns:order_response_advanced:3'],
      ['bis:ordering:3', 'bis:advanced_ordering:3'],
      ['</cac:OrderReference>', '$&<cac:OrderChangeDocumentReference><cbc:ID>CH-1</cbc:ID></cac:OrderChangeDocumentReference>'],
    );
    expect(idsOf(advanced, 'order-response-advanced')).toEqual([]);
    expect(idsOf(advanced, 'order-response')).toEqual(rules('B00111 B00301 R006', 'T76'));
    expect(idsOf(changed(advanced, ['>CA<', '>RE<']), 'order-response-advanced')).toEqual(rules('R009', 'T116'));
  });
});

describe('an invoice response', () => {
  it.each<[string, string, ...Change[]]>([
    ['a rejection without reason', 'R001', [/<cac:Status>[\s\S]*<\/cac:Status>/, '']],
    ['an approval without reason', '', ['>RE<', '>AP<'], [/<cac:Status>[\s\S]*<\/cac:Status>/, '']],
    ['another reason without words', 'R002', ['>PRI<', '>OTH<'], [/<cbc:StatusReason>.*<\/cbc:StatusReason>/, '']],
    ['the specification of something else', 'R003', ['trns:invoice_response:3', 'trns:mlr:3']],
    ['a partial payment without words', 'R004', ['>PRI<', '>PPD<'], [/<cbc:StatusReason>.*<\/cbc:StatusReason>/, '']],
    ['an action that is a reason', 'R006', ['"OPStatusReason"', '"OPStatusAction"']],
    ['a reason that is an action', 'R007', ['>PRI<', '>PIN<']],
    ['another process', 'R008', ['bis:invoice_response:3', 'bis:mlr:3']],
    [
      'the process of billing with responses',
      '',
      ['urn:fdc:peppol.eu:poacc:bis:invoice_response:3', 'urn:peppol:bis:billing_with_response'],
    ],
  ])('%s: %s', (_what, ids, ...changes) => {
    expect(idsOf(changed(INVOICE_RESPONSE, ...changes), 'invoice-response')).toEqual(rules(ids, 'T111'));
  });

  it('only advises words for another reason', () => {
    const unexplained = changed(INVOICE_RESPONSE, ['>PRI<', '>OTH<'], [/<cbc:StatusReason>.*<\/cbc:StatusReason>/, '']);
    expect(findingsOf(unexplained, 'invoice-response').map(({ severity }) => severity)).toEqual(['warning']);
  });
});

describe('a catalogue response and a message level response', () => {
  it('state what they are', () => {
    expect(idsOf(changed(CATALOGUE_RESPONSE, ['trns:catalogue_response:3', 'trns:mlr:3']), 'catalogue-response')).toEqual(
      rules('R001', 'T58'),
    );
    expect(idsOf(changed(MESSAGE_RESPONSE, ['trns:mlr:3', 'trns:catalogue_response:3']), 'mlr')).toEqual(rules('R001', 'T71'));
  });

  it('say yes, no, or received', () => {
    expect(idsOf(changed(CATALOGUE_RESPONSE, ['>AP<', '>CA<']), 'catalogue-response')).toEqual(rules('B02601', 'T58'));
    expect(idsOf(changed(MESSAGE_RESPONSE, ['>RE<', '>CA<']), 'mlr')).toEqual(rules('B01501', 'T71'));
    expect(idsOf(changed(MESSAGE_RESPONSE, ['>BV<', '>XX<']), 'mlr')).toEqual(rules('B02801', 'T71'));
  });
});
