import { describe, expect, it } from 'vitest';
import type { Change } from '../../../support/judged.ts';
import { categorised, creditNoteOf, found, idsIn, invoiceOf, sentenceOf, typed } from './examples.ts';
import { adjusted, breaks, follow, precede, type Row, without } from './rows.ts';

const expectEach = (rows: readonly Row[]): void => breaks('pint-ae', rows);

const flags = (value: string): Change => [/(<cbc:ProfileExecutionID>)\d+/, `$1${value}`];
const LAST_OF_SELLER = 'Northern Paper Supplies AB</cbc:RegistrationName>';
const LAST_OF_BUYER = 'Lakeside Printing AB</cbc:RegistrationName>';
const numbered = (party: string, attributes: string): Change => follow(party, `<cbc:CompanyID${attributes}>1</cbc:CompanyID>`);
const SELLER_IN_UAE: Change = ['"0088">7300010000001', '"0235">1234567890'];
const BUYER_IN_UAE: Change = ['"0088">7350000000016', '"0235">2345678901'];
const NO_BUYER_TAX: Change = [/(AccountingCustomerParty>[\s\S]*?)<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/, '$1'];
const NO_SELLER_TAX: Change = without(/<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/);

describe('transactions', () => {
  const delivered = (country: string, rest = ''): Change =>
    precede(
      '<cac:PaymentMeans>',
      `<cac:Delivery><cac:DeliveryLocation><cac:Address>${rest}<cac:Country><cbc:IdentificationCode>${country}</cbc:IdentificationCode></cac:Country></cac:Address></cac:DeliveryLocation></cac:Delivery>`,
    );
  const IN_FULL = '<cbc:StreetName>a</cbc:StreetName><cbc:CityName>b</cbc:CityName><cbc:CountrySubentity>c</cbc:CountrySubentity>';
  expectEach([
    [['aligned-ibrp-001-ae'], ['@ae-1', '@xx-1']],
    [['aligned-ibrp-002-ae'], ['bis:billing', 'bis:other']],
    [['aligned-ibrp-002-ae'], ['urn:peppol:bis:billing', 'x-urn:peppol:bis:billing']],
    [['ibr-154-ae'], flags('0000000')],
    [['ibr-193-ae'], without(/<cbc:UUID>.*?<\/cbc:UUID>/)],
    [['ibr-007-ae'], flags('10000000')],
    [['ibr-116-ae'], flags('00100000')],
    [['ibr-138-ae'], flags('00010000')],
    [['ibr-137-ae', 'ibr-176-ae'], flags('00000100')],
    [['ibr-142-ae'], flags('00000010')],
    [[], flags('00000010'), delivered('SE', IN_FULL)],
    [['ibr-152-ae'], flags('00000001'), delivered('SE')],
    [[], flags('00000001'), delivered('AE')],
    [['ibr-127-ae'], without(/<cbc:DueDate>.*?<\/cbc:DueDate>/)],
    [[], flags('01000000'), without(/<cbc:DueDate>.*?<\/cbc:DueDate>/), without(/<cac:PaymentMeans>[\s\S]*?<\/cac:PaymentMeans>/)],
    [['ibr-191-ae'], without(/<cac:PaymentMeans>[\s\S]*?<\/cac:PaymentMeans>/)],
    [['ibr-192-ae'], without(/<cac:PayeeFinancialAccount>[\s\S]*?<\/cac:PayeeFinancialAccount>/)],
    [['ibr-cl-01'], typed('383')],
    [['ibr-122-ae', 'ibr-136-ae'], typed('480')],
    [['ibr-122-ae', 'ibr-136-ae', 'ibr-157-ae', 'ibr-138-ae'].sort(), typed('480'), flags('00010000')],
    [['ibr-141-ae'], follow('</cbc:Note>', '<cbc:TaxPointDate>2026-03-02</cbc:TaxPointDate>')],
    [[], follow('</cbc:Note>', '<cbc:TaxPointDate>2026-03-01</cbc:TaxPointDate>')],
    [['ibr-196-ae'], precede('<cac:PaymentMeans>', '<cac:DeliveryTerms><cbc:SpecialTerms>x</cbc:SpecialTerms></cac:DeliveryTerms>')],
  ]);

  it.each([
    [['ibr-055-ae', 'ibr-158-ae'], without(/<cac:DiscrepancyResponse>.*?<\/cac:DiscrepancyResponse>/)],
    [['ibr-055-ae'], without(/<cac:BillingReference>.*?<\/cac:BillingReference>/)],
    [['ibr-055-ae'], ['DL8.61.1.A', 'VD'] as Change],
    [['ibr-001-ae'], ['DL8.61.1.A', 'DL8'] as Change],
    [['ibr-124-ae'], precede('<cbc:CreditNoteTypeCode>', '<cbc:TaxPointDate>2026-03-01</cbc:TaxPointDate>')],
  ])('credit note: %j', (ids, change) => {
    const document = creditNoteOf('pint-ae', change);
    expect(document && idsIn('pint-ae', document)).toEqual(ids);
  });
});

describe('currencies', () => {
  const foreign: Change = [/AED/g, 'USD'];
  const rate = precede(
    '<cac:TaxTotal>',
    '<cac:TaxExchangeRate><cbc:SourceCurrencyCode>USD</cbc:SourceCurrencyCode><cbc:TargetCurrencyCode>AED</cbc:TargetCurrencyCode><cbc:CalculationRate>3.6725</cbc:CalculationRate></cac:TaxExchangeRate>',
  );
  const tax = follow('</cbc:DocumentCurrencyCode>', '<cbc:TaxCurrencyCode>AED</cbc:TaxCurrencyCode>');
  const total = precede('<cac:LegalMonetaryTotal>', '<cac:TaxTotal><cbc:TaxAmount currencyID="AED">72.72</cbc:TaxAmount></cac:TaxTotal>');
  const gross = follow(
    '</cac:OrderReference>',
    '<cac:AdditionalDocumentReference><cbc:ID>AED</cbc:ID><cbc:DocumentTypeCode>aedtotal-incl-vat</cbc:DocumentTypeCode><cbc:DocumentDescription>1527.03</cbc:DocumentDescription></cac:AdditionalDocumentReference>',
  );
  expectEach([
    [['ibr-159-ae', 'ibr-175-ae'], foreign],
    [[], foreign, tax, total, gross, rate],
    [['ibr-153-ae', 'ibr-159-ae'], foreign, tax, total, gross],
    // The rate of a payment is not that of the tax.
    [['ibr-153-ae', 'ibr-159-ae'], foreign, tax, total, gross, rate, [/cac:TaxExchangeRate/g, 'cac:PaymentExchangeRate']],
    [['ibr-175-ae'], foreign, tax, total, rate],
    [['ibr-002-ae'], foreign, tax, total, gross, rate, ['3.6725', '3.67250000']],
    [['ibr-140-ae', 'ibr-053', 'ibr-084'].sort(), tax, ['Code>AED</cbc:TaxC', 'Code>USD</cbc:TaxC']],
  ]);
});

describe('parties', () => {
  expectEach([
    [['ibr-143-ae'], without('<cbc:StreetName>Storgatan 1</cbc:StreetName>')],
    [['ibr-144-ae'], [/(AccountingCustomerParty>[\s\S]*?)<cbc:CityName>.*?<\/cbc:CityName>/, '$1']],
    [['ibr-134-ae', 'ibr-co-26'], NO_SELLER_TAX],
    [['ibr-150-ae'], SELLER_IN_UAE],
    [['ibr-181-ae'], SELLER_IN_UAE, numbered(LAST_OF_SELLER, '')],
    [['ibr-172-ae'], SELLER_IN_UAE, numbered(LAST_OF_SELLER, ' schemeAgencyID="TL"')],
    [[], SELLER_IN_UAE, numbered(LAST_OF_SELLER, ' schemeAgencyID="TL" schemeAgencyName="Dubai"')],
    [['ibr-012-ae'], numbered(LAST_OF_SELLER, ' schemeAgencyID="PAS" schemeAgencyName="XI"')],
    [['ibr-010-ae'], numbered(LAST_OF_BUYER, ' schemeAgencyID="PAS"')],
    [['ibr-101-ae'], numbered(LAST_OF_BUYER, ' schemeAgencyID="TL"')],
    [[], BUYER_IN_UAE],
    [[], BUYER_IN_UAE, ['>2345678901<', '> 1345678901 <']],
    [[], BUYER_IN_UAE, ['>2345678901<', '> 1345678901 <'], numbered(LAST_OF_BUYER, ' schemeAgencyID="X"')],
    [['ibr-135-ae', 'ibr-149-ae'], BUYER_IN_UAE, NO_BUYER_TAX],
    [['ibr-180-ae', 'ibr-183-ae'], BUYER_IN_UAE, numbered(LAST_OF_BUYER, '')],
    [['ibr-183-ae'], BUYER_IN_UAE, numbered(LAST_OF_BUYER, ' schemeAgencyID="X"')],
    [['ibr-132-ae'], [/<cbc:CountrySubentity>Z/g, '<cbc:CountrySubentity>DXB'], [/Code>SE</, 'Code>AE<']],
    [[], [/Code>SE</, 'Code>AE<'], ['SE730001000001', '100000000000003']],
    [
      ['ibr-133-ae', 'ibr-148-ae'],
      precede(
        '<cac:PartyLegalEntity>',
        '<cac:PartyTaxScheme><cbc:CompanyID>2234567890</cbc:CompanyID><cac:TaxScheme><cbc:ID>TIN</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>',
      ),
    ],
    [
      ['ibr-178-ae', 'aligned-ibrp-sr-12'].sort(),
      precede(
        '<cac:PartyLegalEntity>',
        '<cac:PartyTaxScheme><cbc:CompanyID>2234567890</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>',
      ),
    ],
  ]);
});

describe('lines', () => {
  expectEach([
    [['ibr-104-ae', 'ibr-194-ae'], without(/<cac:ItemPriceExtension>.*?<\/cac:ItemPriceExtension>/)],
    [['aligned-ibrp-s-08', 'ibr-145-ae'], without(/<cac:ClassifiedTaxCategory>[\s\S]*?<\/cac:ClassifiedTaxCategory>/)],
    [['ibr-147-ae', 'aligned-ibrp-004'].sort(), ['>125.00</cbc:PriceAmount>', '>126.00</cbc:PriceAmount>']],
    [['ibr-126-ae', 'ibr-147-ae'], without('<cbc:BaseQuantity unitCode="XBX">1</cbc:BaseQuantity>')],
    [['ibr-125-ae'], without('<cbc:Description>Paper</cbc:Description>')],
    [
      ['ibr-184-ae'],
      precede(
        '<cac:ClassifiedTaxCategory>',
        '<cac:CommodityClassification><cbc:CommodityCode>G</cbc:CommodityCode></cac:CommodityClassification>',
      ),
    ],
    [
      ['ibr-185-ae'],
      precede(
        '<cac:ClassifiedTaxCategory>',
        '<cac:CommodityClassification><cbc:CommodityCode>S</cbc:CommodityCode></cac:CommodityClassification>',
      ),
    ],
    [
      ['ibr-186-ae', 'ibr-188-ae'],
      precede(
        '<cac:ClassifiedTaxCategory>',
        '<cac:CommodityClassification><cbc:CommodityCode>B</cbc:CommodityCode><cbc:ItemClassificationCode listID="CG">1</cbc:ItemClassificationCode></cac:CommodityClassification>',
      ),
    ],
    [
      ['ibr-189-ae'],
      precede(
        '<cac:ClassifiedTaxCategory>',
        '<cac:AdditionalItemIdentification><cbc:ID schemeID="X">1</cbc:ID></cac:AdditionalItemIdentification>',
      ),
    ],
  ]);

  it.each([
    ['38.74', []],
    ['38.75', ['ibr-147-ae']],
  ])('works in floating point: 1.05 × 36.90 are not %s', (net, ids) => {
    const document = invoiceOf(
      'pint-ae',
      ['"XBX">1</cbc:InvoicedQuantity>', '"XBX">1.05</cbc:InvoicedQuantity>'],
      ['>125.00</cbc:PriceAmount>', '>36.90</cbc:PriceAmount>'],
      [/(<cac:InvoiceLine>[\s\S]*?)125\.00(<\/cbc:LineExtensionAmount>)/, `$1${net}$2`],
    );
    expect(idsIn('pint-ae', document).filter((id) => id === 'ibr-147-ae')).toEqual(ids);
  });

  it.each([
    ['true', []],
    ['1', ['ibr-147-ae']],
    [' true ', ['ibr-147-ae']],
  ])('counts charges that say so exactly, not with %j', (indicator, ids) => {
    const charge = `<cac:AllowanceCharge><cbc:ChargeIndicator>${indicator}</cbc:ChargeIndicator><cbc:AllowanceChargeReasonCode>FC</cbc:AllowanceChargeReasonCode><cbc:Amount currencyID="AED">5.00</cbc:Amount></cac:AllowanceCharge>`;
    const document = invoiceOf(
      'pint-ae',
      [/(<cac:InvoiceLine>[\s\S]*?)125\.00(<\/cbc:LineExtensionAmount>)/, '$1130.00$2'],
      precede('<cac:Item>', charge),
    );
    expect(idsIn('pint-ae', document).filter((id) => id === 'ibr-147-ae')).toEqual(ids);
  });

  it('shows the figures of a line', () => {
    expect(sentenceOf('pint-ae', 'ibr-147-ae', ['>125.00</cbc:PriceAmount>', '>126.00</cbc:PriceAmount>'])).toContain(
      'is 125.00 but quantity 1.00 × price 126.00 / base quantity 1.00 + charges 0.00 - allowances 0.00 = 126.00',
    );
  });
});

describe('allowances and charges', () => {
  const ZERO = '<cbc:Amount currencyID="AED">0</cbc:Amount>';
  const part = (amount: string, base = '0', percent = '10'): string =>
    `<cbc:MultiplierFactorNumeric>${percent}</cbc:MultiplierFactorNumeric><cbc:Amount currencyID="AED">${amount}</cbc:Amount><cbc:BaseAmount currencyID="AED">${base}</cbc:BaseAmount>`;
  const totalled = (charge: boolean): Change => {
    const tag = charge ? 'cbc:ChargeTotalAmount' : 'cbc:AllowanceTotalAmount';
    return precede('<cbc:PayableAmount', `<${tag} currencyID="AED">0</${tag}>`);
  };
  expectEach([
    [[], adjusted({ category: 'S', percent: '5', inside: part('0') }), totalled(false)],
    [['aligned-ibrp-032'], adjusted({ inside: ZERO }), totalled(false)],
    [['aligned-ibrp-037'], adjusted({ charge: true, inside: ZERO }), totalled(true)],
    [
      ['aligned-ibrp-057'],
      adjusted({ category: 'S', percent: '5', inside: `${ZERO}<cbc:BaseAmount currencyID="AED">0</cbc:BaseAmount>` }),
      totalled(false),
    ],
    [
      ['aligned-ibrp-058'],
      adjusted({
        charge: true,
        category: 'S',
        percent: '5',
        inside: `<cbc:MultiplierFactorNumeric>1</cbc:MultiplierFactorNumeric>${ZERO}`,
      }),
      totalled(true),
    ],
    [['aligned-ibrp-s-08', 'ibr-131-ae', 'ibr-co-11'], adjusted({ category: 'S', percent: '5', inside: part('1') }), totalled(false)],
    [
      ['aligned-ibrp-s-08', 'ibr-146-ae', 'ibr-co-12'],
      adjusted({ charge: true, category: 'S', percent: '5', inside: part('1') }),
      totalled(true),
    ],
    [['aligned-ibrp-s-08', 'ibr-co-11'], adjusted({ category: 'S', percent: '5', inside: part('0.61', '8.2', '7.5') }), totalled(false)],
    [
      ['aligned-ibrp-s-08', 'ibr-131-ae', 'ibr-co-11'],
      adjusted({ category: 'S', percent: '5', inside: part('0.62', '8.2', '7.5') }),
      totalled(false),
    ],
    [['ibr-105-ae', 'ibr-115-ae'], adjusted({ category: 'N', percent: '5', inside: ZERO }), totalled(false)],
    [['ibr-105-ae', 'ibr-114-ae'], adjusted({ charge: true, category: 'N', percent: '5', inside: ZERO }), totalled(true)],
    [['aligned-ibrp-s-06', 'ibr-190-ae'], adjusted({ category: 'S', percent: '0', inside: ZERO }), totalled(false)],
    [['aligned-ibrp-e-01', 'aligned-ibrp-e-07'], adjusted({ charge: true, category: 'E', percent: '5', inside: ZERO }), totalled(true)],
  ]);
});

describe('tax categories', () => {
  /** 396.00 of a category without tax. */
  const untaxed = (code: string, ofLine: string, ofSubtotal: string): Change[] => [
    [/>19\.80</g, '>0<'],
    [/>415\.80</g, '>396.00<'],
    [/(<cac:TaxSubtotal>[\s\S]*?)<cbc:ID>S<\/cbc:ID>\s*<cbc:Percent>5<\/cbc:Percent>/, `$1<cbc:ID>${code}</cbc:ID>${ofSubtotal}`],
    [/<cbc:ID>S<\/cbc:ID>\s*<cbc:Percent>5<\/cbc:Percent>/g, `<cbc:ID>${code}</cbc:ID>${ofLine}`],
  ];
  const ZERO = '<cbc:Percent>0</cbc:Percent>';
  const noLineTax: Change = [/(<cac:ItemPriceExtension>.*?<cbc:TaxAmount currencyID="AED">)[\d.]+/g, '$10'];
  const reasoned: Change = [
    /(<cac:ClassifiedTaxCategory>\s*<cbc:ID>E<\/cbc:ID>)/g,
    '$1<cbc:TaxExemptionReasonCode>DL8.46.1</cbc:TaxExemptionReasonCode>',
  ];
  const withoutTax: Change = [/(<cac:ItemPriceExtension>.*?)<cac:TaxTotal>.*?<\/cac:TaxTotal>/g, '$1'];
  expectEach([
    [['aligned-ibrp-s-08'], ['<cbc:TaxableAmount currencyID="AED">396.00', '<cbc:TaxableAmount currencyID="AED">396.03']],
    [[], ['<cbc:TaxableAmount currencyID="AED">396.00', '<cbc:TaxableAmount currencyID="AED">396.02']],
    [['aligned-ibrp-045', 'aligned-ibrp-s-08', 'aligned-ibrp-s-09'], without(/<cbc:TaxableAmount.*?<\/cbc:TaxableAmount>/)],
    [
      ['aligned-ibrp-s-10'],
      [/(<cac:TaxSubtotal>[\s\S]*?<cbc:Percent>5<\/cbc:Percent>)/, '$1<cbc:TaxExemptionReason>x</cbc:TaxExemptionReason>'],
    ],
    [
      ['aligned-ibrp-s-05', 'aligned-ibrp-s-08'],
      [/(<cac:ClassifiedTaxCategory>\s*<cbc:ID>S<\/cbc:ID>\s*<cbc:Percent>)5/, '$10'],
    ],
    [['ibr-139-ae'], categorised('S', 'X')],
    // Where a subtotal has no code, there is none that could be wrong.
    [
      ['aligned-ibrp-047'],
      ...untaxed('N', '<cbc:Percent>5</cbc:Percent>', '<cbc:Percent>5</cbc:Percent>'),
      [/(<cbc:ProfileExecutionID>)\d+/, '$100100000'],
      [/(<cac:TaxSubtotal>[\s\S]*?)<cbc:ID>N<\/cbc:ID>/, '$1'],
    ],
    [[], ...untaxed('Z', ZERO, ZERO), noLineTax],
    [['ibr-165-ae'], ...untaxed('Z', ZERO, ZERO)],
    [['aligned-ibrp-z-05', 'ibr-120-ae'], ...untaxed('Z', '<cbc:Percent>1</cbc:Percent>', '<cbc:Percent>1</cbc:Percent>'), noLineTax],
    [['ibr-151-ae'], ...untaxed('O', '', '')],
    [['aligned-ibrp-o-05', 'aligned-ibrp-o-11-ae', 'ibr-119-ae', 'ibr-151-ae'], ...untaxed('O', ZERO, ZERO)],
    [['ibr-151-ae'], ...untaxed('E', '', ''), reasoned, withoutTax],
    [['ibr-151-ae'], ...untaxed('E', '', ''), reasoned, withoutTax, [/<cbc:ID>E<\/cbc:ID>(<cbc:TaxEx)/, '<cbc:ID> E </cbc:ID>$1']],
    [['ibr-163-ae', 'ibr-167-ae', 'ibr-151-ae'].sort(), ...untaxed('E', '', '')],
    [['aligned-ibrp-e-05', 'ibr-119-ae', 'ibr-121-ae', 'ibr-151-ae'], ...untaxed('E', ZERO, ZERO), reasoned, withoutTax],
    [['ibr-166-ae', 'ibr-174-ae'], ...untaxed('AE', ZERO, ZERO), noLineTax],
    [['ibr-103-ae', 'ibr-162-ae', 'ibr-166-ae', 'ibr-174-ae'], ...untaxed('AE', ZERO, ZERO), NO_BUYER_TAX],
    [['aligned-ibrp-ae-05-ae', 'ibr-119-ae', 'aligned-ibrp-048', 'ibr-166-ae', 'ibr-174-ae'].sort(), ...untaxed('AE', '', ''), noLineTax],
    [[], ...untaxed('N', '<cbc:Percent>5</cbc:Percent>', '<cbc:Percent>5</cbc:Percent>')],
    [['ibr-111-ae'], ...untaxed('N', ZERO, ZERO)],
    [['ibr-102-ae'], ...untaxed('N', '<cbc:Percent>5</cbc:Percent>', '<cbc:Percent>6</cbc:Percent>')],
    [
      ['ibr-108-ae'],
      ...untaxed('N', '<cbc:Percent>5</cbc:Percent>', '<cbc:Percent>5</cbc:Percent>'),
      [/(TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="AED">)0/, '$11'],
      [/(<cac:TaxTotal>\s*<cbc:TaxAmount currencyID="AED">)0</, '$11<'],
      [/>396.00(<\/cbc:(?:TaxInclusive|Payable)Amount>)/g, '>397.00$1'],
    ],
  ]);
});

describe('self-billing in the Emirates', () => {
  it.each(['389', '480'])('takes invoices of type %s', (type) => {
    expect(found('pint-ae-sb', typed(type))).not.toContain('ibr-cl-01');
  });

  it.each([
    ['261', false],
    ['81', false],
    ['381', true],
  ])('takes credit notes of type 261 and 81: %s is refused: %s', (type, refused) => {
    const credited = creditNoteOf('pint-ae-sb', typed(type));
    expect(credited && idsIn('pint-ae-sb', credited).includes('ibr-cl-01')).toBe(refused);
  });

  it('refuses the types of billing', () => {
    expect(found('pint-ae-sb', typed('380'))).toContain('ibr-cl-01');
  });
});
