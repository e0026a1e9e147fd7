// Cases that few documents have: each would pass unseen if a condition of its rule were turned round.
import { describe, expect, it } from 'vitest';
import { type Change, changed } from '../../../support/judged.ts';
import { creditNoteOf, found, idsIn, type Jurisdiction } from './examples.ts';
import { adjusted, breaks, follow, precede } from './rows.ts';

function foundInCreditNote(jurisdiction: Jurisdiction, ...changes: readonly Change[]): readonly string[] | undefined {
  const document = creditNoteOf(jurisdiction);
  return document && idsIn(jurisdiction, changed(document, ...changes));
}

const referred = (inside: string): Change =>
  follow('</cac:OrderReference>', `<cac:AdditionalDocumentReference>${inside}</cac:AdditionalDocumentReference>`);
const typed = (type: string, scheme = ''): Change =>
  referred(`<cbc:ID${scheme}>7</cbc:ID><cbc:DocumentTypeCode>${type}</cbc:DocumentTypeCode>`);
const totalled = (tag: string, currency: string): Change =>
  precede('<cbc:PayableAmount', `<cbc:${tag} currencyID="${currency}">0</cbc:${tag}>`);

describe('references', () => {
  breaks('pint', [
    [['ibr-cl-07'], typed('130', ' schemeID="XYZ"')],
    [[], typed('916', ' schemeID="XYZ"')],
    [[], typed('130')],
  ]);

  it('to a project are for credit notes in Australia', () => {
    expect(found('pint-aunz', typed('50'))).toEqual(['aligned-ibrp-sr-43']);
    expect(foundInCreditNote('pint-aunz', typed('50'))).toEqual([]);
  });
});

describe('totals', () => {
  const sum = (to: string): Change => [
    '<cbc:LineExtensionAmount currencyID="SEK">396.00',
    `<cbc:LineExtensionAmount currencyID="SEK">${to}`,
  ];
  const zero = '<cbc:Amount currencyID="SEK">0</cbc:Amount>';
  breaks('pint', [
    [[], sum('396')],
    [['ibr-co-10', 'ibr-co-13'], sum('396.001')],
    // An allowance alone, and a charge alone, have the sum rounded.
    [['ibr-co-10'], sum('396.001'), adjusted({ inside: zero }), totalled('AllowanceTotalAmount', 'SEK')],
    [['ibr-co-10'], sum('396.001'), adjusted({ charge: true, inside: zero }), totalled('ChargeTotalAmount', 'SEK')],
  ]);
});

describe('tourism tax', () => {
  const category = (tag: string): string =>
    `<cac:${tag}><cbc:ID>TTX</cbc:ID><cac:TaxScheme><cbc:ID>AAL</cbc:ID></cac:TaxScheme></cac:${tag}>`;
  /** 30.00 for nights on a line, with a charge and an allowance of 4.00 and 3.00 of which some are for nights, too. */
  const nights = (total: string, charged: string, allowed: string): Change[] => [
    follow(
      '</cac:TaxSubtotal>',
      `<cac:TaxSubtotal><cbc:TaxAmount currencyID="MYR">${total}</cbc:TaxAmount>${category('TaxCategory')}</cac:TaxSubtotal>`,
    ),
    [
      /(<cbc:LineExtensionAmount currencyID="MYR">125.00<\/cbc:LineExtensionAmount>)/,
      '$1<cac:TaxTotal><cbc:TaxAmount currencyID="MYR">30.00</cbc:TaxAmount></cac:TaxTotal>',
    ],
    [/(<\/cac:ClassifiedTaxCategory>)/, `$1${category('ClassifiedTaxCategory')}`],
    precede(
      '<cac:TaxTotal>',
      `<cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:Amount currencyID="MYR">4.00</cbc:Amount>${charged}</cac:AllowanceCharge>
      <cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:Amount currencyID="MYR">3.00</cbc:Amount>${allowed}</cac:AllowanceCharge>`,
    ),
  ];
  const TTX = category('TaxCategory');

  it.each([
    ['30.00', '', ''],
    ['34.00', TTX, ''],
    ['27.00', '', TTX],
    ['31.00', TTX, TTX],
  ])('is %s', (total, charged, allowed) => {
    expect(found('pint-my', ...nights(total, charged, allowed))).not.toContain('aligned-ibrp-ttx-09');
    expect(found('pint-my', ...nights('90.00', charged, allowed))).toContain('aligned-ibrp-ttx-09');
  });
});

describe('the Emirates', () => {
  const marginScheme: Change[] = [
    [/>19\.80</g, '>0<'],
    [/>415\.80</g, '>396.00<'],
    [/<cbc:ID>S<\/cbc:ID>/g, '<cbc:ID>N</cbc:ID>'],
  ];
  const BUYER: Change = ['"0088">7350000000016', '"0235">9345678901'];
  const NO_BUYER_TAX: Change = [/(AccountingCustomerParty>[\s\S]*?)<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/, '$1'];
  breaks('pint-ae', [
    [[], ...marginScheme],
    [['aligned-ibrp-048', 'ibr-102-ae', 'ibr-119-ae'], ...marginScheme, [/(<cac:TaxSubtotal>[\s\S]*?)<cbc:Percent>5<\/cbc:Percent>/, '$1']],
    // An electronic address that begins with 9 stands for a tax number, but not for the identifier of the buyer.
    [['ibr-135-ae'], BUYER, NO_BUYER_TAX],
  ]);

  it('take an agent who is somebody else', () => {
    const flags: Change = [/(<cbc:ProfileExecutionID>)\d+/, '$100000100'];
    const principal = (id: string): Change =>
      precede(
        '<cac:PaymentMeans>',
        `<cac:SellerSupplierParty><cac:Party><cac:PartyIdentification><cbc:ID>${id}</cbc:ID></cac:PartyIdentification></cac:Party></cac:SellerSupplierParty>`,
      );
    expect(found('pint-ae', flags, principal('100000000000003'))).toEqual([]);
    expect(found('pint-ae', flags, principal('SE730001000001'))).toEqual(['ibr-176-ae']);
  });
});

describe('Singapore', () => {
  const reasons = '<cbc:TaxExemptionReason>a</cbc:TaxExemptionReason><cbc:TaxExemptionReason>b</cbc:TaxExemptionReason>';
  breaks('pint-sg', [
    [
      ['UBL-SR-38-GST-SG', 'ibr-sr-38'],
      [/(<cac:ClassifiedTaxCategory>[\s\S]*?<\/cbc:Percent>)/, `$1${reasons}`],
    ],
    [
      ['UBL-SR-32-SG', 'ibr-sr-32'],
      [/(<cac:TaxSubtotal>[\s\S]*?<\/cbc:Percent>)/, `$1${reasons}`],
    ],
  ]);
});
