import { describe, expect, it } from 'vitest';
import { creditNote } from '../../../support/documents.ts';
import { type Change, changed } from '../../../support/judged.ts';
import { categorised, found, idsIn, sentenceOf, typed } from './examples.ts';
import { adjusted, breaks, follow, precede, type Row, without } from './rows.ts';

const expectEach = (rows: readonly Row[]): void => breaks('pint-jp', rows);

const ZERO = '<cbc:Amount currencyID="SEK">0</cbc:Amount>';
const NOTHING_ALLOWED = precede('<cbc:PayableAmount', '<cbc:AllowanceTotalAmount currencyID="SEK">0</cbc:AllowanceTotalAmount>');
const SUBTOTAL_TAX = /(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SEK">)99\.00/;
const registered = (number: string, scheme: string): Change =>
  precede(
    '<cac:PartyLegalEntity>',
    `<cac:PartyTaxScheme><cbc:CompanyID>${number}</cbc:CompanyID><cac:TaxScheme><cbc:ID>${scheme}</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`,
  );

describe('the document', () => {
  expectEach([
    [['aligned-ibrp-001-jp'], ['@jp-1', '@xx-1']],
    [[], ['urn:peppol:pint:billing-1@jp-1', 'urn:fdc:peppol:jp:billing:3.0']],
    [['aligned-ibrp-002-jp'], ['bis:billing', 'bis:other']],
    [['aligned-ibrp-cl-02-jp'], typed('383')],
    [['aligned-ibrp-052'], without(/<cac:InvoicePeriod>.*?<\/cac:InvoicePeriod>/)],
    [
      ['aligned-ibrp-014'],
      precede(
        '<cac:TaxTotal>',
        '<cac:PaymentMeans><cbc:PaymentMeansCode>10</cbc:PaymentMeansCode><cbc:PaymentID>2</cbc:PaymentID></cac:PaymentMeans>',
      ),
    ],
    [['aligned-ibrp-049', 'ibr-049'], without('<cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>')],
    [
      ['aligned-ibrp-017'],
      follow(
        '</cbc:PaymentID>',
        '<cac:CardAccount><cbc:PrimaryAccountNumberID>4111111</cbc:PrimaryAccountNumberID><cbc:NetworkID>VISA</cbc:NetworkID></cac:CardAccount>',
      ),
    ],
    [['aligned-ibr-jp-05', 'ibr-053', 'ibr-084'], follow('</cbc:DocumentCurrencyCode>', '<cbc:TaxCurrencyCode>EUR</cbc:TaxCurrencyCode>')],
    [
      ['aligned-ibrp-053-jp'],
      precede('<cac:LegalMonetaryTotal>', '<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">99.00</cbc:TaxAmount></cac:TaxTotal>'),
    ],
  ]);
});

describe('the seller', () => {
  expectEach([
    [['aligned-ibr-jp-01'], ['T1234567890123', '1234567890123']],
    [[], ['T1234567890123', '1234567890123'], ['2026-02-01', '2023-09-01'], ['2026-02-28', '2023-09-30']],
    [['aligned-ibr-jp-04', 'ibr-co-26'], without(/<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/)],
    [['aligned-ibrp-009', 'aligned-ibrp-sr-12'], registered('T2234567890123', 'VAT')],
    [[], registered('1', 'X')],
    [['aligned-ibrp-sr-13', 'ibr-sr-42'], registered('1', 'X'), registered('2', 'Y')],
    [['aligned-ibrp-sr-13', 'ibr-sr-42'], registered('1', 'X'), registered('2', 'Y'), ['<cbc:ID>Y</cbc:ID>', '<cbc:Name>Y</cbc:Name>']],
  ]);
});

describe('amounts', () => {
  const IN_YEN = follow('</cbc:DocumentCurrencyCode>', '<cbc:TaxCurrencyCode>JPY</cbc:TaxCurrencyCode>');
  /** Subtotals in the currency of the document are asked other questions than those in yen. */
  const totalInYen = (tax: string, category = '<cbc:ID>S</cbc:ID><cbc:Percent>25</cbc:Percent>'): Change =>
    precede(
      '<cac:LegalMonetaryTotal>',
      `<cac:TaxTotal><cbc:TaxAmount currencyID="JPY">1300</cbc:TaxAmount><cac:TaxSubtotal><cbc:TaxableAmount currencyID="JPY">5200</cbc:TaxableAmount><cbc:TaxAmount currencyID="JPY">${tax}</cbc:TaxAmount><cac:TaxCategory>${category}<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>`,
    );
  expectEach([
    [
      ['aligned-ibrp-051-jp', 'ibr-co-14'],
      [SUBTOTAL_TAX, '$1100.00'],
    ],
    [[], [/<cbc:Percent>25/g, '<cbc:Percent>24.9']],
    [[], [/<cbc:Percent>25/g, '<cbc:Percent>25.1']],
    [['aligned-ibrp-051-jp'], [/<cbc:Percent>25/g, '<cbc:Percent>25.3']],
    [[], [/SEK/g, 'JPY']],
    [[], IN_YEN, totalInYen('1300')],
    [['aligned-ibr-jp-06'], IN_YEN, totalInYen('1300.0')],
    [['aligned-ibrp-048'], IN_YEN, totalInYen('1300', '<cbc:ID>S</cbc:ID>')],
    [
      ['aligned-ibrp-047', 'aligned-ibrp-048', 'aligned-ibr-jp-03'].sort(),
      IN_YEN,
      totalInYen('1300'),
      [/(JPY[\s\S]*?<cac:TaxScheme><cbc:ID>)VAT/, '$1GST'],
    ],
    [['aligned-ibrp-045', 'aligned-ibrp-051-jp'], without(/<cbc:TaxableAmount.*?<\/cbc:TaxableAmount>/)],
    [[], adjusted({ category: 'S', inside: ZERO }), NOTHING_ALLOWED],
    [[], adjusted({ inside: ZERO }), NOTHING_ALLOWED],
    [
      ['aligned-ibrp-032-jp'],
      adjusted({ category: 'S', percent: '25', inside: ZERO }),
      NOTHING_ALLOWED,
      ['<cac:TaxCategory><cbc:ID>S</cbc:ID>', '<cac:TaxCategory>'],
    ],
    [['aligned-ibrp-051-jp'], [/(<cac:TaxSubtotal>[\s\S]*?)<cbc:Percent>25<\/cbc:Percent>/, '$1']],
  ]);

  it('names the whole yen that the tax may be', () => {
    expect(sentenceOf('pint-jp', 'aligned-ibrp-051-jp', [/<cbc:Percent>25/g, '<cbc:Percent>25.3'])).toContain('must be 100 or 101,');
  });
});

describe('tax categories', () => {
  const untaxed = (code: string, rate: string): Change[] => [
    [/<cbc:ID>S<\/cbc:ID>\s*<cbc:Percent>25<\/cbc:Percent>/g, `<cbc:ID>${code}</cbc:ID>${rate}`],
    [/>99\.00</g, '>0.00<'],
    [/>495\.00</g, '>396.00<'],
  ];
  const zero = '<cbc:Percent>0</cbc:Percent>';
  expectEach([
    [[], categorised('S', 'AA')],
    [['aligned-ibrp-cl-01-jp'], categorised('S', 'Z')],
    [['aligned-ibr-jp-03'], [/(TaxSubtotal>[\s\S]*?<cac:TaxScheme>\s*<cbc:ID>)VAT/, '$1GST']],
    [[], ...untaxed('E', zero)],
    [[], ...untaxed('G', zero)],
    [[], ...untaxed('O', '')],
    [['aligned-ibrp-051-jp', 'aligned-ibrp-o-05'], ...untaxed('O', zero)],
    [
      ['aligned-ibrp-051-jp', 'aligned-ibrp-o-09', 'ibr-co-14'],
      ...untaxed('O', ''),
      [/(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SEK">)0.00/, '$10.10'],
    ],
    [
      ['aligned-ibrp-051-jp', 'aligned-ibrp-e-09', 'ibr-co-14'],
      ...untaxed('E', zero),
      [/(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SEK">)0.00/, '$11.00'],
    ],
    [['aligned-ibrp-e-05'], ...untaxed('E', zero), [/(ClassifiedTaxCategory>\s*<cbc:ID>E<\/cbc:ID><cbc:Percent>)0/, '$11']],
    [['aligned-ibrp-g-01'], [/(ClassifiedTaxCategory>\s*<cbc:ID>)S(<\/cbc:ID>\s*<cbc:Percent>)25/, '$1G$20']],
  ]);
});

describe('invoices without tax', () => {
  it.each<[string[], Change[]]>([
    [['aligned-ibrp-001-jp-ntr'], [['nontaxinvoice-1', 'billing-1']]],
    [['aligned-ibr-jp-04-ntr'], [registered('T1', 'VAT')]],
    [
      ['aligned-ibr-jp-07-ntr', 'aligned-ibrp-o-09', 'ibr-co-14'],
      [[/(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SEK">)0.00/, '$11.00']],
    ],
    [['ibr-cl-01-jp-ntr'], [typed('380')]],
  ])('break %j', (ids, changes) => {
    expect(found('pint-jp-ntr', ...changes)).toEqual(ids);
  });
});

describe('self-billing', () => {
  it.each<[string[], Change[]]>([
    [['aligned-ibrp-001-jp-sb'], [['selfbilling-1', 'billing-1']]],
    [['aligned-ibrp-002-jp-sb'], [['bis:selfbilling', 'bis:billing']]],
    [['ibr-cl-01-jp-sb'], [typed('380')]],
    [['aligned-ibr-jp-01'], [['T1234567890123', '1']]],
  ])('breaks %j', (ids, changes) => {
    expect(found('pint-jp-sb', ...changes)).toEqual(ids);
  });

  it.each(['261', '381', '389'])('has no type for credit notes, such as %s', (type) => {
    const credited = changed(creditNote(), [/(<cbc:CustomizationID>)[^<]*/, '$1urn:peppol:pint:selfbilling-1@jp-1'], typed(type));
    expect(idsIn('pint-jp-sb', credited)).toContain('ibr-cl-01-jp-sb');
  });
});
