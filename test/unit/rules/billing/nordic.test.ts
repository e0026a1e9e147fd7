import { describe, expect, it } from 'vitest';
import { creditNote, invoice } from '../../../support/documents.ts';
import { type Change, changed, findingsOf, idsOf } from '../../../support/judged.ts';
import { account, beforeParties, bothIn, buyerIn, buyerNumber, means, otherTax, sellerNumber } from './changes.ts';

const paymentId = (value: string): Change => ['<cbc:PaymentID>1001', `<cbc:PaymentID>${value}`];
const branch = (value: string): Change => [
  '</cac:PayeeFinancialAccount>',
  `<cac:FinancialInstitutionBranch><cbc:ID>${value}</cbc:ID></cac:FinancialInstitutionBranch></cac:PayeeFinancialAccount>`,
];

describe('Sweden', () => {
  const ids = (...changes: Change[]): string[] => idsOf(changed(invoice(), ...changes), 'peppol-billing', 'SE-');
  const giro = (kind: string, value: string): Change[] => [branch(`SE:${kind}`), account(value)];

  it('accepts what is in order', () => {
    expect(ids(sellerNumber('0007:5560360793'), otherTax('Godkänd för F-skatt'))).toEqual([]);
    expect(ids(...giro('PLUSGIRO', '47651'))).toEqual([]);
    expect(ids(...giro('BANKGIRO', '9912346'))).toEqual([]);
  });

  it.each<[string, ...Change[]]>([
    ['SE-R-001', ['SE730001000001', 'SE73000100000']],
    ['SE-R-002', ['SE730001000001', 'SE73000100000X']],
    ['SE-R-003 SE-R-004 SE-R-013', sellerNumber('0007:556036-0793')],
    ['SE-R-004', sellerNumber('0007:55603607930')],
    ['SE-R-013', sellerNumber('0007:5560360794')],
    ['SE-R-005', sellerNumber('0007:5560360793'), otherTax('F-skatt')],
    ['SE-R-006', ['<cbc:Percent>25', '<cbc:Percent>24']],
    ['SE-R-007', ...giro('PLUSGIRO', '4765-1')],
    ['SE-R-010', ...giro('PLUSGIRO', '123456789')],
    ['SE-R-008', ...giro('BANKGIRO', '991-2346')],
    ['SE-R-009', ...giro('BANKGIRO', '991234')],
    ['SE-R-011', means('50')],
    ['SE-R-012', means('31')],
  ])('tells %s', (expected, ...changes) => {
    expect(ids(...changes)).toEqual(expected.split(' '));
  });

  it('asks nothing of others', () => {
    expect(ids(bothIn('NO'), means('50'), ['SE730001000001', 'SE7'])).toEqual([]);
    expect(ids(means('31'), buyerIn('FI'))).toEqual([]);
  });

  it('only warns of payment', () => {
    expect(findingsOf(changed(invoice(), means('50')), 'peppol-billing')).toMatchObject([{ rule: 'SE-R-011', severity: 'warning' }]);
  });
});

describe('Norway', () => {
  const vat = (number: string): Change => ['SE730001000001', number];
  const represented: Change = [
    '<cac:PaymentMeans>',
    '<cac:TaxRepresentativeParty><cac:PartyTaxScheme><cbc:CompanyID>NO974760673MVA</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme></cac:TaxRepresentativeParty>$&',
  ];
  const ids = (...changes: Change[]): string[] => idsOf(changed(invoice(), ...changes), 'peppol-billing', 'NO-');

  it('goes by the VAT number of the seller first, then that of its representative, then by the address', () => {
    expect(ids()).toEqual([]);
    expect(ids(bothIn('NO'))).toEqual([]);
    expect(ids(vat('NO974760673MVA'))).toEqual(['NO-R-002']);
    expect(ids(vat(''), represented)).toEqual(['NO-R-002']);
    expect(ids(represented)).toEqual([]);
    expect(ids(bothIn('NO'), [/<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/, ''])).toEqual(['NO-R-002']);
  });

  it('wants the register of companies, and a VAT number in form', () => {
    expect(ids(vat('NO974760673MVA'), otherTax('Foretaksregisteret'))).toEqual([]);
    expect(ids(vat('NO974760674MVA'), otherTax('Foretaksregisteret'))).toEqual(['NO-R-001']);
    expect(ids(vat('NO974760673'), otherTax('Foretaksregisteret', 'GST'))).toEqual(['NO-R-001', 'NO-R-002']);
    // Of two registrations under VAT the official rules cannot tell the country.
    expect(ids(vat('NO974760673'), otherTax('Foretaksregisteret', 'VAT'))).toEqual([]);
  });
});

describe('Denmark', () => {
  const DANISH: Change[] = [bothIn('DK'), sellerNumber('0184:DK12345678')];
  const ids = (...changes: Change[]): string[] => idsOf(changed(invoice(), ...DANISH, ...changes), 'peppol-billing', 'DK-');
  const classified = (release: string): Change => [
    '<cac:ClassifiedTaxCategory>',
    `<cac:CommodityClassification><cbc:ItemClassificationCode listID="TST" listVersionID="${release}">14111507</cbc:ItemClassificationCode></cac:CommodityClassification><cac:ClassifiedTaxCategory>`,
  ];
  const taxed = (reason: string): Change => [
    '<cac:TaxTotal>',
    `<cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:AllowanceChargeReasonCode>ZZZ</cbc:AllowanceChargeReasonCode><cbc:AllowanceChargeReason>${reason}</cbc:AllowanceChargeReason><cbc:Amount currencyID="SEK">1</cbc:Amount></cac:AllowanceCharge><cac:TaxTotal>`,
  ];
  const mandate =
    '<cac:PaymentMandate><cbc:ID>M1</cbc:ID><cac:PayerFinancialAccount><cbc:ID>5</cbc:ID></cac:PayerFinancialAccount></cac:PaymentMandate>';
  const identified = (attribute: string): Change => [
    '<cac:PartyName>',
    `<cac:PartyIdentification><cbc:ID${attribute}>7300010000001</cbc:ID></cac:PartyIdentification><cac:PartyName>`,
  ];

  it.each<[string, ...Change[]]>([
    ['a bank transfer', means('42'), branch('1234')],
    ['a direct debit', means('49'), ['</cac:PaymentMeans>', `${mandate}</cac:PaymentMeans>`]],
    ['a Giro payment', means('50'), paymentId('04#1234567890123456'), account('12345678')],
    ['a FIK payment', means('93'), paymentId('71#123456789012345'), account('12345678')],
    ['an item by UNSPSC', means('58'), classified('26.08.01')],
    ['a tax by its category', means('58'), taxed(' 3071 ')],
    ['a tax by its name', means('58'), taxed('3071#tax on sugar')],
    ['an identifier with its scheme', means('58'), identified(' schemeID="0088"')],
    ['the CVR number of the buyer', means('58'), buyerNumber('0184:87654321')],
  ])('accepts %s', (_what, ...changes) => {
    expect(ids(...changes)).toEqual([]);
  });

  it.each<[string, ...Change[]]>([
    ['DK-R-002', means('58'), [/<cbc:CompanyID schemeID="0184">.*<\/cbc:CompanyID>/, '']],
    ['DK-R-014', means('58'), ['schemeID="0184"', 'schemeID="0088"']],
    ['DK-R-017', means('58'), buyerNumber('0088:7300010000001')],
    ['DK-R-013', means('58'), identified('')],
    ['DK-R-003', means('58'), classified('7.0501')],
    ['DK-R-004', means('58'), taxed('sugar')],
    ['DK-R-004', means('58'), taxed('#sugar')],
    ['DK-R-004', means('58'), taxed('12345')],
    ['DK-R-004', means('58'), taxed('-123')],
    ['DK-R-005', means('30')],
    ['DK-R-006', means('31')],
    ['DK-R-007', means('49')],
    ['DK-R-008', means('50'), paymentId('35#1'), account('1234567')],
    ['DK-R-008', means('50'), paymentId('01#text'), account('123456')],
    ['DK-R-009', means('50'), paymentId('15#1'), account('1234567')],
    ['DK-R-010', means('93'), paymentId('73#'), account('1234567')],
    ['DK-R-011', means('93'), paymentId('75#1'), account('12345678')],
  ])('tells %s', (expected, ...changes) => {
    expect(ids(...changes)).toEqual([expected]);
  });

  it('takes no credit note for a negative amount', () => {
    const negative: Change = [/(<cbc:PayableAmount currencyID="SEK">)/, '$1-'];
    expect(idsOf(changed(creditNote(), ...DANISH, negative), 'peppol-billing', 'DK-')).toEqual(['DK-R-016']);
    expect(ids(means('58'), negative)).toEqual([]);
  });

  it('asks little of a document to another country', () => {
    expect(ids(buyerIn('SE'), taxed('sugar'), identified(''))).toEqual([]);
  });
});

describe('Iceland', () => {
  const ICELANDIC: Change[] = [bothIn('IS'), sellerNumber('0196:5501750259'), buyerNumber('0196:4612023220')];
  const ids = (...changes: Change[]): string[] => idsOf(changed(invoice(), ...ICELANDIC, ...changes), 'peppol-billing', 'IS-');
  const finalDate = (date: string): Change =>
    beforeParties(
      `<cac:AdditionalDocumentReference><cbc:ID>${date}</cbc:ID><cbc:DocumentDescription>EINDAGI</cbc:DocumentDescription></cac:AdditionalDocumentReference>`,
    );

  it('accepts what is in order', () => {
    expect(ids(finalDate('2027-01-31'))).toEqual([]);
    expect(ids(finalDate('2027-02-15'), means('42'), account('051526000123'))).toEqual([]);
  });

  it.each<[string, ...Change[]]>([
    ['IS-R-001', ['>380<', '>386<']],
    ['IS-R-002', ['schemeID="0196"', 'schemeID="0088"']],
    ['IS-R-003', ['<cbc:PostalZone>83130</cbc:PostalZone>', '']],
    ['IS-R-004', ['schemeID="0196">4612', 'schemeID="0088">4612']],
    ['IS-R-005', [/(Lakeside[\s\S]*?)<cbc:StreetName>.*<\/cbc:StreetName>/, '$1']],
    ['IS-R-006', means('9')],
    ['IS-R-007', means('42')],
    ['IS-R-008', finalDate('2027-02-30')],
    ['IS-R-009 IS-R-010', finalDate('2027-02-15'), [/<cbc:DueDate>.*<\/cbc:DueDate>/, '']],
    ['IS-R-010', finalDate('2027-01-30')],
  ])('tells %s', (expected, ...changes) => {
    expect(ids(...changes)).toEqual(expected.split(' '));
  });

  it('asks of the buyer only when it is Icelandic too', () => {
    expect(ids(buyerIn('SE'), ['schemeID="0196">4612', 'schemeID="0088">4612'])).toEqual([]);
  });
});
