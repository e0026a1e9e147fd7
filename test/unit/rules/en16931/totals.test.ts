import { describe, expect, it } from 'vitest';
import { creditNote, invoice } from '../../../support/documents.ts';
import { type Change, changed } from '../../../support/judged.ts';
import { adjusted, adjustment, amount, ids, invoiceIn, sentenceOf, without } from './examples.ts';

/** Ours has lines of 396.00, VAT of 99.00 and 495.00 to pay. */
const wrong = (...changes: readonly Change[]) => invoiceIn('S', ...changes);
const total = (tag: string, value: string): Change => ['</cac:LegalMonetaryTotal>', `<cbc:${tag} currencyID="SEK">${value}</cbc:${tag}>$&`];
const TAX_TOTAL = /<cac:TaxTotal>[\s\S]*?<\/cac:TaxTotal>/;

describe('totals', () => {
  it.each([
    ['BR-12', 'LineExtensionAmount'],
    ['BR-13', 'TaxExclusiveAmount'],
    ['BR-14', 'TaxInclusiveAmount'],
    ['BR-15', 'PayableAmount'],
  ])('%s: %s is there', (id, tag) => {
    const missing = wrong([new RegExp(`(<cac:LegalMonetaryTotal>[\\s\\S]*?)<cbc:${tag} .*?</cbc:${tag}>`), '$1']);
    expect(ids(missing)).toContain(id);
    expect(sentenceOf(missing, id)).toContain(`add cac:LegalMonetaryTotal/cbc:${tag}`);
  });

  it('says by how much the lines miss their sum, on invoices and credit notes', () => {
    const change: Change = [/(<cac:LegalMonetaryTotal>\s*<cbc:LineExtensionAmount currencyID="SEK">)[^<]+/, '$1400.00'];
    for (const document of [invoice(), creditNote()]) {
      expect(ids(changed(document, change))).toEqual(['BR-CO-10', 'BR-CO-13']);
      expect(sentenceOf(changed(document, change), 'BR-CO-10')).toContain('is 400.00, but their net amounts add up to 396.00');
    }
  });

  it('says what the total without VAT would be', () => {
    const document = wrong(total('AllowanceTotalAmount', '30.00'), total('ChargeTotalAmount', '10.00'));
    expect(sentenceOf(document, 'BR-CO-13')).toContain('is 396.00 but lines 396.00 - allowances 30.00 + charges 10.00 = 376.00');
  });

  it('wants the allowances and charges of the document as totals', () => {
    const allowance = adjusted(adjustment('allowance', 'S', '25', '30.00'));
    const charge = adjusted(adjustment('charge', 'S', '25', '10.00'));
    expect(sentenceOf(wrong(allowance), 'BR-CO-11')).toContain('is not given, but the allowances of the document add up to 30.00');
    expect(sentenceOf(wrong(charge, total('ChargeTotalAmount', '9.00')), 'BR-CO-12')).toContain('is 9.00, but the charges');
    expect(ids(wrong(allowance, total('AllowanceTotalAmount', '30.00')), 'BR-CO-11')).toEqual([]);
    expect(ids(wrong(total('AllowanceTotalAmount', '0.00'), total('ChargeTotalAmount', '0')), 'BR-CO-1')).toEqual([]);
    expect(ids(wrong(total('ChargeTotalAmount', '5.00')), 'BR-CO-12')).toEqual(['BR-CO-12']);
  });

  const LINE_NET: Change = [/(<cac:InvoiceLine>[\s\S]*?LineExtensionAmount currencyID="SEK">)(\d+)\.\d\d/, '$1$2.004'];
  it.each<[what: string, id: string, changes: readonly Change[]]>([
    ['lines', 'BR-CO-10', [LINE_NET]],
    [
      'allowances',
      'BR-CO-11',
      [
        adjusted(adjustment('allowance', 'S', '25', '10.004'), adjustment('allowance', 'S', '25', '10.004')),
        total('AllowanceTotalAmount', '20.01'),
      ],
    ],
    ['charges', 'BR-CO-12', [adjusted(adjustment('charge', 'S', '25', '10.004')), total('ChargeTotalAmount', '10.00')]],
    ['the total without VAT', 'BR-CO-13', [total('AllowanceTotalAmount', '30.004'), amount('TaxExclusiveAmount', '366.00')]],
    ['the total without VAT, of charges', 'BR-CO-13', [total('ChargeTotalAmount', '30.004'), amount('TaxExclusiveAmount', '426.00')]],
    ['the total with VAT', 'BR-CO-15', [[/(<cac:TaxTotal>\s*<cbc:TaxAmount currencyID="SEK">)99\.00/, '$199.004']]],
    ['what is prepaid', 'BR-CO-16', [total('PrepaidAmount', '100.004'), amount('PayableAmount', '395.00')]],
    ['what is rounded for paying', 'BR-CO-16', [total('PayableRoundingAmount', '0.004')]],
  ])('of thousandths are rounded to hundredths before they are compared: %s', (_, id, changes) => {
    expect(ids(wrong(...changes), id)).toEqual([]);
    // They were changed, and the decimals are told of.
    expect(ids(wrong(...changes))).toContainEqual(expect.stringMatching(/^(?:BR-DEC-|UBL-DT-01)/));
  });

  it('shows the figures of the total with VAT', () => {
    const document = wrong(amount('TaxInclusiveAmount', '1250.00'), amount('PayableAmount', '1250.00'));
    expect(ids(document)).toEqual(['BR-CO-15']);
    expect(sentenceOf(document, 'BR-CO-15')).toBe(
      'The total with VAT is 1,250.00 but net 396.00 + VAT 99.00 = 495.00: correct cac:LegalMonetaryTotal/cbc:TaxInclusiveAmount or the amounts it adds up.',
    );
  });

  it('takes exactly one total of VAT in the currency of the document', () => {
    expect(sentenceOf(wrong([TAX_TOTAL, '$&$&']), 'BR-CO-15')).toContain('2 totals of VAT are in SEK');
    expect(sentenceOf(wrong([/(<cac:TaxTotal>\s*<cbc:TaxAmount currencyID=")SEK/, '$1EUR']), 'BR-CO-15')).toContain(
      'No total of VAT is in SEK',
    );
    const inAnother: Change = [
      '<cac:LegalMonetaryTotal>',
      '<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">9</cbc:TaxAmount></cac:TaxTotal>$&',
    ];
    expect(ids(wrong(inAnother))).toEqual([]);
  });

  it('shows what is left to pay', () => {
    const prepaid = wrong(total('PrepaidAmount', '95.00'), total('PayableRoundingAmount', '-0.50'));
    expect(sentenceOf(prepaid, 'BR-CO-16')).toContain('is 495.00 but total with VAT 495.00 - prepaid 95.00 + rounding -0.50 = 399.50');
    expect(sentenceOf(wrong(amount('PayableAmount', '495.25')), 'BR-CO-16')).toContain('add cbc:PayableRoundingAmount with 0.25');
    expect(sentenceOf(wrong(amount('PayableAmount', '494.00')), 'BR-CO-16')).not.toContain('PayableRoundingAmount');
    expect(ids(wrong(total('PrepaidAmount', '95.00'), amount('PayableAmount', '400.00')))).toEqual([]);
    expect(ids(wrong(total('PayableRoundingAmount', '0.50'), amount('PayableAmount', '495.50')))).toEqual([]);
  });

  it('adds up the breakdown, and checks each subtotal by its rate', () => {
    const document = wrong([/(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SEK">)[^<]+/, '$1150.00']);
    expect(ids(document)).toEqual(['BR-CO-14', 'BR-CO-17', 'BR-S-09']);
    expect(sentenceOf(document, 'BR-CO-14')).toContain('is 99.00, but its subtotals add up to 150.00');
    expect(sentenceOf(document, 'BR-CO-17')).toContain('is 150.00 but 25 % of 396.00 is 99.00');
    expect(ids(wrong(without('cac:TaxSubtotal')), 'BR-CO-1')).toEqual(['BR-CO-18']);
  });

  it('counts decimals as they are written', () => {
    expect(ids(wrong(amount('PayableAmount', '495.000')))).toEqual(['BR-DEC-18', 'UBL-DT-01']);
    expect(ids(wrong(amount('PayableAmount', '495.0')))).toEqual([]);
    expect(ids(wrong(amount('PriceAmount', '125.0000')))).toEqual([]);
    const ofPrice =
      '<cac:AllowanceCharge><cbc:ChargeIndicator>0</cbc:ChargeIndicator><cbc:Amount currencyID="SEK">0.0001</cbc:Amount></cac:AllowanceCharge>';
    expect(ids(wrong(['</cac:Price>', `${ofPrice}$&`]))).toEqual([]);
  });

  it('never fails on amounts that are none', () => {
    const document = wrong([/(currencyID="SEK">)[\d.]+/g, '$1much']);
    expect(ids(document)).toEqual(expect.arrayContaining(['BR-CO-10', 'BR-CO-13', 'BR-CO-15', 'BR-CO-16', 'BR-S-08']));
  });
});
