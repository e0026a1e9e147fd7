import { describe, expect, it } from 'vitest';
import { EN16931 } from '#rules/en16931/rule-set.ts';
import { creditNote } from '../../../support/documents.ts';
import { type Change, changed, findingsOf } from '../../../support/judged.ts';
import { afterBuyerReference, ids, invoiceIn, sentenceOf } from './examples.ts';

const wrong = (...changes: readonly Change[]) => invoiceIn('S', ...changes);
const twice = (tag: string): Change => [new RegExp(`<${tag}[ >][\\s\\S]*?</${tag}>`), '$&$&'];
const item = (content: string): Change => ['<cac:ClassifiedTaxCategory>', `${content}$&`];

describe('how often things occur', () => {
  it.each([
    ['UBL-SR-01', afterBuyerReference('<cac:ContractDocumentReference><cbc:ID>1</cbc:ID></cac:ContractDocumentReference>'.repeat(2))],
    ['UBL-SR-08', afterBuyerReference('<cac:InvoicePeriod><cbc:StartDate>2026-01-01</cbc:StartDate></cac:InvoicePeriod>'.repeat(2))],
    ['UBL-SR-09', twice('cbc:RegistrationName')],
    ['UBL-SR-10', twice('cac:PartyName')],
    ['UBL-SR-12', twice('cac:PartyTaxScheme')],
    ['UBL-SR-24', ['<cac:PaymentMeans>', '<cac:Delivery/><cac:Delivery/>$&']],
    ['UBL-SR-26', twice('cbc:PaymentID')],
    ['UBL-SR-27', twice('cbc:PaymentMeansCode')],
    ['UBL-SR-48', twice('cac:ClassifiedTaxCategory')],
    ['UBL-SR-51', ['<cac:Country>', '<cac:AddressLine/><cac:AddressLine/>$&']],
    ['UBL-SR-34', ['<cac:InvoiceLine>', '<cac:InvoiceLine><cbc:Note>a</cbc:Note><cbc:Note>b</cbc:Note>']],
    ['UBL-SR-53', [/<cbc:CompanyID>SE730001000001<\/cbc:CompanyID>/, '']],
  ] as const)('%s', (id, change) => {
    expect(ids(wrong(change), 'UBL-SR')).toEqual([id]);
  });

  it('knows a number for another tax beside the one for VAT, not two of them', () => {
    const other = (name: string) =>
      `<cac:PartyTaxScheme><cbc:CompanyID>${name}</cbc:CompanyID><cac:TaxScheme><cbc:ID>TAX</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>`;
    expect(ids(wrong(['<cac:PartyLegalEntity>', `${other('1')}$&`]))).toEqual([]);
    expect(ids(wrong(['<cac:PartyLegalEntity>', `${other('1')}${other('2')}$&`]))).toEqual(['UBL-SR-13', 'UBL-SR-42']);
  });

  it('keeps the object that is invoiced apart from supporting documents', () => {
    const reference = (type: string, attributes = '', more = '') =>
      afterBuyerReference(
        `<cac:AdditionalDocumentReference><cbc:ID${attributes}>1</cbc:ID><cbc:DocumentTypeCode>${type}</cbc:DocumentTypeCode>${more}</cac:AdditionalDocumentReference>`,
      );
    expect(ids(wrong(reference('130', ' schemeID="AAJ"')))).toEqual([]);
    expect(ids(wrong(reference('130', ' schemeID="XYZ"')))).toEqual(['BR-CL-07']);
    expect(ids(wrong(reference('50')))).toEqual(['UBL-SR-43']);
    expect(ids(changed(creditNote(), reference('50')))).toEqual([]);
    expect(ids(wrong(reference('916', ' schemeID="AAJ"')))).toEqual(['UBL-CR-665', 'UBL-SR-43']);
    expect(ids(wrong(reference('130', '', '<cac:Attachment/>')))).toEqual(['UBL-CR-666']);
    expect(ids(wrong(reference('130', '', '<cbc:DocumentDescription>x</cbc:DocumentDescription>')))).toEqual(['UBL-CR-673']);
  });

  it('wants type and name of attachments', () => {
    const attachment =
      '<cac:AdditionalDocumentReference><cbc:ID>1</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject>AA==</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>';
    expect(ids(wrong(afterBuyerReference(attachment)))).toEqual(['UBL-DT-06', 'UBL-DT-07']);
  });
});

describe('what EN 16931 has no use for', () => {
  it.each([
    ['UBL-CR-005', afterBuyerReference('<cbc:UUID>1</cbc:UUID>')],
    [
      'UBL-CR-046',
      afterBuyerReference('<cac:DespatchDocumentReference><cbc:ID>1</cbc:ID><cbc:UUID>1</cbc:UUID></cac:DespatchDocumentReference>'),
    ],
    ['UBL-CR-143', ['<cac:PartyName>', '<cbc:WebsiteURI>x</cbc:WebsiteURI>$&']],
    ['UBL-CR-412', ['<cbc:PaymentID>', '<cbc:PaymentDueDate>2026-04-01</cbc:PaymentDueDate>$&']],
    ['UBL-CR-561', ['<cac:Item>', '<cac:TaxTotal/>$&']],
    ['UBL-CR-597', [/(<cac:ClassifiedTaxCategory>\s*<cbc:ID>S<\/cbc:ID>)/, '$1<cbc:Name>x</cbc:Name>']],
    ['UBL-CR-652', ['<cbc:CompanyID>', '<cbc:CompanyID schemeID="0007">']],
    ['UBL-CR-656', ['<cbc:InvoiceTypeCode>', '<cbc:InvoiceTypeCode listID="UNCL1001">']],
    ['UBL-DT-16', ['<cbc:InvoiceTypeCode>', '<cbc:InvoiceTypeCode listAgencyName="UN">']],
    ['UBL-DT-18', ['<cbc:InvoiceTypeCode>', '<cbc:InvoiceTypeCode name="Invoice">']],
    ['UBL-CR-002', ['<cbc:CustomizationID>', '<cbc:UBLVersionID>2.3</cbc:UBLVersionID>$&']],
  ] as const)('%s warns', (id, change) => {
    const findings = findingsOf(wrong(change), 'en16931');
    expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([[id, 'warning']]);
  });

  it('lets credit notes state their due date with the payment, and payment means be named', () => {
    const named: Change = ['<cbc:PaymentMeansCode>', '<cbc:PaymentMeansCode name="Credit transfer">'];
    expect(ids(wrong(named))).toEqual([]);
    const due: Change = [
      '<cac:TaxTotal>',
      '<cac:PaymentMeans><cbc:PaymentMeansCode>10</cbc:PaymentMeansCode><cbc:PaymentDueDate>2026-04-01</cbc:PaymentDueDate></cac:PaymentMeans>$&',
    ];
    expect(ids(changed(creditNote(), due))).toEqual([]);
  });

  it('tells one element by each of its ids', () => {
    const reason =
      '<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:AllowanceChargeReason>x</cbc:AllowanceChargeReason><cbc:Amount currencyID="SEK">1</cbc:Amount></cac:AllowanceCharge>';
    expect(ids(wrong(['</cac:Price>', `${reason}$&`]))).toEqual(['UBL-CR-634', 'UBL-CR-670']);
  });
});

describe('codes', () => {
  it.each([
    ['BR-CL-01', ['InvoiceTypeCode>380<', 'InvoiceTypeCode>381<']],
    ['BR-CL-03', ['PriceAmount currencyID="SEK"', 'PriceAmount currencyID="SEKK"']],
    ['BR-CL-14', ['<cbc:IdentificationCode>SE', '<cbc:IdentificationCode>UK']],
    ['BR-CL-16', ['PaymentMeansCode>30<', 'PaymentMeansCode>99<']],
    ['BR-CL-23', [' unitCode="XBX"', ' unitCode="BOX"']],
    ['BR-CL-25', [' schemeID="0088"', ' schemeID="0089"']],
    ['BR-CL-15', item('<cac:OriginCountry><cbc:IdentificationCode>XX</cbc:IdentificationCode></cac:OriginCountry>')],
    ['BR-CL-11', [/(<cbc:RegistrationName>Northern .*?<\/cbc:RegistrationName>)/, '$1<cbc:CompanyID schemeID="7">1</cbc:CompanyID>']],
  ] as const)('%s', (id, change) => {
    expect(ids(wrong(change))).toEqual([id]);
  });

  it('lets the seller, not the buyer, be a creditor of SEPA', () => {
    const creditor = (name: string): Change => [
      new RegExp(`<cac:PartyName>\\s*<cbc:Name>${name}`),
      '<cac:PartyIdentification><cbc:ID schemeID="SEPA">DE98ZZZ09999999999</cbc:ID></cac:PartyIdentification>$&',
    ];
    expect(ids(wrong(creditor('Northern')))).toEqual([]);
    expect(ids(wrong(creditor('Lakeside')))).toEqual(['BR-CL-10']);
  });

  it('takes reasons for exemptions in small letters, and suggests the ones that were meant', () => {
    const reason = (code: string): Change => [
      '<cbc:TaxExemptionReason>No VAT is charged</cbc:TaxExemptionReason>',
      `<cbc:TaxExemptionReasonCode>${code}</cbc:TaxExemptionReasonCode>`,
    ];
    expect(ids(invoiceIn('E', reason('vatex-eu-132')))).toEqual([]);
    expect(sentenceOf(invoiceIn('E', reason('VATEX-EU-1322')), 'BR-CL-22')).toContain('VATEX-EU-132');
  });
});

it('has 979 rules, each id with one severity', () => {
  const severities = new Map<string, Set<string>>();
  for (const { id, severity } of EN16931.patterns.flat().flatMap(({ rules }) => rules)) {
    severities.set(id, (severities.get(id) ?? new Set()).add(severity));
  }
  expect(severities.size).toBe(979);
  expect([...severities].filter(([, each]) => each.size > 1)).toEqual([]);
});
