// What a person reads: who lacks what, the figures with their signs, and the element to correct.
import { describe, expect, it } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { type Change, changed, findingsOf } from '../../../support/judged.ts';
import { amount, invoiceIn, withoutVatNumbers } from './examples.ts';

function told(document: Uint8Array, id: string): { message: string | undefined; path: string | undefined } {
  const found = findingsOf(document, 'en16931', 'peppol-billing').find(({ rule }) => rule === id);
  return { message: found?.message, path: found?.path };
}

const SELLER = '/Invoice/cac:AccountingSupplierParty/cac:Party';
const BUYER = '/Invoice/cac:AccountingCustomerParty/cac:Party';
const sellersNumber: Change = [
  '<cac:PartyLegalEntity>',
  '<cac:PartyTaxScheme><cbc:CompanyID>SE730001000001</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>$&',
];

describe('missing numbers', () => {
  it('are asked of whom they are missing', () => {
    const neither = told(invoiceIn('K', withoutVatNumbers), 'BR-IC-02');
    expect(neither).toEqual({ message: expect.stringContaining('but the seller has no VAT number: add it'), path: SELLER });
    const buyers = told(invoiceIn('K', withoutVatNumbers, sellersNumber), 'BR-IC-02');
    expect(buyers).toEqual({ message: expect.stringContaining('but the buyer has no VAT number: add it'), path: BUYER });
    expect(told(invoiceIn('AE', withoutVatNumbers, sellersNumber), 'BR-AE-02').message).toContain('the buyer has neither a VAT number nor');
  });

  it('are not asked for where only the scheme is wrong', () => {
    const other: Change = [/(<cac:ClassifiedTaxCategory>[\s\S]*?<cac:TaxScheme>\s*<cbc:ID>)VAT/g, '$1GST'];
    expect(told(invoiceIn('S', other), 'BR-S-02').message).toContain(
      'no line says that its tax is VAT: write VAT into cac:TaxScheme/cbc:ID',
    );
  });
});

describe('figures', () => {
  it('of a subtotal say what is a percentage of what', () => {
    const document = changed(invoice(), [/(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SEK">)99\.00/, '$190.00']);
    expect(told(document, 'BR-S-09').message).toContain('is 90.00 but 25 % of 396.00 is 99.00');
  });

  it('keep their sign', () => {
    const document = changed(invoice(), amount('TaxableAmount', '-400.00'), [
      /(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SEK">)99\.00/,
      '$1-90.00',
    ]);
    expect(told(document, 'BR-S-09').message).toContain('is -90.00 but 25 % of -400.00 is -100.00');
    expect(told(document, 'BR-CO-17').message).toContain('is -90.00 but 25 % of -400.00 is -100.00');
  });

  it('of one term are not added up', () => {
    expect(told(changed(invoice(), amount('PayableAmount', '494.00')), 'BR-CO-16').message).toContain(
      'The amount to pay is 494.00 but it is made of one amount only, total with VAT 495.00: correct',
    );
    expect(
      told(
        changed(invoice(), amount('PayableAmount', '494.00'), [
          '<cbc:PayableAmount',
          '<cbc:PrepaidAmount currencyID="SEK">2.00</cbc:PrepaidAmount>$&',
        ]),
        'BR-CO-16',
      ).message,
    ).toContain('but total with VAT 495.00 - prepaid 2.00 = 493.00: correct');
  });
});

describe('the element to correct', () => {
  it.each<[string, string, string, ...Change[]]>([
    [
      'of two references for the payment is the second',
      'UBL-SR-44',
      '/Invoice/cac:PaymentMeans[2]/cbc:PaymentID',
      [
        /<cac:PaymentMeans>[\s\S]*<\/cac:PaymentMeans>/,
        '$&<cac:PaymentMeans><cbc:PaymentMeansCode>30</cbc:PaymentMeansCode><cbc:PaymentID>1002</cbc:PaymentID></cac:PaymentMeans>',
      ],
    ],
    ['of two VAT numbers is the second', 'UBL-SR-12', `${SELLER}/cac:PartyTaxScheme[2]/cbc:CompanyID`, sellersNumber],
    [
      'of Swedish numbers is the one for VAT',
      'SE-R-001',
      `${SELLER}/cac:PartyTaxScheme[2]/cbc:CompanyID`,
      [
        '<cac:PartyTaxScheme>',
        '<cac:PartyTaxScheme><cbc:CompanyID>Godkänd för F-skatt</cbc:CompanyID><cac:TaxScheme><cbc:ID>TAX</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>$&',
      ],
      ['>SE730001000001<', '>SE73000100000<'],
    ],
  ])('%s', (_what, id, path, ...changes) => {
    expect(told(changed(invoice(), ...changes), id).path).toBe(path);
  });

  it('of a supply without a country of delivery is as far as the delivery goes', () => {
    const nowhere: Change = [/<cac:DeliveryLocation>[\s\S]*<\/cac:DeliveryLocation>/, ''];
    expect(told(invoiceIn('K', nowhere), 'BR-IC-12').path).toBe('/Invoice/cac:Delivery');
  });
});

describe('advice', () => {
  const charged = (indicator: boolean, code: string): Change => [
    '<cac:TaxTotal>',
    `<cac:AllowanceCharge><cbc:ChargeIndicator>${indicator}</cbc:ChargeIndicator><cbc:AllowanceChargeReasonCode>${code}</cbc:AllowanceChargeReasonCode></cac:AllowanceCharge>$&`,
  ];

  it('names the part of a tax number that is missing', () => {
    const numberless: Change = [/<cbc:CompanyID>SE730001000001<\/cbc:CompanyID>/, ''];
    const schemeless: Change = [/(<cac:PartyTaxScheme>[\s\S]*?<cac:TaxScheme>)\s*<cbc:ID>VAT<\/cbc:ID>/, '$1'];
    expect(told(changed(invoice(), numberless), 'UBL-SR-53').message).toMatch(/incomplete: add cbc:CompanyID, or take/);
    expect(told(changed(invoice(), schemeless), 'UBL-SR-53').message).toMatch(/incomplete: add cac:TaxScheme\/cbc:ID, or take/);
    expect(told(changed(invoice(), numberless, schemeless), 'UBL-SR-53').message).toMatch(
      /add cbc:CompanyID and cac:TaxScheme\/cbc:ID, or/,
    );
  });

  it('knows the reasons of allowances where a charge stands, and the other way round', () => {
    expect(told(changed(invoice(), charged(true, '95')), 'BR-CL-20').message).toMatch(
      /mean an allowance, .* \(cbc:ChargeIndicator false\)\?$/,
    );
    expect(told(changed(invoice(), charged(false, 'FC')), 'BR-CL-19').message).toMatch(/mean a charge, .* \(cbc:ChargeIndicator true\)\?$/);
    expect(told(changed(invoice(), charged(true, 'ABX')), 'BR-CL-20').message).toMatch(/Nearest: /);
  });

  it('says that the number of a party may stand without its scheme', () => {
    const identified: Change = [
      '<cac:PartyName>',
      '<cac:PartyIdentification><cbc:ID schemeID="ZZZ">1</cbc:ID></cac:PartyIdentification>$&',
    ];
    expect(told(changed(invoice(), identified), 'BR-CL-10').message).toMatch(
      /'ZZZ' is no .*: correct the attribute schemeID, or take it out/,
    );
  });
});
