import { describe, expect, it } from 'vitest';
import type { Change } from '../../../support/judged.ts';
import { afterParties, ids, invoiceIn, sentenceOf, withDelivery, without } from './examples.ts';

const wrong = (...changes: readonly Change[]) => invoiceIn('S', ...changes);
const inSeller = (tag: string): Change => [new RegExp(`(<cac:AccountingSupplierParty>[\\s\\S]*?)<${tag}>[\\s\\S]*?</${tag}>`), '$1'];
const inBuyer = (tag: string): Change => [new RegExp(`(<cac:AccountingCustomerParty>[\\s\\S]*?)<${tag}>[\\s\\S]*?</${tag}>`), '$1'];

const payee = (name: string, more = ''): Change =>
  afterParties(`<cac:PayeeParty>${more}<cac:PartyName><cbc:Name>${name}</cbc:Name></cac:PartyName></cac:PayeeParty>`);
const ADDRESS = '<cac:PostalAddress><cac:Country><cbc:IdentificationCode>SE</cbc:IdentificationCode></cac:Country></cac:PostalAddress>';
const NUMBER =
  '<cac:PartyTaxScheme><cbc:CompanyID>SE559999999901</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>';
const NAME = '<cac:PartyName><cbc:Name>Tax Office AB</cbc:Name></cac:PartyName>';
const representative = (content: string): Change => afterParties(`<cac:TaxRepresentativeParty>${content}</cac:TaxRepresentativeParty>`);

describe('seller and buyer', () => {
  it.each([
    ['BR-06', inSeller('cbc:RegistrationName')],
    ['BR-07', inBuyer('cbc:RegistrationName')],
    ['BR-08', inSeller('cac:PostalAddress')],
    ['BR-10', inBuyer('cac:PostalAddress')],
    ['BR-09', inSeller('cac:Country')],
    ['BR-11', inBuyer('cac:Country')],
  ])('%s', (id, change) => {
    expect(ids(wrong(change))).toEqual([id]);
  });

  it('have the scheme of their electronic addresses', () => {
    expect(ids(wrong([/ schemeID="0088"/, '']))).toEqual(['BR-62']);
    expect(ids(wrong([/ schemeID="0088"/g, '']))).toEqual(['BR-62', 'BR-63']);
  });

  it('the seller is identified, but not by what a bank calls it', () => {
    const identified = (scheme: string): Change => [
      '<cac:PartyName>',
      `<cac:PartyIdentification><cbc:ID${scheme}>1</cbc:ID></cac:PartyIdentification>$&`,
    ];
    const nameless = inSeller('cac:PartyTaxScheme');
    expect(ids(wrong(nameless), 'BR-CO-26')).toEqual(['BR-CO-26']);
    expect(ids(wrong(nameless, identified('')), 'BR-CO-26')).toEqual([]);
    expect(ids(wrong(nameless, identified(' schemeID="SEPA"')), 'BR-CO-26')).toEqual(['BR-CO-26']);
    expect(ids(wrong(nameless, identified(' schemeID="sepa"')), 'BR-CO-26')).toEqual([]);
  });

  it('VAT numbers begin with a country', () => {
    expect(ids(wrong(['>SE730001000001<', '>730001000001<']))).toEqual(['BR-CO-09']);
    expect(sentenceOf(wrong(['>SE730001000001<', '>se730001000001<']), 'BR-CO-09')).toContain(
      "'se730001000001' does not begin with a country",
    );
    expect(ids(wrong(['>SE730001000001<', '>EL123456789<']))).toEqual([]);
  });
});

describe('others', () => {
  it('a payee has a name of its own', () => {
    expect(ids(wrong(payee('Factoring AB')))).toEqual([]);
    expect(ids(wrong(payee('Northern Paper Supplies AB')))).toEqual(['BR-17', 'UBL-SR-19', 'UBL-SR-20', 'UBL-SR-21']);
    expect(ids(wrong(afterParties('<cac:PayeeParty/>')))).toEqual(['BR-17', 'UBL-SR-19', 'UBL-SR-20', 'UBL-SR-21']);
  });

  it('a payee has one number; a SEPA identifier does not count', () => {
    const number = (scheme: string) => `<cac:PartyIdentification><cbc:ID${scheme}>1</cbc:ID></cac:PartyIdentification>`;
    expect(ids(wrong(payee('Factoring AB', number(' schemeID="0088"') + number(' schemeID="SEPA"'))))).toEqual([]);
    expect(ids(wrong(payee('Factoring AB', number('') + number(' schemeID="0088"'))))).toEqual(['UBL-SR-20']);
  });

  it('a tax representative is complete', () => {
    expect(ids(wrong(representative(NAME + ADDRESS + NUMBER)))).toEqual([]);
    expect(ids(wrong(representative('')))).toEqual(['BR-18', 'BR-19', 'BR-56']);
    expect(ids(wrong(representative(`${NAME}<cac:PostalAddress/>${NUMBER}`)))).toEqual(['BR-20']);
  });

  it('goods are delivered to a country', () => {
    expect(ids(wrong(withDelivery))).toEqual([]);
    expect(ids(wrong(withDelivery, [/<cac:Country><cbc:IdentificationCode>FI<\/cbc:IdentificationCode><\/cac:Country>/, '']))).toEqual([
      'BR-57',
    ]);
  });
});

describe('payment', () => {
  const means = (code: string): Change => ['PaymentMeansCode>30<', `PaymentMeansCode>${code}<`];
  const account = without('cac:PayeeFinancialAccount');
  const card = (number: string): Change => [
    /<cac:PayeeFinancialAccount>[\s\S]*?<\/cac:PayeeFinancialAccount>/,
    `<cac:CardAccount><cbc:PrimaryAccountNumberID>${number}</cbc:PrimaryAccountNumberID><cbc:NetworkID>VISA</cbc:NetworkID></cac:CardAccount>`,
  ];

  it.each(['30', '58'])('by credit transfer (%s) names the account', (code) => {
    expect(ids(wrong(means(code)))).toEqual([]);
    expect(ids(wrong(means(code), account))).toEqual(['BR-61']);
    expect(ids(wrong(means(code), ['SE4550000000058398257466', ' ']))).toEqual(['BR-50']);
  });

  it('says how', () => {
    expect(ids(wrong(means('10'), account))).toEqual([]);
    expect(ids(wrong(without('cbc:PaymentMeansCode')))).toEqual(['BR-49']);
  });

  it('does not give a card away', () => {
    expect(ids(wrong(means('48'), card('1234567890')))).toEqual([]);
    expect(ids(wrong(means('48'), card(' 12345678901 ')))).toEqual(['BR-51']);
  });

  it('is one way, for one reference', () => {
    const second = (code: string, reference: string): Change => [
      '<cac:TaxTotal>',
      `<cac:PaymentMeans><cbc:PaymentMeansCode>${code}</cbc:PaymentMeansCode><cbc:PaymentID>${reference}</cbc:PaymentID><cac:PayeeFinancialAccount><cbc:ID>2</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>$&`,
    ];
    expect(ids(wrong(second('30', '1001')))).toEqual([]);
    expect(ids(wrong(second('58', '1002')))).toEqual(['UBL-SR-44', 'UBL-SR-47']);
    expect(sentenceOf(wrong(second('30', '1002')), 'UBL-SR-44')).toContain('(1001, 1002)');
  });
});
