import { describe, expect, it } from 'vitest';
import { CATEGORIES } from '#rules/en16931/vat-categories.ts';
import type { Change } from '../../../support/judged.ts';
import { adjusted, adjustment, amount, CATEGORY_CODES, DELIVERY, ids, invoiceIn, sentenceOf, withoutVatNumbers } from './examples.ts';

const PREFIXES = new Map(CATEGORIES.map(({ code, ids }) => [code, ids]));
const TABLE = CATEGORY_CODES.map((code) => ({ code, id: PREFIXES.get(code) ?? '' }));
/** Those without a rate of their own are in the breakdown once. */
const ZERO_RATED = TABLE.filter(({ code }) => !['S', 'L', 'M'].includes(code));
const RATED = TABLE.filter(({ code }) => ['S', 'L', 'M'].includes(code));

const SUBTOTAL = /<cac:TaxSubtotal>[\s\S]*?<\/cac:TaxSubtotal>/;
const percentOfLine = (percent: string): Change => [/(<cac:ClassifiedTaxCategory>[\s\S]*?<cbc:Percent>)[^<]+/, `$1${percent}`];
const taxOfSubtotal = (tax: string): Change => [/(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SEK">)[^<]+/, `$1${tax}`];

describe.each(TABLE)('VAT category $code', ({ code, id }) => {
  it('is clean when everything is right', () => {
    expect(ids(invoiceIn(code))).toEqual([]);
  });

  it('is in the breakdown when it is used', () => {
    expect(ids(invoiceIn(code, [SUBTOTAL, '']), `${id}-`)).toEqual([`${id}-01`]);
    expect(sentenceOf(invoiceIn(code, [SUBTOTAL, '']), `${id}-01`)).toContain('add a cac:TaxTotal/cac:TaxSubtotal');
  });

  it('is not in the breakdown when only another one is used', () => {
    const others: Change = [/(<cac:ClassifiedTaxCategory>\s*<cbc:ID>)\w+/g, code === 'Z' ? '$1E' : '$1Z'];
    // Where one subtotal is asked for, one that nothing is in is found by its amount.
    const wanted = code === 'S' || code === 'L' || code === 'M' ? [`${id}-01`, `${id}-08`] : [`${id}-08`];
    expect(ids(invoiceIn(code, others), `${id}-`)).toEqual(expect.arrayContaining(wanted));
  });

  it.each([
    ['allowance', '03', '06'],
    ['charge', '04', '07'],
  ] as const)('is asked of an %s, too', (kind, numbering, rate) => {
    const wrongRate = code === 'O' ? '5' : code === 'S' ? '0' : '-1';
    expect(ids(invoiceIn(code, adjusted(adjustment(kind, code, wrongRate))), `${id}-`)).toContain(`${id}-${rate}`);
    const unnumbered: Change =
      code === 'O'
        ? [
            '<cac:PartyLegalEntity>',
            '<cac:PartyTaxScheme><cbc:CompanyID>SE1</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>$&',
          ]
        : withoutVatNumbers;
    expect(ids(invoiceIn(code, adjusted(adjustment(kind, code)), unnumbered), `${id}-`)).toContain(`${id}-${numbering}`);
  });

  it('wants a rate that fits, on lines', () => {
    if (code === 'O') {
      expect(
        ids(invoiceIn(code, [/(<cac:ClassifiedTaxCategory>\s*<cbc:ID>O<\/cbc:ID>)/, '$1<cbc:Percent>0</cbc:Percent>']), `${id}-`),
      ).toEqual([`${id}-05`]);
      return;
    }
    expect(ids(invoiceIn(code, percentOfLine(code === 'S' ? '0' : '-1')), `${id}-`)).toContain(`${id}-05`);
    expect(ids(invoiceIn(code, percentOfLine('none')), `${id}-`)).toContain(`${id}-05`);
  });

  it('adds up to its taxable amount', () => {
    const wrong = invoiceIn(code, amount('TaxableAmount', '390.00'));
    expect(ids(wrong, `${id}-0`)).toContain(`${id}-08`);
    expect(sentenceOf(wrong, `${id}-08`)).toContain('is 390.00 but its lines add up to 396.00');
  });

  it('has the VAT that belongs to it', () => {
    expect(ids(invoiceIn(code, taxOfSubtotal('42.00')), `${id}-0`)).toEqual([`${id}-09`]);
  });

  it('has a reason for an exemption, or none', () => {
    const exempt = new TextDecoder().decode(invoiceIn(code)).includes('TaxExemptionReason');
    const other: Change = exempt
      ? [/<cbc:TaxExemptionReason>.*?<\/cbc:TaxExemptionReason>/, '']
      : [/(<cac:TaxSubtotal>[\s\S]*?)(<cac:TaxScheme>)/, '$1<cbc:TaxExemptionReasonCode>VATEX-EU-O</cbc:TaxExemptionReasonCode>$2'];
    expect(ids(invoiceIn(code, other))).toEqual([`${id}-10`]);
  });
});

describe('the breakdown', () => {
  it.each(ZERO_RATED)('has category $code once', ({ code, id }) => {
    expect(ids(invoiceIn(code, [SUBTOTAL, '$&$&']), `${id}-0`)).toContain(`${id}-01`);
    expect(sentenceOf(invoiceIn(code, [SUBTOTAL, '$&$&']), `${id}-01`)).toContain('2 subtotals');
  });

  it.each(RATED)('may have category $code once for each rate', ({ code, id }) => {
    expect(ids(invoiceIn(code, [SUBTOTAL, '$&$&']), `${id}-01`)).toEqual([]);
  });

  it.each(RATED)('forgives less than one unit in category $code, not more', ({ code, id }) => {
    expect(ids(invoiceIn(code, amount('TaxableAmount', '396.99')), `${id}-`)).toEqual([]);
    expect(ids(invoiceIn(code, amount('TaxableAmount', '397.00')), `${id}-`)).toEqual([`${id}-08`]);
    expect(ids(invoiceIn(code, taxOfSubtotal('99.99')), `${id}-`)).toEqual([]);
    expect(ids(invoiceIn(code, taxOfSubtotal('100.00')), `${id}-`)).toEqual([`${id}-09`]);
  });

  it('takes 25 and 25.00 for one rate', () => {
    expect(ids(invoiceIn('S', percentOfLine('25.00')))).toEqual([]);
  });

  it('counts allowances and charges of the document, not those of lines', () => {
    const onDocument = adjusted(adjustment('allowance', 'S', '25', '30.00'), adjustment('charge', 'S', '25', '10.00'));
    expect(ids(invoiceIn('S', onDocument, amount('TaxableAmount', '376.00')), 'BR-S-08')).toEqual([]);
    expect(sentenceOf(invoiceIn('S', onDocument), 'BR-S-08')).toContain('lines 396.00 - allowances 30.00 + charges 10.00 = 376.00');
    const onLine: Change = ['<cac:Item>', `${adjustment('charge', 'S', '25', '10.00')}$&`];
    expect(ids(invoiceIn('S', onLine), 'BR-S-')).toEqual([]);
  });

  it('takes minus zero for a rate below zero where zero is allowed, as the official rules compare', () => {
    expect(ids(invoiceIn('L', percentOfLine('-0.00')), 'BR-AF-05')).toEqual(['BR-AF-05']);
    expect(ids(invoiceIn('Z', percentOfLine('-0.00')), 'BR-Z-05')).toEqual([]);
  });

  it('does not ask lines of S for the scheme, but accepts only VAT', () => {
    const ofOtherTax: Change = [/(<cac:ClassifiedTaxCategory>[\s\S]*?<cac:TaxScheme>\s*<cbc:ID>)VAT/g, '$1GST'];
    expect(ids(invoiceIn('S', ofOtherTax), 'BR-S-')).toEqual(['BR-S-02']);
    expect(ids(invoiceIn('Z', ofOtherTax), 'BR-Z-')).toEqual([]);
  });
});

describe('numbers of seller and buyer', () => {
  const another = (party: string): Change => [
    new RegExp(`(<cac:Accounting${party}Party>[\\s\\S]*?<cac:TaxScheme>\\s*<cbc:ID>)VAT`),
    '$1TAX',
  ];
  const buyerRegistered: Change = [/(Lakeside Printing AB<\/cbc:RegistrationName>)/, '$1<cbc:CompanyID>5560000002</cbc:CompanyID>'];
  const representative: Change = [
    '</cac:AccountingCustomerParty>',
    '$&<cac:TaxRepresentativeParty><cac:PartyTaxScheme><cbc:CompanyID>SE2</cbc:CompanyID><cac:TaxScheme><cbc:ID>vat</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme></cac:TaxRepresentativeParty>',
  ];

  it.each(['S', 'Z', 'E', 'L', 'M'])('of category %s: any of the seller, or the VAT number of its representative', (code) => {
    const id = PREFIXES.get(code);
    expect(ids(invoiceIn(code, another('Supplier')), `${id}-02`)).toEqual([]);
    expect(ids(invoiceIn(code, withoutVatNumbers), `${id}-02`)).toEqual([`${id}-02`]);
    expect(ids(invoiceIn(code, withoutVatNumbers, representative), `${id}-02`)).toEqual([]);
  });

  it.each(['K', 'G'])('of category %s: the VAT number of the seller or its representative', (code) => {
    const id = PREFIXES.get(code);
    expect(ids(invoiceIn(code, another('Supplier')), `${id}-02`)).toEqual([`${id}-02`]);
    expect(ids(invoiceIn(code, another('Supplier'), representative), `${id}-02`)).toEqual([]);
  });

  it('of category K: the VAT number of the buyer; of AE also its number in the register', () => {
    expect(ids(invoiceIn('K', another('Customer')), 'BR-IC-02')).toEqual(['BR-IC-02']);
    expect(ids(invoiceIn('K', another('Customer'), buyerRegistered), 'BR-IC-02')).toEqual(['BR-IC-02']);
    expect(ids(invoiceIn('AE', another('Customer')), 'BR-AE-02')).toEqual(['BR-AE-02']);
    expect(ids(invoiceIn('AE', another('Customer'), buyerRegistered), 'BR-AE-02')).toEqual([]);
  });

  it('of category O: none', () => {
    expect(ids(invoiceIn('O', representative), 'BR-O-02')).toEqual(['BR-O-02']);
    expect(sentenceOf(invoiceIn('O', representative), 'BR-O-02')).toContain(
      'the tax representative has a VAT number: take its cac:PartyTaxScheme out',
    );
  });
});

describe('what categories go together with', () => {
  const secondLine = (code: string): Change => [
    /(<cac:ClassifiedTaxCategory>[\s\S]*<cac:ClassifiedTaxCategory>\s*<cbc:ID>)\w+/,
    `$1${code}`,
  ];

  it('O stands alone', () => {
    expect(ids(invoiceIn('O', secondLine('Z')), 'BR-O-1')).toEqual(['BR-O-12']);
    expect(ids(invoiceIn('O', adjusted(adjustment('allowance', 'Z'))), 'BR-O-1')).toEqual(['BR-O-13']);
    expect(ids(invoiceIn('O', adjusted(adjustment('charge', 'Z'))), 'BR-O-1')).toEqual(['BR-O-14']);
    expect(
      ids(
        invoiceIn('O', [
          SUBTOTAL,
          `$&<cac:TaxSubtotal><cac:TaxCategory><cbc:ID>Z</cbc:ID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:TaxSubtotal>`,
        ]),
        'BR-O-1',
      ),
    ).toEqual(['BR-O-11']);
  });

  it('B is of Italy, and not mixed with S', () => {
    const split: Change = [/<cbc:ID>S</g, '<cbc:ID>B<'];
    expect(ids(invoiceIn('S', split), 'BR-B-')).toEqual(['BR-B-01']);
    expect(ids(invoiceIn('S', split, [/(<cbc:IdentificationCode>)SE/g, '$1IT']), 'BR-B-')).toEqual([]);
    expect(ids(invoiceIn('S', secondLine('B'), [/(<cbc:IdentificationCode>)SE/g, '$1IT']), 'BR-B-')).toEqual(['BR-B-02']);
  });

  it('K needs a date and a country of delivery', () => {
    expect(ids(invoiceIn('K', [DELIVERY, '']))).toEqual(['BR-IC-11', 'BR-IC-12']);
    const period = '<cac:InvoicePeriod><cbc:StartDate>2026-02-01</cbc:StartDate></cac:InvoicePeriod>';
    expect(ids(invoiceIn('K', [DELIVERY, ''], ['<cac:OrderReference>', `${period}$&`]))).toEqual(['BR-IC-12']);
  });
});
