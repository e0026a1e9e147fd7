import { describe, expect, it } from 'vitest';
import type { Change } from '../../../support/judged.ts';
import { creditNoteOf, found, idsIn, sentenceOf } from './examples.ts';
import { breaks, follow, precede, type Row, without } from './rows.ts';

const expectEach = (rows: readonly Row[]): void => breaks('pint', rows);

const adjustment = (charge: boolean, inside: string): string =>
  `<cac:AllowanceCharge><cbc:ChargeIndicator>${charge}</cbc:ChargeIndicator>${inside}</cac:AllowanceCharge>`;
const AMOUNT = '<cbc:Amount currencyID="SEK">0</cbc:Amount>';
const ON_DOCUMENT = '<cac:TaxTotal>';
const ON_LINE = '<cac:Item>';
const IN_PRICE = /(<cbc:PriceAmount currencyID="SEK">125\.00<\/cbc:PriceAmount>)/;

describe('the document', () => {
  expectEach([
    [
      ['ibr-001', 'ibr-079'],
      [/(<cbc:CustomizationID>)[^<]*/, '$1'],
    ],
    [['ibr-sr-63'], ['pint:billing-1', 'pint:*']],
    [
      ['ibr-002', 'ibr-079'],
      ['<cbc:ID>1001<', '<cbc:ID> <'],
    ],
    [['ibr-003'], without(/<cbc:IssueDate>.*?<\/cbc:IssueDate>/)],
    [['ibr-073'], ['2026-03-02', '2026-02-30']],
    [['ibr-073'], ['2026-03-02', '2026-03-02Z']],
    [['ibr-004'], without(/<cbc:InvoiceTypeCode>.*?<\/cbc:InvoiceTypeCode>/)],
    [['ibr-cl-01'], ['>380<', '>381<']],
    [['ibr-005', 'ibr-126', 'ibr-co-15'], without(/<cbc:DocumentCurrencyCode>.*?<\/cbc:DocumentCurrencyCode>/)],
    [['ibr-cl-04', 'ibr-126', 'ibr-co-15'].sort(), ['<cbc:DocumentCurrencyCode>SEK', '<cbc:DocumentCurrencyCode>sek']],
    [['ibr-076'], without(/<cbc:ProfileID>.*?<\/cbc:ProfileID>/)],
    [['ibr-sr-51'], follow('</cbc:Note>', '<cbc:Note>Another</cbc:Note>')],
    [['ibr-119'], follow('</cbc:IssueDate>', '<cbc:IssueTime>25:00:00</cbc:IssueTime>')],
    [[], follow('</cbc:IssueDate>', '<cbc:IssueTime>23:59:59.5+02:00</cbc:IssueTime>')],
    [
      ['ibr-055', 'ibr-sr-07'],
      follow('</cac:OrderReference>', '<cac:BillingReference><cbc:X/></cac:BillingReference>'),
      ['<cbc:X/>', '<cac:BillingReferenceLine><cbc:ID>1</cbc:ID></cac:BillingReferenceLine>'],
    ],
    [
      ['ibr-052'],
      follow('</cac:OrderReference>', '<cac:AdditionalDocumentReference><cbc:UUID>1</cbc:UUID></cac:AdditionalDocumentReference>'),
    ],
  ]);

  it('asks for the document that is meant, in words', () => {
    expect(sentenceOf('pint', 'ibr-002', ['<cbc:ID>1001<', '<cbc:ID> <'])).toBe('The document has no number: fill cbc:ID.');
  });
});

describe('tax in another currency', () => {
  const EUR = follow('</cbc:DocumentCurrencyCode>', '<cbc:TaxCurrencyCode>EUR</cbc:TaxCurrencyCode>');
  const total = (amount: string): Change =>
    precede('<cac:LegalMonetaryTotal>', `<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">${amount}</cbc:TaxAmount></cac:TaxTotal>`);
  expectEach([
    [['ibr-053', 'ibr-084'], EUR],
    [[], EUR, total('9.00')],
    [['ibr-co-15'], EUR, precede('<cac:TaxTotal>', '<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">9.00</cbc:TaxAmount></cac:TaxTotal>')],
    [['ibr-084'], EUR, total('-9.00')],
    [['ibr-077'], follow('</cbc:DocumentCurrencyCode>', '<cbc:TaxCurrencyCode>SEK</cbc:TaxCurrencyCode>')],
    [['ibr-cl-05', 'ibr-053', 'ibr-084'].sort(), EUR, ['Code>EUR', 'Code>EURO']],
  ]);
});

describe('the invoiced object and the project', () => {
  const reference = (inside: string): Change =>
    follow('</cac:OrderReference>', `<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID>${inside}</cac:AdditionalDocumentReference>`);
  const OBJECT = '<cbc:DocumentTypeCode>130</cbc:DocumentTypeCode>';
  expectEach([
    [[], reference(OBJECT)],
    [['ibr-078'], reference(OBJECT), reference(OBJECT)],
    [
      ['ibr-071'],
      reference(`${OBJECT}<cac:Attachment><cac:ExternalReference><cbc:URI>x</cbc:URI></cac:ExternalReference></cac:Attachment>`),
    ],
    [['ibr-072'], reference(`${OBJECT}<cbc:DocumentDescription>x</cbc:DocumentDescription>`)],
    [['ibr-sr-33'], reference('<cbc:DocumentDescription>x</cbc:DocumentDescription><cbc:DocumentDescription>y</cbc:DocumentDescription>')],
    [
      ['ibr-090'],
      reference('<cbc:DocumentTypeCode>50</cbc:DocumentTypeCode>'),
      reference('<cbc:DocumentTypeCode>50</cbc:DocumentTypeCode>'),
    ],
    [['ibr-cl-07'], reference(OBJECT), ['<cbc:ID>1<', '<cbc:ID schemeID="x">1<']],
    [
      ['ibr-cl-24'],
      reference(
        '<cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/plain" filename="x">eA==</cbc:EmbeddedDocumentBinaryObject></cac:Attachment>',
      ),
    ],
    [
      ['ibr-074', 'ibr-075'],
      reference('<cac:Attachment><cbc:EmbeddedDocumentBinaryObject>eA==</cbc:EmbeddedDocumentBinaryObject></cac:Attachment>'),
    ],
  ]);
});

describe('totals', () => {
  const total = (tag: string, amount: string): Change => [new RegExp(`(<cbc:${tag} currencyID="SEK">)[^<]*`), `$1${amount}`];
  const added = (tag: string, amount: string): Change =>
    precede('<cbc:PayableAmount', `<cbc:${tag} currencyID="SEK">${amount}</cbc:${tag}>`);
  expectEach([
    [
      ['ibr-co-10', 'ibr-co-13'],
      [/(<cac:LegalMonetaryTotal>\s*<cbc:LineExtensionAmount currencyID="SEK">)[^<]*/, '$1400.00'],
    ],
    [['ibr-013', 'ibr-co-13', 'ibr-co-15'], without(/<cbc:TaxExclusiveAmount.*?<\/cbc:TaxExclusiveAmount>/)],
    [['ibr-014', 'ibr-co-15', 'ibr-co-16'], without(/<cbc:TaxInclusiveAmount.*?<\/cbc:TaxInclusiveAmount>/)],
    [['ibr-015', 'ibr-co-16'], without(/<cbc:PayableAmount.*?<\/cbc:PayableAmount>/)],
    [['ibr-091'], total('PayableAmount', '495.000')],
    [['ibr-125'], total('TaxInclusiveAmount', '495.000')],
    [['ibr-123'], total('TaxExclusiveAmount', '396.000')],
    [['ibr-co-15', 'ibr-co-16'], total('TaxInclusiveAmount', '496.00')],
    [['ibr-co-16'], added('PrepaidAmount', '5.00')],
    [['ibr-co-16'], added('PayableRoundingAmount', '0.50')],
    [[], added('PrepaidAmount', '5.00'), total('PayableAmount', '490.00')],
    [[], added('PayableRoundingAmount', '0.50'), total('PayableAmount', '495.50')],
    [[], added('PrepaidAmount', '0.00'), added('PayableRoundingAmount', '0.00')],
    [['ibr-co-11', 'ibr-co-13'], added('AllowanceTotalAmount', '5.00')],
    [['ibr-co-12', 'ibr-co-13'], added('ChargeTotalAmount', '5.00')],
    [['ibr-121'], added('AllowanceTotalAmount', '0.000')],
    [['ibr-122'], added('ChargeTotalAmount', '0.000')],
    [['ibr-co-14', 'ibr-co-15'], total('TaxAmount', '98.00')],
    [['ibr-124'], total('TaxAmount', '99.000')],
    [['ibr-126'], ['<cbc:PayableAmount currencyID="SEK">', '<cbc:PayableAmount currencyID="EUR">']],
    [
      ['ibr-126', 'ibr-cl-03'],
      ['<cbc:PayableAmount currencyID="SEK">', '<cbc:PayableAmount currencyID="sek">'],
    ],
    [['ibr-093'], precede('<cac:TaxTotal>', '<cac:PrepaidPayment><cbc:ID>1</cbc:ID></cac:PrepaidPayment>')],
  ]);

  it('is silent about nets and gross where prices contain the tax', () => {
    const included = follow('99.00</cbc:TaxAmount>', '<cbc:TaxIncludedIndicator>true</cbc:TaxIncludedIndicator>');
    expect(found('pint', included, total('TaxExclusiveAmount', '1.00'))).toEqual([]);
  });

  it('does not look at the tax total of a credit note, as the official rules do not', () => {
    const document = creditNoteOf('pint', [/(<cac:TaxSubtotal>[\s\S]*?<cbc:TaxAmount currencyID="SEK">)99/, '$198']);
    expect(document && idsIn('pint', document)).toEqual([]);
  });

  it('shows the figures', () => {
    const wrong = added('PrepaidAmount', '5.00');
    expect(sentenceOf('pint', 'ibr-co-16', wrong)).toBe(
      'The amount to pay is 495.00 but total with tax 495.00 - prepaid 5.00 + rounding 0.00 = 490.00: correct cbc:PayableAmount or the amounts that it adds up.',
    );
    expect(sentenceOf('pint', 'ibr-co-15', total('TaxExclusiveAmount', '1396.00'))).toContain(
      'is 495.00 but net 1,396.00 + tax 99.00 = 1,495.00: correct',
    );
  });

  it('says what is wrong with the currency of the tax', () => {
    const missing: Change = ['<cbc:DocumentCurrencyCode>SEK', '<cbc:DocumentCurrencyCode>NOK'];
    expect(sentenceOf('pint', 'ibr-co-15', missing)).toBe(
      "No tax total is in the document's currency (NOK), so the total with tax cannot be checked: state cac:TaxTotal/cbc:TaxAmount in it.",
    );
    const second: Change = precede('<cac:TaxTotal>', '<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">9.00</cbc:TaxAmount></cac:TaxTotal>');
    expect(sentenceOf('pint', 'ibr-co-15', second)).toBe(
      "The tax in the document's currency (SEK) is to be stated once, before any other: correct the order of the cac:TaxTotal, or take one out.",
    );
  });
});

describe('allowances and charges', () => {
  const REASON = '<cbc:AllowanceChargeReason>x</cbc:AllowanceChargeReason>';
  expectEach([
    [['ibr-031', 'ibr-033', 'ibr-co-11'], precede(ON_DOCUMENT, adjustment(false, ''))],
    [['ibr-036', 'ibr-038', 'ibr-044', 'ibr-co-12'], precede(ON_DOCUMENT, adjustment(true, ''))],
    [['ibr-041', 'ibr-042'], precede(ON_LINE, adjustment(false, ''))],
    [['ibr-043', 'ibr-044'], precede(ON_LINE, adjustment(true, ''))],
    [[], precede(ON_LINE, adjustment(false, REASON + AMOUNT))],
    [['ibr-sr-30'], precede(ON_LINE, adjustment(false, REASON + REASON + AMOUNT))],
    [['ibr-sr-31'], precede(ON_LINE, adjustment(true, REASON + REASON + AMOUNT))],
    [['ibr-cl-19'], precede(ON_LINE, adjustment(false, `<cbc:AllowanceChargeReasonCode>FC</cbc:AllowanceChargeReasonCode>${AMOUNT}`))],
    [['ibr-cl-20'], precede(ON_LINE, adjustment(true, `<cbc:AllowanceChargeReasonCode>95</cbc:AllowanceChargeReasonCode>${AMOUNT}`))],
    [['ibr-082'], precede(ON_LINE, `<cac:AllowanceCharge>${AMOUNT}</cac:AllowanceCharge>`)],
    [['ibr-083'], [IN_PRICE, `$1${adjustment(true, AMOUNT)}`]],
    [['ibr-028'], [IN_PRICE, `$1${adjustment(false, `${AMOUNT}<cbc:BaseAmount currencyID="SEK">-1</cbc:BaseAmount>`)}`]],
  ]);
});

describe('lines', () => {
  const period = (inside: string): string => `<cac:InvoicePeriod>${inside}</cac:InvoicePeriod>`;
  const start = (day: string): string => `<cbc:StartDate>${day}</cbc:StartDate>`;
  const end = (day: string): string => `<cbc:EndDate>${day}</cbc:EndDate>`;
  const ofDocument = (inside: string): Change => precede('<cac:OrderReference>', period(inside));
  const ofLine = (inside: string): Change => precede(ON_LINE, period(inside));
  expectEach([
    [['ibr-016', 'ibr-co-10'], without(/<cac:InvoiceLine>[\s\S]*<\/cac:InvoiceLine>/)],
    [['ibr-021'], without('<cbc:ID>1</cbc:ID>')],
    [['ibr-022', 'ibr-023'], without(/<cbc:InvoicedQuantity.*?<\/cbc:InvoicedQuantity>/)],
    [['ibr-023'], ['<cbc:InvoicedQuantity unitCode="XBX">1', '<cbc:InvoicedQuantity>1']],
    [['ibr-cl-23'], ['<cbc:InvoicedQuantity unitCode="XBX">1', '<cbc:InvoicedQuantity unitCode="BOX">1']],
    [['ibr-024', 'ibr-co-10'], without(/<cbc:LineExtensionAmount currencyID="SEK">125.00<\/cbc:LineExtensionAmount>/)],
    [['ibr-025'], without(/<cbc:Name>Printing.*?<\/cbc:Name>/)],
    [['ibr-026', 'ibr-027'], without(IN_PRICE), ['<cac:Price>', '<cac:Price><cbc:PriceChangeReason>x</cbc:PriceChangeReason>']],
    [['ibr-027'], [IN_PRICE, '<cbc:PriceAmount currencyID="SEK">-1</cbc:PriceAmount>']],
    [['ibr-087'], [IN_PRICE, '$1<cbc:BaseQuantity>0</cbc:BaseQuantity>']],
    [['ibr-088'], [IN_PRICE, '$1<cbc:BaseQuantity unitCode="C62">1</cbc:BaseQuantity>']],
    [[], [IN_PRICE, '$1<cbc:BaseQuantity unitCode="XBX">1</cbc:BaseQuantity>']],
    [['ibr-sr-58'], [/(<cac:ClassifiedTaxCategory>\s*)<cbc:ID>S<\/cbc:ID>/, '$1']],
    [
      ['ibr-054'],
      follow('</cac:ClassifiedTaxCategory>', '<cac:AdditionalItemProperty><cbc:Name>x</cbc:Name></cac:AdditionalItemProperty>'),
    ],
    [
      ['ibr-065'],
      precede(
        '<cac:ClassifiedTaxCategory>',
        '<cac:CommodityClassification><cbc:ItemClassificationCode>1</cbc:ItemClassificationCode></cac:CommodityClassification>',
      ),
    ],
    [
      ['ibr-064'],
      precede('<cac:ClassifiedTaxCategory>', '<cac:StandardItemIdentification><cbc:ID>1</cbc:ID></cac:StandardItemIdentification>'),
    ],
    [['ibr-029'], ofDocument(start('2026-02-02') + end('2026-02-01'))],
    [['ibr-co-19'], ofDocument('<cbc:DurationMeasure unitCode="DAY">1</cbc:DurationMeasure>')],
    [['ibr-097'], ofDocument(start('2026-02-02')), ofDocument(start('2026-02-02'))],
    [['ibr-030'], ofLine(start('2026-02-02') + end('2026-02-01'))],
    [['ibr-co-20'], ofLine('<cbc:DescriptionCode>3</cbc:DescriptionCode>')],
    [['ibr-030', 'ibr-073'], ofLine(start('12026-02-02') + end('2026-02-01'))],
    [['ibr-073', 'ibr-085'], ofDocument(start('2026-02-02')), ofLine(start('-2026-02-01'))],
    [['ibr-073', 'ibr-086'], ofDocument(end('2026-02-02')), ofLine(end('12026-02-03'))],
    [['ibr-085'], ofDocument(start('2026-02-02')), ofLine(start('2026-02-01'))],
    [['ibr-086'], ofDocument(end('2026-02-02')), ofLine(end('2026-02-03'))],
    [[], ofDocument(start('2026-02-01') + end('2026-02-28')), ofLine(start('2026-02-01') + end('2026-02-28'))],
    [
      ['ibr-089'],
      precede(
        ON_LINE,
        '<cac:DocumentReference><cbc:ID>1</cbc:ID><cbc:DocumentTypeCode>130</cbc:DocumentTypeCode></cac:DocumentReference>'.repeat(2),
      ),
    ],
    [
      ['ibr-092'],
      follow('</cac:OrderReference>', '<cac:DespatchDocumentReference><cbc:ID>1</cbc:ID></cac:DespatchDocumentReference>'),
      precede(
        ON_LINE,
        '<cac:DespatchLineReference><cbc:LineID>1</cbc:LineID><cac:DocumentReference><cbc:ID>1</cbc:ID></cac:DocumentReference></cac:DespatchLineReference>',
      ),
    ],
  ]);
});

describe('parties', () => {
  const PAYEE_BEFORE = '<cac:PaymentMeans>';
  const payee = (inside: string): Change => precede(PAYEE_BEFORE, `<cac:PayeeParty>${inside}</cac:PayeeParty>`);
  const name = (value: string): string => `<cac:PartyName><cbc:Name>${value}</cbc:Name></cac:PartyName>`;
  const identifier = (value: string, attributes = ''): string =>
    `<cac:PartyIdentification><cbc:ID${attributes}>${value}</cbc:ID></cac:PartyIdentification>`;
  const representative = (inside: string): Change =>
    precede(PAYEE_BEFORE, `<cac:TaxRepresentativeParty>${inside}</cac:TaxRepresentativeParty>`);
  const SELLER_ENDPOINT = '<cbc:EndpointID schemeID="0088">7300010000001</cbc:EndpointID>';
  const BUYER_ENDPOINT = '<cbc:EndpointID schemeID="0088">7350000000016</cbc:EndpointID>';
  expectEach([
    [['ibr-081'], without(SELLER_ENDPOINT)],
    [['ibr-080'], without(BUYER_ENDPOINT)],
    [['ibr-062'], [SELLER_ENDPOINT, '<cbc:EndpointID>7300010000001</cbc:EndpointID>']],
    [['ibr-063'], [BUYER_ENDPOINT, '<cbc:EndpointID>7350000000016</cbc:EndpointID>']],
    [['ibr-068'], ['7300010000001', '7300010000002']],
    [['ibr-cl-25'], ['"0088">7300010000001', '"0000">7300010000001']],
    [['ibr-127'], ['"0088">7300010000001', '"0007">55673217071']],
    [[], ['"0088">7300010000001', '"0007">5567321700']],
    [['ibr-069'], ['"0088">7300010000001', '"0192">123456789']],
    [['ibr-070'], ['"0088">7300010000001', '"0184">12345678']],
    [['ibr-113'], ['"0088">7300010000001', '"0208">0123456789']],
    [['ibr-114'], ['"0088">7300010000001', '"0201">12345']],
    [['ibr-115'], ['"0088">7300010000001', '"0210">12345']],
    [['ibr-116'], ['"0088">7300010000001', '"0211">IT12345678901']],
    [['ibr-120'], ['"0088">7300010000001', '"0151">12345678901']],
    [
      ['ibr-006'],
      without('<cbc:RegistrationName>Northern Paper Supplies AB</cbc:RegistrationName>'),
      ['<cac:PartyLegalEntity>', '<cac:PartyLegalEntity><cbc:CompanyLegalForm>x</cbc:CompanyLegalForm>'],
    ],
    [['ibr-008'], without(/<cac:PostalAddress>[\s\S]*?<\/cac:PostalAddress>/)],
    [['ibr-009'], without(/<cac:Country>[\s\S]*?<\/cac:Country>/)],
    [['ibr-co-26'], without(/<cac:PartyTaxScheme>[\s\S]*?<\/cac:PartyTaxScheme>/)],
    [['ibr-sr-57', 'ibr-co-26'].sort(), without('<cbc:CompanyID>SE730001000001</cbc:CompanyID>')],
    [['ibr-cl-14'], ['Code>SE<', 'Code>se<']],
    [
      ['ibr-sr-53'],
      [
        /(<cbc:PostalZone>83130<\/cbc:PostalZone>)/,
        '$1<cac:AddressLine><cbc:Line>a</cbc:Line></cac:AddressLine><cac:AddressLine><cbc:Line>b</cbc:Line></cac:AddressLine>',
      ],
    ],
    [[], payee(name('Somebody else'))],
    [['ibr-017'], payee(name('Northern Paper Supplies AB'))],
    [['ibr-017'], payee(identifier('1'))],
    [['ibr-sr-19'], payee(name('Somebody') + name('else'))],
    [['ibr-105'], payee(identifier('1', '') + identifier('2', '') + name('x'))],
    [['ibr-105'], payee(identifier('1', ' schemeID="0088"') + identifier('2', ' schemeID="0002"') + name('x')), ['0088">1<', '0002">1<']],
    [[], payee(identifier('1', ' schemeID="0002"') + identifier('2', ' schemeID="SEPA"') + name('x'))],
    [['ibr-cl-10'], payee(identifier('1', ' schemeID="X"') + name('x'))],
    [['ibr-018', 'ibr-019', 'ibr-056'], representative('<cbc:EndpointID schemeID="0002">1</cbc:EndpointID>')],
    [
      ['ibr-020'],
      representative(
        `${name('x')}<cac:PostalAddress><cbc:CityName>x</cbc:CityName></cac:PostalAddress><cac:PartyTaxScheme><cbc:CompanyID>1</cbc:CompanyID></cac:PartyTaxScheme>`,
      ),
    ],
    [
      ['ibr-057'],
      precede(
        PAYEE_BEFORE,
        '<cac:Delivery><cac:DeliveryLocation><cac:Address><cbc:CityName>x</cbc:CityName></cac:Address></cac:DeliveryLocation></cac:Delivery>',
      ),
    ],
    [
      ['ibr-107'],
      precede(PAYEE_BEFORE, '<cac:Delivery><cbc:ActualDeliveryDate>2026-03-01</cbc:ActualDeliveryDate></cac:Delivery>'.repeat(2)),
    ],
  ]);
});

describe('payment', () => {
  const CODE = '<cbc:PaymentMeansCode>30</cbc:PaymentMeansCode>';
  expectEach([
    [['ibr-049'], without(CODE)],
    [['ibr-cl-16'], ['>30<', '>69<']],
    [[], ['>30<', '>Z08<']],
    [
      ['ibr-sr-46', 'ibr-sr-27'].sort(),
      [CODE, '<cbc:PaymentMeansCode name="a">30</cbc:PaymentMeansCode><cbc:PaymentMeansCode name="b">30</cbc:PaymentMeansCode>'],
    ],
    [['ibr-sr-05'], precede('<cac:TaxTotal>', '<cac:PaymentTerms><cbc:Note>a</cbc:Note><cbc:Note>b</cbc:Note></cac:PaymentTerms>')],
  ]);
});
