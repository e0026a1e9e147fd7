import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../support/documents.ts';
import { type Change, changed, findingsOf, idsOf } from '../../../support/judged.ts';
import { CART } from './documents.ts';

const CATALOGUE = documentOf('Catalogue', { lines: 1 });

const period = (start: string, end: string): string => `<cbc:StartDate>${start}</cbc:StartDate><cbc:EndDate>${end}</cbc:EndDate>`;
const linePeriod = (start: string, end: string): Change => [
  '<cac:RequiredItemLocationQuantity>',
  `<cac:LineValidityPeriod>${period(start, end)}</cac:LineValidityPeriod>$&`,
];
const pricePeriod = (start: string, end: string): Change => [
  '</cbc:PriceAmount>',
  `$&<cac:ValidityPeriod>${period(start, end)}</cac:ValidityPeriod>`,
];
const orderable = (minimum: string, maximum: string): Change => [
  '</cbc:OrderableUnit>',
  `$&<cbc:MinimumOrderQuantity unitCode="XBX">${minimum}</cbc:MinimumOrderQuantity><cbc:MaximumOrderQuantity unitCode="XBX">${maximum}</cbc:MaximumOrderQuantity>`,
];
const withTax = (category: string): Change => [
  '</cac:SellersItemIdentification>',
  `$&<cac:ClassifiedTaxCategory>${category}<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory>`,
];
const withParty = (role: string): Change => [
  '<cac:CatalogueLine>',
  `<cac:${role}><cac:Party><cac:Contact><cbc:Name>Kim</cbc:Name></cac:Contact></cac:Party></cac:${role}>$&`,
];
const unidentified: Change = [/<cac:SellersItemIdentification>.*<\/cac:SellersItemIdentification>/, ''];

function rules(ids: string, transaction: string): string[] {
  return ids === '' ? [] : ids.split(' ').map((id) => `PEPPOL-${transaction}-${id}`);
}

describe('a catalogue', () => {
  // Valid from 2026-01-01 until 2027-01-31.
  it.each<[string, string, ...Change[]]>([
    ['no process of catalogues', 'R017', ['bis:catalogue_only:3', 'bis:punch_out:3']],
    ['the process without responses', '', ['bis:catalogue_only:3', 'bis:catalogue_wo_response:3']],
    ['the specification of something else', 'R018', ['trns:catalogue:3', 'trns:punch_out:3']],
    ['an end before its start', 'R001 R007 R011 R013 R016', ['<cbc:EndDate>2027', '<cbc:EndDate>2025']],
    ['a seller whom nobody knows', 'R004', withParty('SellerSupplierParty')],
    ['a customer whom nobody knows', 'R005', withParty('ContractorCustomerParty')],
    ['a price below zero', 'R006', ['SEK">125', 'SEK">-125']],
    ['a place without price', 'R006', [/<cac:Price>.*<\/cac:Price>/, '<cbc:LeadTimeMeasure unitCode="DAY">2</cbc:LeadTimeMeasure>']],
    ['a line within its year', '', linePeriod('2026-01-01', '2027-01-31')],
    ['a line that starts too early', 'R007', linePeriod('2025-12-31', '2026-12-31')],
    ['a line that ends too late', 'R007', linePeriod('2026-01-01', '2027-02-01')],
    ['a line that ends before it starts', 'R011 R013 R016', linePeriod('2026-06-02', '2026-06-01')],
    ['a price within its line', '', linePeriod('2026-02-01', '2026-03-01'), pricePeriod('2026-02-02', '2026-02-28')],
    ['a price that ends after its line', 'R011', linePeriod('2026-02-01', '2026-03-01'), pricePeriod('2026-02-02', '2026-03-02')],
    ['a price that ends before it starts', 'R016', pricePeriod('2026-06-02', '2026-06-01')],
    ['a negative maximum', 'R008 R010', orderable('1', '-1')],
    ['a negative minimum', 'R009', orderable('-1', '1')],
    ['a maximum below the minimum', 'R010', orderable('10', '9')],
    ['one quantity only', '', orderable('10', '10')],
    ['an item that nobody knows', 'R012', unidentified],
    ['a category without rate', 'R014', withTax('<cbc:ID>Z</cbc:ID>')],
    ['the standard rate of zero', 'R015', withTax('<cbc:ID>S</cbc:ID><cbc:Percent>0</cbc:Percent>')],
  ])('%s: %s', (_what, ids, ...changes) => {
    expect(idsOf(changed(CATALOGUE, ...changes), 'catalogue')).toEqual(rules(ids, 'T19'));
  });

  it('tells both periods', () => {
    const [finding] = findingsOf(changed(CATALOGUE, linePeriod('2025-12-31', '2026-12-31')), 'catalogue');
    expect(finding?.message).toBe(
      'The line is valid from 2025-12-31 until 2026-12-31, but the catalogue from 2026-01-01 until 2027-01-31: keep the first within the second (cac:LineValidityPeriod).',
    );
  });

  it('takes an open end for any day', () => {
    const open = changed(CATALOGUE, [/<cbc:EndDate>2027-01-31<\/cbc:EndDate>/, ''], linePeriod('2026-01-01', '2099-12-31'));
    expect(idsOf(open, 'catalogue')).toEqual([]);
  });
});

describe('a punch-out cart', () => {
  const image =
    '<cac:ItemSpecificationDocumentReference><cbc:ID>1</cbc:ID><cbc:DocumentTypeCode>PRODUCT_IMAGE</cbc:DocumentTypeCode></cac:ItemSpecificationDocumentReference>';
  const service = (value: string): Change => [
    '</cac:ClassifiedTaxCategory>',
    `$&<cac:AdditionalItemProperty><cbc:Name>ServiceIndicator</cbc:Name><cbc:Value>${value}</cbc:Value></cac:AdditionalItemProperty>`,
  ];

  it.each<[string, string, ...Change[]]>([
    ['the specification of something else', 'R010', ['trns:punch_out:3', 'trns:catalogue:3']],
    ['an end before it was issued', 'R001', ['2026-03-09', '2026-03-01']],
    ['no items', 'R002', [/BatchQuantity unitCode="XBX">2/, 'BatchQuantity unitCode="XBX">0']],
    ['a price for nothing', 'R002', [/BaseQuantity unitCode="XBX">1/, 'BaseQuantity unitCode="XBX">0']],
    ['a price below zero', 'R003', ['>100.00<', '>-100.00<']],
    ['an item that nobody knows', 'R004', unidentified],
    ['two main images', 'R005', ['<cac:ClassifiedTaxCategory>', `${image}${image}$&`]],
    ['one main image', '', ['<cac:ClassifiedTaxCategory>', `${image}$&`]],
    ['different units', 'R006', ['BaseQuantity unitCode="XBX"', 'BaseQuantity unitCode="C62"']],
    ['no unit of the price', '', [/<cbc:BaseQuantity.*/, '']],
    ['a service', '', service('true')],
    ['a service that is neither', 'R007', service('yes')],
    ['the standard rate of zero', 'R009', ['>25<', '>0<']],
    ['a category without rate', 'B09102 R008', [/<cbc:ID>S<\/cbc:ID><cbc:Percent>25<\/cbc:Percent>/, '<cbc:ID>Z</cbc:ID>']],
  ])('%s: %s', (_what, ids, ...changes) => {
    expect(idsOf(changed(CART, ...changes), 'punch-out')).toEqual(rules(ids, 'T77'));
  });
});
