import { describe, expect, it } from 'vitest';
import { type Change, findingsOf } from '../../../support/judged.ts';
import { categorised, creditNoteOf, idsIn, invoiceOf } from './examples.ts';
import { adjusted, breaks, follow, precede, type Row, without } from './rows.ts';

const expectEach = (rows: readonly Row[]): void => breaks('pint-sg', rows);

const reference = (type: string, id: string, rest: string): string =>
  `<cac:AdditionalDocumentReference><cbc:ID>${id}</cbc:ID><cbc:DocumentTypeCode>${type}</cbc:DocumentTypeCode>${rest}</cac:AdditionalDocumentReference>`;
const referred = (references: string): Change => follow('</cac:OrderReference>', references);
const amount = (value: string): string => `<cbc:DocumentDescription>${value}</cbc:DocumentDescription>`;
const WITH_GST = reference('sgdtotal-incl-gst', 'SGD', amount('640.10'));
const WITHOUT_GST = reference('sgdtotal-excl-gst', 'SGD', amount('512.1'));
const NO_SELLER_TAX: Change = without(/<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/);
const NO_BUYER_TAX: Change = [/(AccountingCustomerParty>[\s\S]*?)<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/, '$1'];
const SUBTOTAL_TAX = /(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SGD">)99\.00/;
const NOTHING_ALLOWED = precede('<cbc:PayableAmount', '<cbc:AllowanceTotalAmount currencyID="SGD">0</cbc:AllowanceTotalAmount>');

describe('the document', () => {
  expectEach([
    [['PEPPOL-EN16931-R004-SG'], ['@sg-1', '@xx-1']],
    [['PEPPOL-EN16931-R007-SG'], ['bis:billing', 'bis:other']],
    [[], without(/<cbc:BuyerReference>.*?<\/cbc:BuyerReference>/)],
    [
      ['PEPPOL-EN16931-R003-SG'],
      without(/<cbc:BuyerReference>.*?<\/cbc:BuyerReference>/),
      without(/<cac:OrderReference>[\s\S]*?<\/cac:OrderReference>/),
    ],
    [['BR-108-GST-SG'], without(/<cbc:UUID>.*?<\/cbc:UUID>/)],
    [['BR-109-GST-SG'], ['f81d4fae', 'f81d4fax']],
    [['BR-CO-25-SG'], without(/<cbc:DueDate>.*?<\/cbc:DueDate>/)],
    [['BR-CL-08-SG'], ['Thank you', '#XYZ#Thank you']],
    [[], ['Thank you', '#AAI#Thank you']],
    [
      ['BR-110-SG'],
      follow(
        '<cbc:LineExtensionAmount currencyID="SGD">125.00</cbc:LineExtensionAmount>',
        '<cac:OrderLineReference><cbc:LineID>1</cbc:LineID><cac:OrderReference><cbc:ID>7</cbc:ID></cac:OrderReference></cac:OrderLineReference>',
      ),
    ],
    [['PEPPOL-EN16931-R061-SG'], ['>30<', '>49<']],
    [
      ['BR-CL-16-SG', 'ibr-cl-16'],
      ['>30<', '>99<'],
    ],
    [
      ['BR-50-SG', 'ibr-079'],
      ['>SE4550000000058398257466<', '> <'],
    ],
    [
      ['BR-51-SG'],
      follow(
        '</cbc:PaymentID>',
        '<cac:CardAccount><cbc:PrimaryAccountNumberID>41111111111</cbc:PrimaryAccountNumberID><cbc:NetworkID>VISA</cbc:NetworkID></cac:CardAccount>',
      ),
    ],
  ]);

  it('warns of the number of a card', () => {
    const card =
      '<cac:CardAccount><cbc:PrimaryAccountNumberID>41111111111</cbc:PrimaryAccountNumberID><cbc:NetworkID>VISA</cbc:NetworkID></cac:CardAccount>';
    const findings = findingsOf(invoiceOf('pint-sg', follow('</cbc:PaymentID>', card)), 'pint-sg/jur');
    expect(findings.map(({ severity }) => severity)).toEqual(['warning']);
  });

  it('take a credit note without a reason: the official rule never sees one', () => {
    const document = creditNoteOf('pint-sg', without(/<cbc:Note>.*?<\/cbc:Note>/));
    expect(document && idsIn('pint-sg', document)).toEqual([]);
  });
});

describe('parties', () => {
  expectEach([
    [['BR-112-GST-SG'], without('<cbc:CompanyID>200000001A</cbc:CompanyID>')],
    [['BR-105-GST-SG'], NO_SELLER_TAX],
    [['BR-106-GST-SG'], without('<cbc:PostalZone>83130</cbc:PostalZone>')],
    [['BR-107-GST-SG'], [/(AccountingCustomerParty>[\s\S]*?)<cbc:StreetName>.*?<\/cbc:StreetName>/, '$1']],
    [
      ['UBL-SR-12-GST-SG'],
      precede(
        '<cac:PartyLegalEntity>',
        '<cac:PartyTaxScheme><cbc:CompanyID>2</cbc:CompanyID><cac:TaxScheme><cbc:ID>GST</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>',
      ),
    ],
    [
      ['UBL-SR-18-SG', 'ibr-104'],
      [
        /(AccountingCustomerParty>[\s\S]*?)(<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>)/,
        '$1$2<cac:PartyTaxScheme><cbc:CompanyID>2</cbc:CompanyID><cac:TaxScheme><cbc:ID>X</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>',
      ],
    ],
  ]);
});

describe('totals', () => {
  expectEach([
    [
      ['BR-CO-16-GST-SG', 'ibr-co-16'],
      ['<cbc:PayableAmount currencyID="SGD">495.00', '<cbc:PayableAmount currencyID="SGD">495.01'],
    ],
    [['BR-DEC-17-SG'], precede('<cbc:PayableAmount', '<cbc:PayableRoundingAmount currencyID="SGD">0.000</cbc:PayableRoundingAmount>')],
    [
      ['BR-CO-15-GST-SG', 'ibr-co-15'],
      [/495\.00/g, '495.01'],
    ],
    [
      ['BR-CO-14-GST-SG', 'BR-CO-17-GST-SG', 'ibr-co-14'],
      [SUBTOTAL_TAX, '$1101.00'],
    ],
    [
      ['BR-CO-14-GST-SG', 'ibr-co-14'],
      [SUBTOTAL_TAX, '$1100.99'],
    ],
    [['PEPPOL-EN16931-R120-SG'], ['>125.00</cbc:PriceAmount>', '>126.00</cbc:PriceAmount>']],
    // Charges of a line count to the last digit: 0.024 would do if it were rounded.
    [
      ['PEPPOL-EN16931-R120-SG'],
      precede(
        '<cac:Item>',
        '<cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:AllowanceChargeReasonCode>FC</cbc:AllowanceChargeReasonCode><cbc:Amount currencyID="SGD">0.024</cbc:Amount></cac:AllowanceCharge>',
      ),
    ],
    [
      ['PEPPOL-EN16931-R041-SG'],
      adjusted({
        category: 'SR',
        percent: '25',
        scheme: 'GST',
        inside: '<cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric><cbc:Amount currencyID="SGD">0</cbc:Amount>',
      }),
      NOTHING_ALLOWED,
    ],
  ]);
});

describe('totals in Singapore dollars', () => {
  const FOREIGN: Change = [/SGD/g, 'EUR'];
  const TAX = follow('</cbc:DocumentCurrencyCode>', '<cbc:TaxCurrencyCode>SGD</cbc:TaxCurrencyCode>');
  const TOTAL = precede('<cac:LegalMonetaryTotal>', '<cac:TaxTotal><cbc:TaxAmount currencyID="SGD">128.02</cbc:TaxAmount></cac:TaxTotal>');
  expectEach([
    [['BR-113-GST-SG'], FOREIGN],
    [
      ['ibr-005', 'ibr-084', 'ibr-126', 'ibr-co-15'],
      FOREIGN,
      TAX,
      TOTAL,
      referred(WITH_GST + WITHOUT_GST),
      without(/<cbc:DocumentCurrencyCode>.*?<\/cbc:DocumentCurrencyCode>/),
    ],
    [[], FOREIGN, TAX, TOTAL, referred(WITH_GST + WITHOUT_GST)],
    [['BR-53-GST-SG'], FOREIGN, TAX, TOTAL, referred(WITH_GST)],
    [['BR-110-GST-SG'], referred(WITH_GST)],
    [['BR-100-GST-SG'], FOREIGN, TAX, TOTAL, referred(WITH_GST.replace('640.10', '640.105') + WITHOUT_GST)],
    [['BR-101-GST-SG'], FOREIGN, TAX, TOTAL, referred(WITH_GST + WITHOUT_GST.replace('512.1', 'much'))],
    [['BR-103-GST-SG'], FOREIGN, TAX, TOTAL, referred(WITH_GST.replace('SGD', 'EUR') + WITHOUT_GST)],
    [['BR-104-GST-SG'], FOREIGN, TAX, TOTAL, referred(WITH_GST + WITHOUT_GST.replace('SGD', 'EUR'))],
    [['BR-102-GST-SG', 'UBL-SR-43-GST-SG'], referred(reference('50', '1', ''))],
    [[], referred(reference('130', '1', ''))],
    [
      ['BR-102-GST-SG', 'ibr-071'],
      referred(
        reference(
          '130',
          '1',
          '<cac:Attachment><cac:ExternalReference><cbc:URI>https://a.example</cbc:URI></cac:ExternalReference></cac:Attachment>',
        ),
      ),
    ],
  ]);
});

describe('tax categories', () => {
  const UNTAXED: Change[] = [
    [/<cbc:ID>SR<\/cbc:ID>\s*<cbc:Percent>25<\/cbc:Percent>/g, '<cbc:ID>NG</cbc:ID><cbc:Percent>0</cbc:Percent>'],
    [/>99\.00</g, '>0.00<'],
    [/>495\.00</g, '>396.00<'],
  ];
  const ALLOWANCE = adjusted({
    category: 'NG',
    percent: '0',
    scheme: 'GST',
    inside: '<cbc:Amount currencyID="SGD">0</cbc:Amount>',
  });
  expectEach([
    [['BR-CL-17-GST-SG', 'BR-CL-18-GST-SG'], categorised('SR', 'S')],
    [[], ...UNTAXED, NO_BUYER_TAX, NO_SELLER_TAX],
    [['BR-NG-02-GST-SG'], ...UNTAXED],
    [['BR-NG-02-GST-SG'], ...UNTAXED, NO_SELLER_TAX],
    [['BR-NG-02-GST-SG', 'BR-NG-03-GST-SG'], ...UNTAXED, ALLOWANCE, NOTHING_ALLOWED],
    [
      ['BR-NG-08-GST-SG'],
      ...UNTAXED,
      NO_BUYER_TAX,
      NO_SELLER_TAX,
      ['<cbc:TaxableAmount currencyID="SGD">396', '<cbc:TaxableAmount currencyID="SGD">397'],
    ],
    [['BR-CO-04-GST-SG'], without(/<cac:ClassifiedTaxCategory>[\s\S]*?<\/cac:ClassifiedTaxCategory>/)],
  ]);
});
