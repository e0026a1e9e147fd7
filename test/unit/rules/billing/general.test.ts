import { describe, expect, it } from 'vitest';
import { creditNote, invoice } from '../../../support/documents.ts';
import { type Change, changed, findingsOf, idsOf } from '../../../support/judged.ts';

const ids = (document: Uint8Array): string[] => idsOf(document, 'peppol-billing');

const ALLOWANCE = `<cac:AllowanceCharge>
  <cbc:ChargeIndicator>false</cbc:ChargeIndicator>
  <cbc:AllowanceChargeReasonCode>95</cbc:AllowanceChargeReasonCode>
  <cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric>
  <cbc:Amount currencyID="SEK">20.00</cbc:Amount>
  <cbc:BaseAmount currencyID="SEK">200.00</cbc:BaseAmount>
  <cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>25</cbc:Percent><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory>
</cac:AllowanceCharge>`;

const PRICE_ALLOWANCE = `<cac:AllowanceCharge>
  <cbc:ChargeIndicator>false</cbc:ChargeIndicator>
  <cbc:Amount currencyID="SEK">25.00</cbc:Amount>
  <cbc:BaseAmount currencyID="SEK">150.00</cbc:BaseAmount>
</cac:AllowanceCharge>`;

const PERIOD = '<cac:InvoicePeriod><cbc:StartDate>2026-02-01</cbc:StartDate><cbc:EndDate>2026-02-28</cbc:EndDate></cac:InvoicePeriod>';
const REFERENCE = '<cac:DocumentReference><cbc:ID>M-1</cbc:ID><cbc:DocumentTypeCode>130</cbc:DocumentTypeCode></cac:DocumentReference>';

const withAllowance: Change = ['<cac:TaxTotal>', `${ALLOWANCE}<cac:TaxTotal>`];
const withPriceAllowance: Change = ['<cbc:PriceAmount currencyID="SEK">125.00</cbc:PriceAmount>', `$&${PRICE_ALLOWANCE}`];
const withPeriod: Change = ['<cac:OrderReference>', `${PERIOD}<cac:OrderReference>`];
const withLinePeriod = (start: string, end: string): Change => [
  '<cac:Item>',
  `<cac:InvoicePeriod><cbc:StartDate>${start}</cbc:StartDate><cbc:EndDate>${end}</cbc:EndDate></cac:InvoicePeriod><cac:Item>`,
];
const withTaxCurrency: Change = ['<cbc:BuyerReference>', '<cbc:TaxCurrencyCode>EUR</cbc:TaxCurrencyCode><cbc:BuyerReference>'];
const inTaxCurrency = (amount: string): Change => [
  '<cac:LegalMonetaryTotal>',
  `<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">${amount}</cbc:TaxAmount></cac:TaxTotal><cac:LegalMonetaryTotal>`,
];

describe('Peppol billing', () => {
  it('S020 S021 S022 finds nothing wrong with our documents', () => {
    expect(ids(invoice())).toEqual([]);
    expect(ids(creditNote())).toEqual([]);
    const rich = [
      withAllowance,
      withPriceAllowance,
      withPeriod,
      withLinePeriod('2026-02-01', '2026-02-28'),
      withTaxCurrency,
      inTaxCurrency('9'),
    ];
    expect(ids(changed(invoice({ attachmentBytes: 10 }), ...rich, ['<cac:Item>', `${REFERENCE}<cac:Item>`]))).toEqual([]);
  });

  it.each<[string, string, ...Change[]]>([
    ['an empty element', 'R008', ['<cbc:Note>Thank you for your order.', '<cbc:Note>']],
    ['no process', 'R001 R007', [/<cbc:ProfileID>.*<\/cbc:ProfileID>/, '']],
    ['an unknown process', 'R007', ['billing:01:1.0', 'billing:99:1.0']],
    ['two notes', 'R002', ['<cbc:Note>', '<cbc:Note>First</cbc:Note><cbc:Note>']],
    ['neither buyer reference nor order', 'R003', [/<cbc:BuyerReference>[\s\S]*<\/cac:OrderReference>/, '']],
    ['the specification of another document', 'R004', ['#compliant#', '#conformant#']],
    ['the specification with the version of a syntax', 'R004', ['poacc:billing:3.0', 'poacc:billing:3.0::2.1']],
    ['an accounting currency that is the currency', 'R005 R054', [withTaxCurrency[0], withTaxCurrency[1].replace('EUR', 'SEK')]],
    ['a buyer without address', 'R010', [/<cbc:EndpointID schemeID="0088">735.*<\/cbc:EndpointID>/, '']],
    ['a seller without address', 'R020', [/<cbc:EndpointID schemeID="0088">730.*<\/cbc:EndpointID>/, '']],
    ['an allowance that is not its share', 'R040', withAllowance, ['>20.00<', '>20.03<']],
    ['a percentage of nothing', 'R041', withAllowance, [/<cbc:BaseAmount.*/, '']],
    ['a base without percentage', 'R042', withAllowance, [/<cbc:Multiplier.*/, '']],
    ['an allowance charge that is neither', 'R043', withAllowance, ['<cbc:ChargeIndicator>false', '<cbc:ChargeIndicator>0']],
    ['a charge on a price', 'R044', withPriceAllowance, ['<cbc:ChargeIndicator>false', '<cbc:ChargeIndicator>true']],
    ['a net price that is not gross less discount', 'R046', withPriceAllowance, ['>150.00<', '>150.01<']],
    ['an amount in another currency', 'R051', ['<cbc:PayableAmount currencyID="SEK">', '<cbc:PayableAmount currencyID="EUR">']],
    ['no tax total by category', 'R053 R054', [/<cac:TaxSubtotal>[\s\S]*<\/cac:TaxSubtotal>/, '']],
    ['no tax total in the accounting currency', 'R054 R055', withTaxCurrency],
    ['tax totals of different signs', 'R055', withTaxCurrency, inTaxCurrency('-9')],
    ['a tax total of less than nothing', 'R055', withTaxCurrency, inTaxCurrency('-0.00')],
    ['a direct debit without mandate', 'R061', ['<cbc:PaymentMeansCode>30', '<cbc:PaymentMeansCode>59']],
    ['two references of a line', 'R100', ['<cac:Item>', `${REFERENCE}${REFERENCE}<cac:Item>`]],
    ['a reference of a line to something else', 'R101', ['<cac:Item>', `${REFERENCE.replace('130', '50')}<cac:Item>`]],
    ['a line that starts too early', 'R110', withPeriod, withLinePeriod('2026-01-31', '2026-02-28')],
    ['a line that ends too late', 'R111', withPeriod, withLinePeriod('2026-02-01', '2026-03-01')],
    ['a line that does not add up', 'R120', [/(<cac:InvoiceLine>[\s\S]*?<cbc:LineExtensionAmount currencyID="SEK">)125.00/, '$1125.03']],
    ['a price for nothing', 'R121', ['</cbc:PriceAmount>', '$&<cbc:BaseQuantity>0</cbc:BaseQuantity>']],
    ['a price per another unit', 'R130', ['</cbc:PriceAmount>', '$&<cbc:BaseQuantity unitCode="C62">1</cbc:BaseQuantity>']],
    ['an attachment of another kind', 'CL001', ['mimeCode="text/csv"', 'mimeCode="text/html"']],
    ['the reason of a charge for an allowance', 'CL002', withAllowance, ['Code>95<', 'Code>FC<']],
    ['the reason of an allowance for a charge', 'CL003', withAllowance, ['Indicator>false<', 'Indicator>true<']],
    ['an amount in no currency', 'CL007 R051', ['<cbc:PayableAmount currencyID="SEK">', '<cbc:PayableAmount>']],
    [
      'a period by an unknown date',
      'CL006',
      [withPeriod[0], withPeriod[1].replace('<cac:InvoicePeriod>', '$&<cbc:DescriptionCode>4</cbc:DescriptionCode>')],
    ],
    ['an unknown scheme of addresses', 'CL008', [/schemeID="0088">735/, 'schemeID="9999">735']],
    ['a type of self-billing', 'P0100', ['>380<', '>389<']],
    ['a type for Germans', 'P0112', ['>380<', '>384<']],
    ['a date with a time zone', 'F001', ['<cbc:IssueDate>2026-03-02', '<cbc:IssueDate>2026-03-02Z']],
  ])('tells %s', (_what, expected, ...changes) => {
    const document = changed(invoice({ attachmentBytes: 10 }), ...changes);
    expect(ids(document)).toEqual(expected.split(' ').map((id) => `PEPPOL-EN16931-${id}`));
  });

  it.each([
    ['P0104', 'VATEX-EU-G'],
    ['P0105', 'VATEX-EU-O'],
    ['P0106', 'VATEX-EU-IC'],
    ['P0107', 'vatex-eu-ae'],
    ['P0108', 'VATEX-EU-D'],
    ['P0109', 'VATEX-EU-F'],
    ['P0110', 'VATEX-EU-I'],
    ['P0111', 'VATEX-EU-J'],
  ])('%s: the reason %s is not for category S', (id, reason) => {
    const reasoned: Change = ['<cbc:Percent>25</cbc:Percent>', `$&<cbc:TaxExemptionReasonCode>${reason}</cbc:TaxExemptionReasonCode>`];
    expect(ids(changed(invoice(), reasoned))).toEqual([`PEPPOL-EN16931-${id}`]);
  });

  it('S039 takes attachments of the media types of Peppol only', () => {
    const typed = (mediaType: string) => changed(invoice({ attachmentBytes: 9 }), ['mimeCode="text/csv"', `mimeCode="${mediaType}"`]);
    const allowed = ['application/pdf', 'image/png', 'image/jpeg', 'text/csv', 'application/vnd.oasis.opendocument.spreadsheet'];
    expect(allowed.filter((mediaType) => ids(typed(mediaType)).length > 0)).toEqual([]);
    expect(['image/gif', 'TEXT/CSV', 'text/plain'].map((mediaType) => ids(typed(mediaType)))).toEqual(
      Array(3).fill(['PEPPOL-EN16931-CL001']),
    );
  });

  it('knows more processes, in which the types of documents are not free either', () => {
    const french: Change = [/<cbc:ProfileID>.*</, '<cbc:ProfileID>urn:peppol:france:billing:regulated<'];
    const answered: Change = [/<cbc:ProfileID>.*</, '<cbc:ProfileID> urn:peppol:bis:billing_with_response <'];
    expect(ids(changed(invoice(), french))).toEqual([]);
    expect(ids(changed(invoice(), answered))).toEqual([]);
    expect(ids(changed(invoice(), answered, ['>380<', '>389<']))).toEqual(['PEPPOL-EN16931-P0100']);
    expect(ids(changed(creditNote(), french, ['>381<', '>380<']))).toEqual(['PEPPOL-EN16931-P0101']);
  });

  it('lets a credit note refer to one project', () => {
    const project =
      '<cac:AdditionalDocumentReference><cbc:ID>P</cbc:ID><cbc:DocumentTypeCode>50</cbc:DocumentTypeCode></cac:AdditionalDocumentReference>';
    const before = '<cac:AccountingSupplierParty>';
    expect(ids(changed(creditNote(), [before, project + before]))).toEqual([]);
    expect(ids(changed(creditNote(), [before, project + project + before]))).toEqual(['PEPPOL-EN16931-R080']);
  });

  it('works a line out with its allowances, its charges and what the price is for, two hundredths off at most', () => {
    const lineCharge =
      '<cac:AllowanceCharge><cbc:ChargeIndicator>true</cbc:ChargeIndicator><cbc:AllowanceChargeReasonCode>FC</cbc:AllowanceChargeReasonCode><cbc:Amount currencyID="SEK">7.50</cbc:Amount></cac:AllowanceCharge>';
    const changes = (net: string): Change[] => [
      ['<cac:Item>', `${lineCharge}<cac:Item>`],
      ['</cbc:PriceAmount>', '$&<cbc:BaseQuantity unitCode="XBX">3</cbc:BaseQuantity>'],
      [/(<cac:InvoiceLine>[\s\S]*?<cbc:LineExtensionAmount currencyID="SEK">)125.00/, `$1${net}`],
    ];
    // Multiplied before it is divided: 3 × 125.00 / 3 is 125.00 to the last digit, and 0.02 off is near enough.
    const thrice: Change = ['<cbc:InvoicedQuantity unitCode="XBX">1<', '<cbc:InvoicedQuantity unitCode="XBX">3<'];
    expect(ids(changed(invoice(), ...changes('132.48'), thrice, ['>125.00</cbc:PriceAmount>', '>125.0000</cbc:PriceAmount>']))).toEqual([]);
    // 1 × 125.00 / 3 + 7.50 = 49.1666…
    expect(ids(changed(invoice(), ...changes('49.17')))).toEqual([]);
    expect(ids(changed(invoice(), ...changes('49.15')))).toEqual([]);
    expect(ids(changed(invoice(), ...changes('49.14')))).toEqual(['PEPPOL-EN16931-R120']);
  });

  it('says what is wrong with figures, and points at what is to be corrected', () => {
    const wrongLine = changed(invoice(), [/(<cac:InvoiceLine>[\s\S]*?<cbc:LineExtensionAmount currencyID="SEK">)125.00/, '$11250.00']);
    expect(findingsOf(wrongLine, 'peppol-billing')).toMatchObject([
      {
        rule: 'PEPPOL-EN16931-R120',
        severity: 'fatal',
        message:
          'The net amount of the line is 1,250.00 but quantity 1 × price 125.00 = 125.00: correct cbc:LineExtensionAmount, or what it is worked out from.',
        path: '/Invoice/cac:InvoiceLine[1]/cbc:LineExtensionAmount',
        value: '1250.00',
      },
    ]);
    const wrongShare = changed(invoice(), withAllowance, ['>20.00<', '>25.00<']);
    expect(findingsOf(wrongShare, 'peppol-billing')[0]?.message).toBe(
      'The amount is 25.00 but 10 % of 200.00 are 20.00: correct cbc:Amount, cbc:MultiplierFactorNumeric (a percentage) or cbc:BaseAmount.',
    );
  });
});

describe('Peppol self-billing', () => {
  const SELF_BILLED: Change[] = [
    ['poacc:billing:3.0', 'poacc:selfbilling:3.0'],
    ['poacc:billing:01:1.0', 'poacc:selfbilling:01:1.0'],
  ];
  const selfBilled = (...changes: Change[]): string[] =>
    idsOf(changed(invoice(), ...SELF_BILLED, ['>380<', '>389<'], ...changes), 'peppol-selfbilling');

  it('has identifiers and types of its own', () => {
    expect(selfBilled()).toEqual([]);
    expect(selfBilled(['>389<', '>380<'])).toEqual(['PEPPOL-EN16931-P0100']);
    expect(idsOf(invoice(), 'peppol-selfbilling')).toEqual(['PEPPOL-EN16931-R004', 'PEPPOL-EN16931-R007']);
    expect(idsOf(changed(creditNote(), ...SELF_BILLED, ['>381<', '>261<']), 'peppol-selfbilling')).toEqual([]);
    expect(idsOf(changed(creditNote(), ...SELF_BILLED), 'peppol-selfbilling')).toEqual(['PEPPOL-EN16931-P0101']);
  });

  it('leaves the types free where a response is expected', () => {
    expect(selfBilled([/<cbc:ProfileID>.*</, '<cbc:ProfileID>urn:peppol:bis:billing_with_response<'], ['>389<', '>384<'])).toEqual([]);
  });

  it('does not look at the currency of the tax of a subtotal, and knows no national rules', () => {
    expect(selfBilled([/(<\/cbc:TaxableAmount>\s*<cbc:TaxAmount currencyID=")SEK/, '$1EUR'])).toEqual([]);
    expect(selfBilled(['<cbc:PayableAmount currencyID="SEK">', '<cbc:PayableAmount currencyID="EUR">'])).toEqual(['PEPPOL-EN16931-R051']);
    expect(selfBilled(['SE730001000001', 'SE73000'])).toEqual([]);
  });
});
