import { describe, expect, it } from 'vitest';
import { creditNote, invoice } from '../../../support/documents.ts';
import { type Change, changed, idsOf } from '../../../support/judged.ts';
import { beforeParties, bothIn, buyerIn, buyerNumber, means, otherTax, sellerNumber } from './changes.ts';

describe('Italy', () => {
  const ITALIAN: Change = ['SE730001000001', 'IT00743110157'];
  const ids = (...changes: Change[]): string[] => idsOf(changed(invoice(), ...changes), 'peppol-billing', 'IT-');
  const taxNumber = (value: string): Change => otherTax(value, 'FC');

  it.each<[string[], ...Change[]]>([
    [[], ITALIAN, taxNumber('RSSMRA85T10A562S')],
    [['IT-R-001'], ITALIAN, taxNumber('rssmra85t10a562s')],
    [['IT-R-002'], ITALIAN, [/<cbc:StreetName>.*<\/cbc:StreetName>/, '']],
    [['IT-R-003'], ITALIAN, [/<cbc:CityName>.*<\/cbc:CityName>/, '']],
    [['IT-R-004'], ITALIAN, [/<cbc:PostalZone>.*<\/cbc:PostalZone>/, '']],
    [[], [/<cbc:PostalZone>.*<\/cbc:PostalZone>/, '']],
  ])('finds %j', (expected, ...changes) => {
    expect(ids(...changes)).toEqual(expected);
  });
});

describe('the Netherlands', () => {
  const ids = (document: Uint8Array, ...changes: Change[]): string[] =>
    idsOf(changed(document, bothIn('nl'), ...changes), 'peppol-billing', 'NL-');
  const street: Change = [/<cbc:StreetName>.*<\/cbc:StreetName>/, ''];
  const buyersStreet: Change = [/(Lakeside[\s\S]*?)<cbc:StreetName>.*<\/cbc:StreetName>/, '$1'];
  const noPayment: Change = [/<cac:PaymentMeans>[\s\S]*<\/cac:PaymentMeans>/, ''];
  const orderLine: Change = ['<cac:Item>', '<cac:OrderLineReference><cbc:LineID>1</cbc:LineID></cac:OrderLineReference><cac:Item>'];
  const representative: Change = [
    '<cac:PaymentMeans>',
    '<cac:TaxRepresentativeParty><cac:PostalAddress><cac:Country><cbc:IdentificationCode>NL</cbc:IdentificationCode></cac:Country></cac:PostalAddress></cac:TaxRepresentativeParty>$&',
  ];

  it.each<[string[], ...Change[]]>([
    [[], sellerNumber('0106:12345678'), orderLine],
    [['NL-R-002'], street],
    [['NL-R-003'], sellerNumber('0088:12345678')],
    [['NL-R-004'], buyersStreet],
    [[], buyersStreet, buyerIn('BE')],
    [['NL-R-005'], buyerNumber('0088:12345678')],
    [['NL-R-006'], representative],
    [['NL-R-007'], noPayment],
    [[], noPayment, [/(<cbc:PayableAmount currencyID="SEK">)/, '$1-']],
    [['NL-R-008'], means('31')],
    [[], means('31'), buyerIn('BE')],
    [['NL-R-009'], orderLine, [/<cac:OrderReference>[\s\S]*<\/cac:OrderReference>/, '']],
  ])('finds %j', (expected, ...changes) => {
    expect(ids(invoice(), ...changes)).toEqual(expected);
  });

  it('wants the invoice that a credit note corrects, and payment where the buyer owes', () => {
    const corrected = beforeParties(
      '<cac:BillingReference><cac:InvoiceDocumentReference><cbc:ID>1</cbc:ID></cac:InvoiceDocumentReference></cac:BillingReference>',
    );
    expect(ids(creditNote())).toEqual(['NL-R-001']);
    expect(ids(creditNote(), corrected)).toEqual([]);
    expect(ids(creditNote(), corrected, [/(<cbc:PayableAmount currencyID="SEK">)/, '$1-'])).toEqual(['NL-R-007']);
  });
});
