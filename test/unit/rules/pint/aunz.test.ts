import { describe, expect, it } from 'vitest';
import type { Change } from '../../../support/judged.ts';
import { categorised, found } from './examples.ts';
import { adjusted, breaks, follow, precede, type Row, without } from './rows.ts';

const expectEach = (rows: readonly Row[]): void => breaks('pint-aunz', rows);

const SUBTOTAL_TAX = /(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="AUD">)99\.00/;
const ZERO = '<cbc:Amount currencyID="AUD">0</cbc:Amount>';
/** A charge or allowance of 10.00, and the price that makes the line 125.00 with it, or does not. */
const ofFirstLine = (indicator: string, price: string): Change[] => [
  precede(
    '<cac:Item>',
    `<cac:AllowanceCharge><cbc:ChargeIndicator>${indicator}</cbc:ChargeIndicator><cbc:AllowanceChargeReason>a</cbc:AllowanceChargeReason><cbc:Amount currencyID="AUD">10.00</cbc:Amount></cac:AllowanceCharge>`,
  ),
  ['>125.00</cbc:PriceAmount>', `>${price}</cbc:PriceAmount>`],
];
const totalled = (tag: string): Change => precede('<cbc:PayableAmount', `<cbc:${tag} currencyID="AUD">0</cbc:${tag}>`);

describe('the document', () => {
  expectEach([
    [['aligned-ibrp-001-aunz'], ['@aunz-1', '@xx-1']],
    [['aligned-ibrp-002'], ['bis:billing', 'bis:other']],
    [
      ['aligned-ibrp-003'],
      without(/<cbc:BuyerReference>.*?<\/cbc:BuyerReference>/),
      without(/<cac:OrderReference>[\s\S]*?<\/cac:OrderReference>/),
    ],
    [['aligned-ibrp-061'], without(/<cbc:DueDate>.*?<\/cbc:DueDate>/)],
    [
      ['aligned-ibrp-008'],
      precede(
        '<cac:TaxTotal>',
        '<cac:PaymentTerms><cbc:Note>a</cbc:Note></cac:PaymentTerms><cac:PaymentTerms><cbc:Note>b</cbc:Note></cac:PaymentTerms>',
      ),
    ],
    [
      ['aligned-ibrp-006'],
      follow('</cbc:Note>', '<cbc:TaxPointDate>2026-03-02</cbc:TaxPointDate>'),
      precede('<cac:OrderReference>', '<cac:InvoicePeriod><cbc:DescriptionCode>35</cbc:DescriptionCode></cac:InvoicePeriod>'),
    ],
    [
      ['aligned-ibrp-cl-02'],
      precede('<cac:OrderReference>', '<cac:InvoicePeriod><cbc:DescriptionCode>29</cbc:DescriptionCode></cac:InvoicePeriod>'),
    ],
    [
      ['aligned-ibrp-sr-43'],
      follow(
        '</cac:OrderReference>',
        '<cac:AdditionalDocumentReference><cbc:ID schemeID="ABT">1</cbc:ID></cac:AdditionalDocumentReference>',
      ),
    ],
    [['aligned-ibrp-018'], without(/<cac:PayeeFinancialAccount>[\s\S]*?<\/cac:PayeeFinancialAccount>/)],
    [['aligned-ibrp-065'], follow('</cbc:PaymentID>', '<cbc:PaymentID>1002</cbc:PaymentID>')],
  ]);

  it('knows self-billing by its own specification and process', () => {
    expect(found('pint-aunz-sb', ['selfbilling-1@aunz-1', 'billing-1@aunz-1'])).toEqual(['aligned-ibrp-001-aunz-sb']);
    expect(found('pint-aunz-sb', ['bis:selfbilling', 'bis:billing'])).toEqual(['aligned-ibrp-002-aunz-sb']);
    expect(found('pint-aunz-sb', ['>389<', '>380<'])).toEqual(['ibr-cl-01-aunz-sb']);
  });
});

describe('business numbers', () => {
  expectEach([
    [['aligned-ibr-001-aunz'], ['schemeID="0151">51824753556', 'schemeID="0088">7300010000001']],
    [['aligned-ibr-001-aunz'], without('<cbc:CompanyID schemeID="0151">51824753556</cbc:CompanyID>')],
    [['aligned-ibr-004-aunz'], without('<cbc:CompanyID schemeID="0151">53004085616</cbc:CompanyID>')],
    [['aligned-ibr-002-aunz'], ['Code>AU<', 'Code>NZ<']],
    [
      ['aligned-ibr-002-aunz', 'aligned-ibr-005-aunz', 'ibr-cl-14'],
      [/Code>AU</g, 'Code>nz<'],
    ],
    [[], [/Code>AU</g, 'Code>SE<'], without(/<cbc:CompanyID schemeID="0151">.*?<\/cbc:CompanyID>/g)],
  ]);
});

describe('amounts', () => {
  expectEach([
    [
      ['aligned-ibrp-051-aunz', 'aligned-ibrp-s-09-aunz', 'ibr-co-14'],
      [SUBTOTAL_TAX, '$1100.01'],
    ],
    [['ibr-co-14'], [SUBTOTAL_TAX, '$1100.00']],
    [['aligned-ibrp-s-08-aunz'], ['<cbc:TaxableAmount currencyID="AUD">396.00', '<cbc:TaxableAmount currencyID="AUD">397.01']],
    [['aligned-ibrp-053'], ['>125.00</cbc:PriceAmount>', '>126.00</cbc:PriceAmount>']],
    [[], ['>125.00</cbc:PriceAmount>', '>125.0000</cbc:PriceAmount>']],
    // 1 and 0 are spellings of true and false.
    [[], ...ofFirstLine('1', '115.00')],
    [['aligned-ibrp-053'], ...ofFirstLine('1', '125.00')],
    [[], ...ofFirstLine('0', '135.00')],
    [['aligned-ibrp-053'], ...ofFirstLine('0', '125.00')],
    [['aligned-ibrp-005'], ['>125.00</cbc:LineExtensionAmount>', '>125.000</cbc:LineExtensionAmount>']],
    // Nothing below a price with a discount is looked at, however deep it stands.
    [
      [],
      follow(
        '>125.00</cbc:PriceAmount>',
        '<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:Amount currencyID="AUD">0</cbc:Amount><cac:TaxTotal><cbc:TaxAmount currencyID="AUD">0.000</cbc:TaxAmount></cac:TaxTotal></cac:AllowanceCharge>',
      ),
    ],
    [
      ['aligned-ibrp-045', 'aligned-ibrp-051-aunz', 'aligned-ibrp-s-08-aunz', 'aligned-ibrp-s-09-aunz'],
      without(/<cbc:TaxableAmount.*?<\/cbc:TaxableAmount>/),
    ],
    [
      ['aligned-ibrp-054', 'ibr-co-11'],
      adjusted({
        category: 'S',
        percent: '25',
        scheme: 'GST',
        inside:
          '<cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric><cbc:Amount currencyID="AUD">0</cbc:Amount><cbc:BaseAmount currencyID="AUD">50</cbc:BaseAmount>',
      }),
    ],
    [['aligned-ibrp-032-aunz'], adjusted({ inside: ZERO }), totalled('AllowanceTotalAmount')],
    [['aligned-ibrp-037-aunz'], adjusted({ charge: true, inside: ZERO }), totalled('ChargeTotalAmount')],
    [
      ['aligned-ibrp-057'],
      adjusted({ category: 'S', percent: '25', scheme: 'GST', inside: `${ZERO}<cbc:BaseAmount currencyID="AUD">0</cbc:BaseAmount>` }),
      totalled('AllowanceTotalAmount'),
    ],
  ]);
});

describe('tax categories', () => {
  const untaxed = (code: string, rate: string): Change[] => [
    [/<cbc:ID>S<\/cbc:ID>\s*<cbc:Percent>25<\/cbc:Percent>/g, `<cbc:ID>${code}</cbc:ID>${rate}`],
    [/>99\.00</g, '>0.00<'],
    [/>495\.00</g, '>396.00<'],
  ];
  const rate = (percent: string): string => `<cbc:Percent>${percent}</cbc:Percent>`;
  const CHARGE = adjusted({ charge: true, category: 'S', percent: '25', scheme: 'GST', inside: ZERO });
  expectEach([
    [['aligned-ibrp-cl-01-aunz'], categorised('S', 'AE')],
    [[], ...untaxed('E', rate('0'))],
    [[], ...untaxed('Z', rate('0'))],
    [[], ...untaxed('G', rate('0.0'))],
    [[], ...untaxed('O', '')],
    [['aligned-ibrp-e-05-aunz'], ...untaxed('E', rate('0')), [/(ClassifiedTaxCategory>\s*<cbc:ID>E<\/cbc:ID><cbc:Percent>)0/, '$11']],
    [
      ['aligned-ibrp-e-08-aunz'],
      ...untaxed('E', rate('0')),
      ['<cbc:TaxableAmount currencyID="AUD">396.00', '<cbc:TaxableAmount currencyID="AUD">396.01'],
    ],
    [['aligned-ibrp-o-05-aunz'], ...untaxed('O', rate('0'))],
    [['aligned-ibrp-048-aunz', 'aligned-ibrp-z-05-aunz'], ...untaxed('Z', '')],
    [['aligned-ibrp-o-14-aunz', 'aligned-ibrp-s-01-aunz'], ...untaxed('O', ''), CHARGE, totalled('ChargeTotalAmount')],
    [
      ['aligned-ibrp-s-10-aunz'],
      [/(<cac:TaxSubtotal>[\s\S]*?<cbc:Percent>25<\/cbc:Percent>)/, '$1<cbc:TaxExemptionReason>x</cbc:TaxExemptionReason>'],
    ],
    [
      ['aligned-ibrp-z-01-aunz', 'aligned-ibrp-s-08-aunz'].sort(),
      [/(ClassifiedTaxCategory>\s*<cbc:ID>)S(<\/cbc:ID>\s*<cbc:Percent>)25/, '$1Z$20'],
    ],
    [
      ['aligned-ibrp-059', 'aligned-ibrp-050-aunz', 'aligned-ibrp-s-08-aunz'].sort(),
      without(/<cac:ClassifiedTaxCategory>[\s\S]*?<\/cac:ClassifiedTaxCategory>/),
    ],
  ]);
});
