import { describe, expect, it } from 'vitest';
import { type Change, changed, findingsOf, idsOf } from '../../../support/judged.ts';
import { AGREEMENT } from './documents.ts';

const TOTALS = /<cac:LegalMonetaryTotal>[\s\S]*<\/cac:LegalMonetaryTotal>/;
const TAX = /<cac:TaxTotal>[\s\S]*<\/cac:TaxTotal>/;
/** In the breakdown, which is the second place with a category. */
const brokenDown = (category: string): Change => [/(<cac:TaxSubtotal>[\s\S]*?<cac:TaxCategory>)<cbc:ID>S/, `$1${category}`];
const ofItem = (category: string): Change => [
  /<cac:ClassifiedTaxCategory><cbc:ID>S<\/cbc:ID><cbc:Percent>25<\/cbc:Percent>/,
  `<cac:ClassifiedTaxCategory>${category}`,
];

describe('an order agreement', () => {
  it.each<[string, string, ...Change[]]>([
    ['the specification of something else', 'R030', ['trns:order_agreement:3', 'trns:order:3']],
    ['an item that nobody knows', 'R002', [/<cac:SellersItemIdentification>.*<\/cac:SellersItemIdentification>/, '']],
    ['an amount in another currency', 'R004', ['<cbc:TaxableAmount currencyID="SEK">', '<cbc:TaxableAmount currencyID="EUR">']],
    ['amounts without currency of the document', 'R004', [/<cbc:DocumentCurrencyCode>SEK<\/cbc:DocumentCurrencyCode>/, '']],
    ['three digits after the point', 'R013', ['>225.00</cbc:PayableAmount>', '>225.000</cbc:PayableAmount>']],
    [
      'tax that does not follow from its rate',
      'R024 R025',
      ['>45.00</cbc:TaxAmount>\n      <cac:TaxCategory>', '>45.01</cbc:TaxAmount><cac:TaxCategory>'],
    ],
    ['a total of tax that does not add up', 'R011 R025', ['>45.00</cbc:TaxAmount>', '>46.00</cbc:TaxAmount>']],
    ['an exemption without words', 'R026 R027 R028', brokenDown('<cbc:ID>E')],
    [
      'words for an exemption that is none',
      'R029',
      [/(<cac:TaxSubtotal>[\s\S]*?<\/cbc:Percent>)/, '$1<cbc:TaxExemptionReason>None</cbc:TaxExemptionReason>'],
    ],
    ['a rate that is not broken down', 'R026', ofItem('<cbc:ID>S</cbc:ID><cbc:Percent>12</cbc:Percent>')],
    ['the same rate written otherwise', '', ofItem('<cbc:ID>S</cbc:ID><cbc:Percent>25.00</cbc:Percent>')],
    ['a category that is not broken down', 'R026 R027', ofItem('<cbc:ID>AA</cbc:ID><cbc:Percent>25</cbc:Percent>')],
    [
      'categories without any breakdown',
      '',
      [TAX, ''],
      ['>225.00</cbc:TaxI', '>180.00</cbc:TaxI'],
      ['>225.00</cbc:Pay', '>180.00</cbc:Pay'],
    ],
    ['a category without rate', 'R019 R027', ofItem('<cbc:ID>Z</cbc:ID>')],
    ['the standard rate of zero', 'R020 R026', ofItem('<cbc:ID>S</cbc:ID><cbc:Percent>0</cbc:Percent>')],
    ['no totals', '', [TOTALS, '']],
    ['totals without amounts of the lines', 'R007 R014', [/(<cac:LineItem>[\s\S]*?)<cbc:LineExtensionAmount.*/, '$1']],
    ['less than nothing to pay', 'R005 R012', ['>225.00</cbc:Pay', '>-225.00</cbc:Pay']],
    ['a minus before a payment of zero', 'R005 R012', ['>225.00</cbc:Pay', '>-0.00</cbc:Pay']],
    [
      'a total of lines below zero',
      'R006 R007 R010',
      ['>200.00</cbc:LineExtensionAmount>\n    <cbc:TaxE', '>-200.00</cbc:LineExtensionAmount><cbc:TaxE'],
    ],
    [
      'a total that is not the sum of the lines',
      'R007 R010',
      ['>200.00</cbc:LineExtensionAmount>\n    <cbc:TaxE', '>200.01</cbc:LineExtensionAmount><cbc:TaxE'],
    ],
    [
      'charges that nobody made',
      'R008 R010',
      [/<cbc:PayableAmount/, '<cbc:ChargeTotalAmount currencyID="SEK">5.00</cbc:ChargeTotalAmount><cbc:PayableAmount'],
    ],
    ['allowances that do not add up', 'R009 R010', ['>20.00</cbc:AllowanceT', '>21.00</cbc:AllowanceT']],
    ['a total with tax that does not add up', 'R011 R012', ['>225.00</cbc:TaxI', '>226.00</cbc:TaxI']],
    ['an amount to pay that does not add up', 'R012', ['>225.00</cbc:Pay', '>226.00</cbc:Pay']],
    ['a percentage of nothing', 'R015', [/<cbc:BaseAmount.*/, '']],
    ['a base without percentage', 'R016', [/<cbc:Multiplier.*/, '']],
    ['an allowance that is not its share', 'R017', ['>10</cbc:Multiplier', '>11</cbc:Multiplier']],
    ['an allowance without reason', 'R018', [/<cbc:AllowanceChargeReasonCode.*/, '']],
    ['an allowance below zero', 'R009 R017 R021', ['>20.00</cbc:Amount>', '>-20.00</cbc:Amount>']],
    ['a reason of a charge for an allowance', 'CL001', ['>95<', '>FC<']],
    ['a price below zero', 'R001', ['>100.00</cbc:PriceAmount>', '>-100.00</cbc:PriceAmount>']],
  ])('%s: %s', (_what, ids, ...changes) => {
    const expected = ids === '' ? [] : ids.split(' ').map((id) => `PEPPOL-T110-${id}`);
    expect(idsOf(changed(AGREEMENT, ...changes), 'order-agreement')).toEqual(expected);
  });

  it('tells the figures of the tax', () => {
    const [finding] = findingsOf(changed(AGREEMENT, ['>180.00</cbc:TaxableAmount>', '>1180.00</cbc:TaxableAmount>']), 'order-agreement');
    expect(finding?.message).toBe(
      'The VAT is 45.00 but 25 % of 1,180.00 are 295.00: correct cbc:TaxAmount, cbc:TaxableAmount or the rate.',
    );
  });

  it('asks for a currency where there is none', () => {
    const [finding] = findingsOf(changed(AGREEMENT, [/<cbc:DocumentCurrencyCode>SEK<\/cbc:DocumentCurrencyCode>/, '']), 'order-agreement');
    expect(finding?.message).toMatch(/ is in SEK, but the document states none: add cbc:DocumentCurrencyCode\.$/);
  });
});
