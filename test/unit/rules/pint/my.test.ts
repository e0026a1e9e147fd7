import { describe, expect, it } from 'vitest';
import type { Change } from '../../../support/judged.ts';
import { categorised, found, sentenceOf, typed } from './examples.ts';
import { breaks, follow, precede, type Row, without } from './rows.ts';

const expectEach = (rows: readonly Row[]): void => breaks('pint-my', rows);

const TIN: Change = without('<cac:PartyIdentification><cbc:ID>C1234567890</cbc:ID></cac:PartyIdentification>');
const SUBTOTAL_TAX = /(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="MYR">)99\.00/;

describe('the document', () => {
  expectEach([
    [['aligned-ibrp-001-my'], ['@my-1', '@xx-1']],
    [['aligned-ibrp-002'], ['bis:billing', 'bis:other']],
    [['ibr-02-my'], without('<cbc:CompanyID>202001234567</cbc:CompanyID>')],
    [['ibr-03-my'], without('<cbc:CompanyID>202007654321</cbc:CompanyID>')],
    [['ibr-04-my'], TIN],
    [['ibr-04-my'], ['<cbc:ID>C1234567890', '<cbc:ID schemeID="0060">C1234567890']],
    [
      [],
      TIN,
      precede(
        '<cac:PartyLegalEntity>',
        '<cac:PartyTaxScheme><cbc:CompanyID>C1</cbc:CompanyID><cac:TaxScheme><cbc:ID>TIN</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>',
      ),
    ],
    [['ibr-053', 'ibr-084', 'ibr-cl-05-my'], follow('</cbc:DocumentCurrencyCode>', '<cbc:TaxCurrencyCode>EUR</cbc:TaxCurrencyCode>')],
  ]);

  it('knows self-billing by its own specification, process and type', () => {
    expect(found('pint-my-sb', ['selfbilling-1', 'billing-1'])).toEqual(['aligned-ibrp-001-my']);
    expect(found('pint-my-sb', ['bis:selfbilling', 'bis:billing'])).toEqual(['aligned-ibrp-002']);
    expect(found('pint-my-sb', typed('380'))).toEqual(['ibr-cl-01']);
  });
});

describe('tax categories', () => {
  const untaxed = (code: string, rate: string): Change[] => [
    [/<cbc:ID>SA<\/cbc:ID>\s*<cbc:Percent>25<\/cbc:Percent>/g, `<cbc:ID>${code}</cbc:ID>${rate}`],
    [/>99\.00</g, '>0.00<'],
    [/>495\.00</g, '>396.00<'],
  ];
  expectEach([
    [['aligned-ibrp-cl-01-my'], categorised('SA', 'S')],
    [[], categorised('SA', 'SE')],
    [[], categorised('SA', 'HVG')],
    [[], categorised('SA', 'LVG')],
    [['aligned-ibrp-sa-08'], ['<cbc:TaxableAmount currencyID="MYR">396.00', '<cbc:TaxableAmount currencyID="MYR">396.03']],
    [[], ['<cbc:TaxableAmount currencyID="MYR">396.00', '<cbc:TaxableAmount currencyID="MYR">396.02']],
    [
      ['aligned-ibrp-sa-09', 'ibr-co-14'],
      [SUBTOTAL_TAX, '$199.03'],
    ],
    [['aligned-ibrp-se-09', 'ibr-co-14'], categorised('SA', 'SE'), [SUBTOTAL_TAX, '$199.03']],
    [
      ['aligned-ibrp-sa-10'],
      [/(<cac:TaxSubtotal>[\s\S]*?<cbc:Percent>25<\/cbc:Percent>)/, '$1<cbc:TaxExemptionReason>x</cbc:TaxExemptionReason>'],
    ],
    [['aligned-ibrp-048'], ...untaxed('E', '')],
    [[], ...untaxed('E', '<cbc:Percent>0</cbc:Percent>')],
    [['aligned-ibrp-e-05'], ...untaxed('E', '<cbc:Percent>1</cbc:Percent>')],
    [[], ...untaxed('O', '')],
    [['aligned-ibrp-048'], ...untaxed('SA', '')],
    [
      ['aligned-ibrp-o-09', 'ibr-co-14'],
      ...untaxed('O', ''),
      [/(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="MYR">)0.00/, '$11.00'],
    ],
  ]);
});

describe('tourism tax', () => {
  const category = (tag: string, rate = ''): string =>
    `<cac:${tag}><cbc:ID>TTX</cbc:ID>${rate}<cac:TaxScheme><cbc:ID>AAL</cbc:ID></cac:TaxScheme></cac:${tag}>`;
  /** Three nights at 10.00 beside the tax on what was bought. */
  const nights = (ofLine: string, rate = ''): Change[] => [
    follow(
      '</cac:TaxSubtotal>',
      `<cac:TaxSubtotal><cbc:TaxAmount currencyID="MYR">30.00</cbc:TaxAmount>${category('TaxCategory', rate)}</cac:TaxSubtotal>`,
    ),
    [/(<cac:TaxTotal>\s*<cbc:TaxAmount currencyID="MYR">)99/, '$1129'],
    [/>495\.00</g, '>525.00<'],
    [
      /(<cbc:LineExtensionAmount currencyID="MYR">125.00<\/cbc:LineExtensionAmount>)/,
      `$1<cac:TaxTotal><cbc:TaxAmount currencyID="MYR">${ofLine}</cbc:TaxAmount></cac:TaxTotal>`,
    ],
    [/(<\/cac:ClassifiedTaxCategory>)/, `$1${category('ClassifiedTaxCategory')}`],
  ];
  expectEach([
    [[], ...nights('30.00')],
    [['aligned-ibrp-ttx-09'], ...nights('29.97')],
    [['aligned-ibrp-048', 'aligned-ibrp-ttx-08'], ...nights('30.00', '<cbc:Percent>10</cbc:Percent>')],
  ]);

  it('says what lines make', () => {
    expect(sentenceOf('pint-my', 'aligned-ibrp-ttx-09', ...nights('20.00'))).toContain(
      'is 30.00 but what lines, charges and allowances state adds up to 20.00',
    );
  });
});
