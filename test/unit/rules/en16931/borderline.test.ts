// Where the official rules of EN 16931 do not forgive white space, do not ask for the scheme, or compare in floating point.
import { describe, expect, it } from 'vitest';
import { isWithinOne } from '#rules/common/within-one.ts';
import { decimalOf, ZERO } from '#ubl/decimal.ts';
import type { Change } from '../../../support/judged.ts';
import { adjusted, adjustment, amount, ids, invoiceIn } from './examples.ts';

const spaced = (place: 'TaxSubtotal' | 'ClassifiedTaxCategory', code: string): Change => [
  new RegExp(`(<cac:${place}>[\\s\\S]*?<cbc:ID>)${code}<`),
  `$1 ${code} <`,
];

describe('white space around a category', () => {
  it.each(['L', 'M'])('of a subtotal is not forgiven in %s', (code) => {
    const id = code === 'L' ? 'BR-AF-01' : 'BR-AG-01';
    expect(ids(invoiceIn(code, spaced('TaxSubtotal', code)))).toEqual([id]);
    expect(ids(invoiceIn(code, spaced('ClassifiedTaxCategory', code)))).toEqual([]);
  });

  it.each(['S', 'E', 'K'])('of a subtotal is forgiven in %s', (code) => {
    expect(ids(invoiceIn(code, spaced('TaxSubtotal', code)))).toEqual([]);
  });

  const split = (code: string): Change => [/(<cac:ClassifiedTaxCategory>\s*<cbc:ID>)S/g, `$1${code}`];

  it('takes a line out of split payment', () => {
    expect(ids(invoiceIn('S', split('B')), 'BR-B-')).toEqual(['BR-B-01', 'BR-B-02']);
    expect(ids(invoiceIn('S', split(' B ')), 'BR-B-')).toEqual([]);
  });

  it('mixes split payment with the standard rate of a subtotal', () => {
    const italian: Change = [/(<cbc:IdentificationCode>)\s*\w\w\s*/g, '$1IT'];
    expect(ids(invoiceIn('S', split('B'), italian), 'BR-B-')).toEqual(['BR-B-02']);
    expect(ids(invoiceIn('S', split('B'), spaced('TaxSubtotal', 'S'), italian), 'BR-B-')).toEqual([]);
  });
});

describe('an amount at a distance of exactly one', () => {
  it.each([
    ['101.11', '100.11', true],
    ['100.11', '101.11', false],
    ['101.25', '100.25', false],
    ['397', '396', false],
    ['100.10', '101.1', false],
    ['-99.89', '-100.89', true],
    ['-100.11', '-101.11', false],
    ['1', '0', false],
  ])('of %s from %s is decided by the float: %s', (stated, expected, near) => {
    expect(isWithinOne(decimalOf(stated) ?? ZERO, decimalOf(expected) ?? ZERO)).toBe(near);
  });

  it.each([
    ['100.99', '100', true],
    ['99.01', '100', true],
    ['101.01', '100', false],
    ['98.99', '100', false],
  ])('or nearly, of %s from %s, is decided exactly: %s', (stated, expected, near) => {
    expect(isWithinOne(decimalOf(stated) ?? ZERO, decimalOf(expected) ?? ZERO)).toBe(near);
  });

  it('is told of subtotals', () => {
    const line: Change = [/(<cac:InvoiceLine>[\s\S]*?LineExtensionAmount currencyID="SEK">)125\.00/, '$1125.13'];
    expect(ids(invoiceIn('S', amount('TaxableAmount', '397.00')), 'BR-S-08')).toEqual(['BR-S-08']);
    expect(ids(invoiceIn('S', line, amount('TaxableAmount', '397.13')), 'BR-S-08')).toEqual([]);
  });
});

describe('categories', () => {
  it('count for the code and for the rate that stand anywhere in one line', () => {
    const second =
      '<cac:ClassifiedTaxCategory><cbc:ID>Z</cbc:ID><cbc:Percent>5</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory>';
    const zero = invoiceIn('S', ['<cac:ClassifiedTaxCategory>', `${second}$&`]);
    expect(ids(zero, 'BR-S-08')).toEqual([]);
    const halved: Change = [/(<cac:TaxSubtotal>[\s\S]*?<cbc:Percent>)25/, '$15'];
    expect(
      ids(invoiceIn('S', ['<cac:ClassifiedTaxCategory>', `${second}$&`], halved, amount('TaxableAmount', '125.00')), 'BR-S-08'),
    ).toEqual([]);
  });
});

describe('tax schemes without a name', () => {
  const unnamed: Change = [/(<cac:PartyTaxScheme>[\s\S]*?<cac:TaxScheme>)\s*<cbc:ID>VAT<\/cbc:ID>/, '$1<cbc:Name>Tax</cbc:Name>'];
  const registered: Change = [
    '<cac:PartyTaxScheme>',
    '<cac:PartyTaxScheme><cbc:CompanyID>F</cbc:CompanyID><cac:TaxScheme><cbc:ID>TAX</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>$&',
  ];

  it('are other ones than VAT', () => {
    expect(ids(invoiceIn('S', unnamed), 'UBL-SR-')).toEqual(['UBL-SR-53']);
    expect(ids(invoiceIn('S', unnamed, registered), 'UBL-SR-')).toEqual(['UBL-SR-13', 'UBL-SR-53']);
  });
});

describe('a period', () => {
  const period = (start: string, end: string): Change => [
    '<cac:OrderReference>',
    `<cac:InvoicePeriod><cbc:StartDate>${start}</cbc:StartDate><cbc:EndDate>${end}</cbc:EndDate></cac:InvoicePeriod>$&`,
  ];

  it.each([
    ['12026-01-01', '2026-04-01', ['BR-29']],
    ['2026-01-01', '12026-04-01', []],
    ['2025-05-16', '-2026-01-01', ['BR-29']],
    ['-2026-01-01', '2025-05-16', []],
    ['1925-01-01', '0026-01-01', ['BR-29']],
  ])('from %s until %s is compared in years of any length', (start, end, expected) => {
    expect(ids(invoiceIn('S', period(start, end)), 'BR-29')).toEqual(expected);
  });
});

describe('a negative zero', () => {
  const price = (value: string): Change => [/(<cbc:PriceAmount currencyID="SEK">)[\d.]+/, `$1${value}`];

  it.each([
    ['-0', []],
    ['-00', []],
    ['-0.00', ['BR-27']],
    ['-0.', ['BR-27']],
    ['0.00', []],
    ['-1', ['BR-27']],
  ])('of a price, %s, is below zero only with a point', (value, expected) => {
    expect(ids(invoiceIn('S', price(value)), 'BR-27')).toEqual(expected);
  });

  it('is below zero as a price and as a rate of L and M', () => {
    expect(ids(invoiceIn('L', adjusted(adjustment('charge', 'L', '-0.00', '0.00'))), 'BR-AF-07')).toEqual(['BR-AF-07']);
    expect(ids(invoiceIn('E', adjusted(adjustment('charge', 'E', '-0.00', '0.00'))), 'BR-E-07')).toEqual([]);
  });
});
