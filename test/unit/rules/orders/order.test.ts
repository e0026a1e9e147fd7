import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../support/documents.ts';
import { type Change, changed, findingsOf, idsOf } from '../../../support/judged.ts';

// Line 1 is one box at 125.00, line 2 two boxes at 135.50: 396.00.
const ORDER = documentOf('Order');

const ALLOWANCE = `<cac:AllowanceCharge>
  <cbc:ChargeIndicator>false</cbc:ChargeIndicator>
  <cbc:AllowanceChargeReasonCode>95</cbc:AllowanceChargeReasonCode>
  <cbc:AllowanceChargeReason>Discount</cbc:AllowanceChargeReason>
  <cbc:MultiplierFactorNumeric>25</cbc:MultiplierFactorNumeric>
  <cbc:Amount currencyID="SEK">99.00</cbc:Amount>
  <cbc:BaseAmount currencyID="SEK">396.00</cbc:BaseAmount>
  <cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>25</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory>
</cac:AllowanceCharge>
<cac:AllowanceCharge>
  <cbc:ChargeIndicator>true</cbc:ChargeIndicator>
  <cbc:AllowanceChargeReasonCode>FC</cbc:AllowanceChargeReasonCode>
  <cbc:AllowanceChargeReason>Freight</cbc:AllowanceChargeReason>
  <cbc:Amount currencyID="SEK">3.00</cbc:Amount>
</cac:AllowanceCharge>
<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">75.00</cbc:TaxAmount></cac:TaxTotal>
<cac:AnticipatedMonetaryTotal>
  <cbc:LineExtensionAmount currencyID="SEK">396.00</cbc:LineExtensionAmount>
  <cbc:TaxExclusiveAmount currencyID="SEK">300.00</cbc:TaxExclusiveAmount>
  <cbc:TaxInclusiveAmount currencyID="SEK">375.00</cbc:TaxInclusiveAmount>
  <cbc:AllowanceTotalAmount currencyID="SEK">99.00</cbc:AllowanceTotalAmount>
  <cbc:ChargeTotalAmount currencyID="SEK">3.00</cbc:ChargeTotalAmount>
  <cbc:PrepaidAmount currencyID="SEK">75.50</cbc:PrepaidAmount>
  <cbc:PayableRoundingAmount currencyID="SEK">0.50</cbc:PayableRoundingAmount>
  <cbc:PayableAmount currencyID="SEK">300.00</cbc:PayableAmount>
</cac:AnticipatedMonetaryTotal>`;
const RICH = changed(ORDER, [/<cac:AnticipatedMonetaryTotal>[\s\S]*<\/cac:AnticipatedMonetaryTotal>/, ALLOWANCE]);

const withDiscount: Change = [
  '<cbc:PriceAmount currencyID="SEK">125.00</cbc:PriceAmount>',
  '$&<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:Amount currencyID="SEK">25.00</cbc:Amount><cbc:BaseAmount currencyID="SEK">150.00</cbc:BaseAmount></cac:AllowanceCharge>',
];
const withVatNumber = (number: string): Change => [
  '<cac:PartyLegalEntity>',
  `<cac:PartyTaxScheme><cbc:CompanyID>${number}</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>$&`,
];
const withOriginator = (party: string): Change => [
  '<cac:AllowanceCharge>',
  `<cac:OriginatorCustomerParty><cac:Party>${party}</cac:Party></cac:OriginatorCustomerParty>$&`,
];
const withTax = (category: string): Change => [
  '</cac:SellersItemIdentification>',
  `$&<cac:ClassifiedTaxCategory>${category}<cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:ClassifiedTaxCategory>`,
];
const withQuotationLine: Change = [
  '</cac:LineItem>',
  '$&<cac:QuotationLineReference><cbc:LineID>1</cbc:LineID></cac:QuotationLineReference>',
];

describe('an order', () => {
  it('may have everything that its rules look at', () => {
    const full = [
      withDiscount,
      withVatNumber('SE556677889901'),
      withOriginator('<cac:PartyName><cbc:Name>Kim</cbc:Name></cac:PartyName>'),
      withTax('<cbc:ID>S</cbc:ID><cbc:Percent>25</cbc:Percent>'),
      withQuotationLine,
      [
        '<cac:BuyerCustomerParty>',
        '<cac:QuotationDocumentReference><cbc:ID>Q</cbc:ID></cac:QuotationDocumentReference>$&',
      ] satisfies Change,
    ];
    expect(idsOf(changed(RICH, ...full), 'order')).toEqual([]);
  });

  it.each<[string, string, ...Change[]]>([
    ['no process of orders', 'R031', ['bis:ordering:3', 'bis:despatch_advice:3']],
    ['the specification of something else', 'R034', ['trns:order:3', 'trns:order_change:3']],
    ['an amount in another currency', 'R003', ['<cbc:PayableAmount currencyID="SEK">', '<cbc:PayableAmount currencyID="EUR">']],
    ['three digits after the point', 'R028', [/>300.00<\/cbc:PayableAmount>/, '>300.000</cbc:PayableAmount>']],
    ['a price with four digits', '', ['PriceAmount currencyID="SEK">125.00<', 'PriceAmount currencyID="SEK">125.0000<']],
    ['no day until which it is valid', 'R002', [/<cac:ValidityPeriod>.*<\/cac:ValidityPeriod>/, '']],
    ['an originator whom nobody knows', 'R014', withOriginator('<cac:Contact><cbc:Name>Kim</cbc:Name></cac:Contact>')],
    ['a VAT number of no country', 'R026', withVatNumber('556677889901')],
    ['a Greek VAT number', '', withVatNumber('EL123456789')],
    ['less than nothing to pay', 'R006 R016', ['>300.00</cbc:PayableAmount>', '>-300.00</cbc:PayableAmount>']],
    ['nothing to pay that is stated', 'B22002 R006 R016', [/<cbc:PayableAmount.*/, '']],
    ['a total of lines below zero', 'R007 R008 R011', ['>396.00</cbc:LineExtensionAmount>', '>-396.00</cbc:LineExtensionAmount>']],
    ['a total that is not the sum of the lines', 'R008 R011', ['>396.00</cbc:LineExtensionAmount>', '>396.01</cbc:LineExtensionAmount>']],
    ['allowances that do not add up', 'R009 R011', ['>99.00</cbc:AllowanceTotal', '>98.00</cbc:AllowanceTotal']],
    ['charges that do not add up', 'R010 R011', ['>3.00</cbc:ChargeTotal', '>4.00</cbc:ChargeTotal']],
    ['a total without tax that does not add up', 'R011 R017', ['>300.00</cbc:TaxEx', '>301.00</cbc:TaxEx']],
    ['no total without tax', '', [/<cbc:TaxExclusiveAmount.*/, '']],
    ['prepaid that is not taken off', 'R016', ['>75.50</cbc:Prepaid', '>75.00</cbc:Prepaid']],
    ['tax that is not in the total with tax', 'R017', ['>75.00</cbc:TaxAmount', '>76.00</cbc:TaxAmount']],
    ['no total with tax', '', [/<cbc:TaxInclusiveAmount.*/, '']],
    ['a total with tax of zero, which counts as none', '', ['>375.00</cbc:TaxInc', '>0.00</cbc:TaxInc']],
    ['a percentage of nothing', 'R020', [/<cbc:BaseAmount.*/, '']],
    ['a base without percentage', 'R021', [/<cbc:Multiplier.*/, '']],
    ['an allowance that is not its share', 'R022', ['>25</cbc:Multiplier', '>24</cbc:Multiplier']],
    ['an allowance without reason', 'B20302 R023', [/<cbc:AllowanceChargeReasonCode>95[\s\S]*?<cbc:Mult/, '<cbc:Mult']],
    ['a charge below zero', 'R010 R032', ['>3.00</cbc:Amount>', '>-3.00</cbc:Amount>']],
    ['a reason of a charge for an allowance', 'CL001', ['>95<', '>FC<']],
    ['a reason of an allowance for a charge', 'CL002', ['>FC<', '>95<']],
    ['a category without rate', 'R029', withTax('<cbc:ID>Z</cbc:ID>')],
    ['no tax, without rate', '', withTax('<cbc:ID>O</cbc:ID>')],
    ['the standard rate of zero', 'R030', withTax('<cbc:ID>S</cbc:ID><cbc:Percent>0</cbc:Percent>')],
    ['a line that does not add up', 'R008 R024', [/(<cac:LineItem>[\s\S]*?)125.00(<\/cbc:LineExtensionAmount>)/, '$1125.03$2']],
    ['a price for nothing', 'R025', ['125.00</cbc:PriceAmount>', '$&<cbc:BaseQuantity>0</cbc:BaseQuantity>']],
    ['two lines with one number', 'R001', [/<cbc:ID>2<\/cbc:ID>/, '<cbc:ID>1</cbc:ID>']],
    ['a quantity below zero', 'R004 R024', ['<cbc:Quantity unitCode="XBX">1', '<cbc:Quantity unitCode="XBX">-1']],
    ['no quantity', 'B23902 R004 R013', [/<cbc:Quantity unitCode="XBX">1<\/cbc:Quantity>/, '']],
    ['a net price that is not gross less discount', 'R019', withDiscount, ['>150.00<', '>150.01<']],
    ['a price below zero', 'R005 R024', ['PriceAmount currencyID="SEK">125', 'PriceAmount currencyID="SEK">-125']],
    ['a gross price below zero', 'R019 R027', withDiscount, ['>150.00<', '>-150.00<']],
    ['a gross price with a minus before its zero', 'R019 R027', withDiscount, ['>150.00<', '>-0.00<']],
    ['a discount with a minus before its zero', 'R019', withDiscount, ['>25.00<', '>-0.00<']],
    ['a discount below zero', 'R019 R033', withDiscount, ['>25.00<', '>-25.00<']],
    ['the line of a quotation that nobody named', 'R035', withQuotationLine],
  ])('%s: %s', (_what, ids, ...changes) => {
    const expected = ids === '' ? [] : ids.split(' ').map((id) => `PEPPOL-T01-${id}`);
    expect(idsOf(changed(RICH, ...changes), 'order')).toEqual(expected);
  });

  it('tells the figures of a sum', () => {
    const sentences = findingsOf(changed(RICH, ['>375.00</cbc:TaxInc', '>1376.00</cbc:TaxInc']), 'order').map(({ message }) => message);
    expect(sentences).toEqual([
      'The amount to pay is 300.00 but the total with tax 1,376.00 - prepaid 75.50 + rounding 0.50 = 1,301.00: correct cbc:PayableAmount or the amounts it adds up.',
      'The total with tax is 1,376.00 but the total without tax 300.00 + tax 75.00 = 375.00: correct cbc:TaxInclusiveAmount or the amounts it adds up.',
    ]);
  });

  it.each<[string, ...Change[]]>([
    [
      'The total of charges is 4.00 but the sum of the charges of the document is 3.00: correct cbc:ChargeTotalAmount or the amounts it adds up.',
      ['>3.00</cbc:ChargeTotal', '>4.00</cbc:ChargeTotal'],
    ],
    [
      'The amount to pay is not given, although the total with tax 375.00 - prepaid 75.50 + rounding 0.50 = 300.00: add cbc:PayableAmount.',
      [/<cbc:PayableAmount.*/, ''],
    ],
  ])('says: %s', (sentence, ...changes) => {
    expect(findingsOf(changed(RICH, ...changes), 'order').map(({ message }) => message)).toContain(sentence);
  });

  it('points at what has to be corrected', () => {
    const [finding] = findingsOf(changed(ORDER, [/<cbc:ID>2<\/cbc:ID>/, '<cbc:ID>1</cbc:ID>']), 'order');
    expect(finding).toMatchObject({
      path: '/Order/cac:OrderLine[1]/cac:LineItem/cbc:ID',
      message: "2 lines have the number '1': give each its own cbc:ID.",
      value: '1',
    });
  });
});
