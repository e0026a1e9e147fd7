import { describe, expect, it } from 'vitest';
import { creditNote, invoice } from '../../../support/documents.ts';
import { type Change, changed } from '../../../support/judged.ts';
import { afterBuyerReference, ids, invoiceIn, sentenceOf, without } from './examples.ts';

const wrong = (...changes: readonly Change[]) => invoiceIn('S', ...changes);
const line = (content: string): Change => ['<cac:Item>', `${content}$&`];
const item = (content: string): Change => ['<cac:ClassifiedTaxCategory>', `${content}$&`];
const period = (content: string) => `<cac:InvoicePeriod>${content}</cac:InvoicePeriod>`;

describe('our documents', () => {
  it.each([1, 2, 25])('are clean with %i lines', (lines) => {
    expect(ids(invoice({ lines, attachmentBytes: 30 }))).toEqual([]);
    expect(ids(creditNote({ lines, attachmentBytes: 30 }))).toEqual([]);
  });
});

describe('the head', () => {
  it.each([
    ['BR-01', 'cbc:CustomizationID'],
    ['BR-02', 'cbc:ID'],
    ['BR-03', 'cbc:IssueDate'],
    ['BR-04', 'cbc:InvoiceTypeCode'],
    ['BR-05', 'cbc:DocumentCurrencyCode'],
  ])('%s: %s is filled', (id, tag) => {
    expect(ids(wrong(without(tag)))).toContain(id);
    const empty: Change = [new RegExp(`(<${tag}>)[^<]*`), '$1 '];
    expect(ids(wrong(empty))).toContain(id);
    expect(sentenceOf(wrong(empty), id)).toContain(tag);
  });

  it('says which type to write into which kind of document', () => {
    expect(sentenceOf(changed(creditNote(), without('cbc:CreditNoteTypeCode')), 'BR-04')).toContain(
      'cbc:CreditNoteTypeCode, for example with 381',
    );
  });

  it('has a line', () => {
    expect(ids(wrong([/<cac:InvoiceLine>[\s\S]*<\/cac:InvoiceLine>/, '']))).toEqual(['BR-16', 'BR-CO-10', 'BR-S-01', 'BR-S-08']);
  });

  it('has a total of VAT in the currency in which VAT is accounted for', () => {
    const accounted = wrong(['<cbc:BuyerReference>', '<cbc:TaxCurrencyCode>EUR</cbc:TaxCurrencyCode>$&']);
    expect(ids(accounted)).toEqual(['BR-53']);
    expect(sentenceOf(accounted, 'BR-53')).toContain('currencyID="EUR"');
  });

  it('says once when VAT becomes due', () => {
    const date: Change = ['<cbc:DocumentCurrencyCode>', '<cbc:TaxPointDate>2026-03-02</cbc:TaxPointDate>$&'];
    const code = afterBuyerReference(period('<cbc:DescriptionCode>35</cbc:DescriptionCode>'));
    expect(ids(wrong(date))).toEqual([]);
    expect(ids(wrong(code))).toEqual([]);
    expect(ids(wrong(date, code))).toEqual(['BR-CO-03']);
  });

  it('has a period that is one', () => {
    expect(ids(wrong(afterBuyerReference(period('<cbc:Description>March</cbc:Description>'))))).toEqual(['BR-CO-19', 'UBL-CR-015']);
    const backwards = period('<cbc:StartDate>2026-03-02</cbc:StartDate><cbc:EndDate>2026-03-01</cbc:EndDate>');
    expect(ids(wrong(afterBuyerReference(backwards)))).toEqual(['BR-29']);
    expect(sentenceOf(wrong(afterBuyerReference(backwards)), 'BR-29')).toContain('ends on 2026-03-01, before it starts on 2026-03-02');
  });

  it('knows the subjects of notes', () => {
    const note = (text: string): Change => ['Thank you for your order.', text];
    expect(ids(wrong(note('#AAI#General information')))).toEqual([]);
    expect(ids(wrong(note('#AAH#General information')))).toEqual(['BR-CL-08']);
    expect(sentenceOf(wrong(note('#AAH#General information')), 'BR-CL-08')).toMatch(/begins with #AAH#.*perhaps to AA/);
    expect(ids(wrong(note('Order #12 and #13')))).toEqual([]);
  });

  it('refers to documents by number', () => {
    expect(ids(wrong(afterBuyerReference('<cac:AdditionalDocumentReference/>')))).toEqual(['BR-52']);
    const preceding = '<cac:BillingReference><cac:InvoiceDocumentReference/></cac:BillingReference>';
    expect(ids(wrong(afterBuyerReference(preceding)))).toEqual(['BR-55', 'UBL-SR-07']);
  });
});

describe('lines', () => {
  const inLine = (tag: string): Change => [new RegExp(`(<cac:InvoiceLine>[\\s\\S]*?)<${tag}[ >][\\s\\S]*?</${tag}>`), '$1'];

  it.each([
    ['BR-21', inLine('cbc:ID'), []],
    ['BR-22', inLine('cbc:InvoicedQuantity'), ['BR-23']],
    ['BR-23', [' unitCode="XBX"', ''], []],
    ['BR-24', inLine('cbc:LineExtensionAmount'), ['BR-CO-10', 'BR-S-08']],
    ['BR-25', inLine('cbc:Name'), []],
    ['BR-26', inLine('cac:Price'), ['BR-27']],
    ['BR-27', [/(<cbc:PriceAmount currencyID="SEK">)/, '$1-'], []],
    ['BR-CO-04', inLine('cac:TaxScheme'), []],
  ] as const)('%s', (id, change, more) => {
    expect(ids(wrong(change))).toEqual([id, ...more]);
  });

  it('have a gross price that is not below zero', () => {
    const gross = (value: string): Change => [
      '</cac:Price>',
      `<cac:AllowanceCharge><cbc:ChargeIndicator>false</cbc:ChargeIndicator><cbc:Amount currencyID="SEK">1</cbc:Amount><cbc:BaseAmount currencyID="SEK">${value}</cbc:BaseAmount></cac:AllowanceCharge>$&`,
    ];
    expect(ids(wrong(gross('126')))).toEqual([]);
    expect(ids(wrong(gross('-126')))).toEqual(['BR-28']);
  });

  it('have periods of their own', () => {
    expect(ids(wrong(line(period('<cbc:EndDate>2026-03-01</cbc:EndDate>'))))).toEqual([]);
    expect(ids(wrong(line(period('<cbc:DescriptionCode>35</cbc:DescriptionCode>'))))).toEqual(['BR-CO-20', 'UBL-CR-523']);
    expect(ids(wrong(line(period('<cbc:StartDate>2026-03-02</cbc:StartDate><cbc:EndDate>2026-03-01Z</cbc:EndDate>'))))).toEqual(['BR-30']);
  });

  it('have items whose properties, classes and numbers are complete', () => {
    expect(ids(wrong(item('<cac:AdditionalItemProperty><cbc:Name>Colour</cbc:Name></cac:AdditionalItemProperty>')))).toEqual(['BR-54']);
    const standard = (attributes: string) =>
      item(`<cac:StandardItemIdentification><cbc:ID${attributes}>1</cbc:ID></cac:StandardItemIdentification>`);
    expect(ids(wrong(standard('')))).toEqual(['BR-64']);
    expect(ids(wrong(standard(' schemeID="160"')))).toEqual(['BR-CL-21']);
    const classed = (attributes: string) =>
      item(
        `<cac:CommodityClassification><cbc:ItemClassificationCode${attributes}>1</cbc:ItemClassificationCode></cac:CommodityClassification>`,
      );
    expect(ids(wrong(classed('')))).toEqual(['BR-65']);
    expect(sentenceOf(wrong(classed(' listID="STJJ"')), 'BR-CL-13')).toContain('Nearest: STJ');
  });

  it('have allowances and charges with amount and reason', () => {
    const bare = (indicator: string) =>
      line(`<cac:AllowanceCharge><cbc:ChargeIndicator>${indicator}</cbc:ChargeIndicator></cac:AllowanceCharge>`);
    expect(ids(wrong(bare('false')))).toEqual(['BR-41', 'BR-42', 'BR-CO-23']);
    expect(ids(wrong(bare('1')))).toEqual(['BR-43', 'BR-44', 'BR-CO-24']);
    const onDocument = (indicator: string): Change => [
      '<cac:TaxTotal>',
      `<cac:AllowanceCharge><cbc:ChargeIndicator>${indicator}</cbc:ChargeIndicator></cac:AllowanceCharge>$&`,
    ];
    expect(ids(wrong(onDocument('0')))).toEqual(['BR-31', 'BR-32', 'BR-33', 'BR-CO-11', 'BR-CO-21']);
    expect(ids(wrong(onDocument('true')))).toEqual(['BR-36', 'BR-37', 'BR-38', 'BR-CO-12', 'BR-CO-22']);
  });
});
