import { describe, expect, it } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { type Change, changed, findingsOf, idsOf } from '../../../support/judged.ts';
import { account, beforeParties, bothIn, buyerIn, means } from './changes.ts';

describe('Germany', () => {
  const CONTACT =
    '<cac:Contact><cbc:Name>Anna</cbc:Name><cbc:Telephone>+49 30 1</cbc:Telephone><cbc:ElectronicMail>a@b.de</cbc:ElectronicMail></cac:Contact>';
  const ADDRESSED =
    '<cac:Delivery><cac:DeliveryLocation><cac:Address><cbc:CityName>Kiel</cbc:CityName><cbc:PostalZone>24103</cbc:PostalZone></cac:Address></cac:DeliveryLocation></cac:Delivery>';
  const MANDATE =
    '<cac:PaymentMandate><cbc:ID>M</cbc:ID><cac:PayerFinancialAccount><cbc:ID>DE89370400440532013000</cbc:ID></cac:PayerFinancialAccount></cac:PaymentMandate>';
  const CREDITOR = '<cac:PartyIdentification><cbc:ID schemeID="SEPA">DE98ZZZ09999999999</cbc:ID></cac:PartyIdentification>';
  const GERMAN: Change[] = [
    bothIn(' de '),
    ['</cac:PartyLegalEntity>', `</cac:PartyLegalEntity>${CONTACT}`],
    ['<cac:PaymentMeans>', `${ADDRESSED}<cac:PaymentMeans>`],
  ];
  const ids = (...changes: Change[]): string[] =>
    idsOf(changed(invoice({ attachmentBytes: 9 }), ...GERMAN, ...changes), 'peppol-billing', 'DE-');
  const terms = (note: string): Change => [
    '<cac:TaxTotal>',
    `<cac:PaymentTerms><cbc:Note>${note}</cbc:Note></cac:PaymentTerms><cac:TaxTotal>`,
  ];
  const debited: Change[] = [
    means('59'),
    [/<cac:PayeeFinancialAccount>[\s\S]*<\/cac:PayeeFinancialAccount>/, MANDATE],
    ['<cac:PartyName>', `${CREDITOR}<cac:PartyName>`],
  ];
  const attached = (name: string): Change =>
    beforeParties(
      `<cac:AdditionalDocumentReference><cbc:ID>2</cbc:ID><cac:Attachment><cbc:EmbeddedDocumentBinaryObject mimeCode="text/csv" filename="${name}">QQ==</cbc:EmbeddedDocumentBinaryObject></cac:Attachment></cac:AdditionalDocumentReference>`,
    );
  const located = (uri: string): Change =>
    beforeParties(
      `<cac:AdditionalDocumentReference><cbc:ID>3</cbc:ID><cac:Attachment><cac:ExternalReference><cbc:URI>${uri}</cbc:URI></cac:ExternalReference></cac:Attachment></cac:AdditionalDocumentReference>`,
    );
  const without = (element: string, after = ''): Change => [new RegExp(`(${after}[\\s\\S]*?)<${element}>[\\s\\S]*?</${element}>`), '$1'];
  const SKONTO = '#SKONTO#TAGE=14#PROZENT=2.00#';

  it.each<[string, ...Change[]]>([
    ['a transfer', located('https://a.de')],
    ['a direct debit', ...debited],
    ['a payment by card', means('48'), [/<cac:PayeeFinancialAccount>[\s\S]*<\/cac:PayeeFinancialAccount>/, '<cac:CardAccount/>']],
    ['cash discounts', terms(`Soon.\n${SKONTO}\n#SKONTO#TAGE=30#PROZENT=1.00#BASISBETRAG=-99.50#\n`)],
    ['terms that are text', terms('Number #1 is to be paid first.')],
    ['two attachments', attached('other.csv')],
    ['several notes', ['<cbc:Note>', '<cbc:Note>First</cbc:Note><cbc:Note>']],
    ['a type of its own', ['>380<', '>326<']],
  ])('accepts %s', (_what, ...changes) => {
    expect(ids(...changes)).toEqual([]);
  });

  it.each<[string, ...Change[]]>([
    ['DE-R-001', without('cac:PaymentMeans')],
    ['DE-R-002', without('cac:Contact')],
    ['DE-R-003', without('cbc:CityName')],
    ['DE-R-004', without('cbc:PostalZone')],
    ['DE-R-005', [CONTACT, CONTACT.replace('Anna', ' ')]],
    ['DE-R-006 DE-R-027', [/<cbc:Telephone>.*<\/cbc:Telephone>/, '']],
    ['DE-R-007 DE-R-028', [/<cbc:ElectronicMail>.*<\/cbc:ElectronicMail>/, '']],
    ['DE-R-027', ['+49 30 1', 'n/a 12']],
    ['DE-R-028', ['a@b.de', 'a@b']],
    ['DE-R-008', without('cbc:CityName', 'Lakeside')],
    ['DE-R-009', without('cbc:PostalZone', 'Lakeside')],
    ['DE-R-010', ['<cbc:CityName>Kiel</cbc:CityName>', '']],
    ['DE-R-011', ['<cbc:PostalZone>24103</cbc:PostalZone>', '']],
    ['DE-R-014', [/(<cac:TaxSubtotal>[\s\S]*?)<cbc:Percent>25<\/cbc:Percent>/, '$1']],
    ['DE-R-015', without('cbc:BuyerReference')],
    ['DE-R-016', without('cac:PartyTaxScheme')],
    ['DE-R-017', ['>380<', '>386<']],
    ['DE-R-018', terms(`${SKONTO}`)],
    ['DE-R-018', terms('#SKONTO#TAGE=14#PROZENT=2#\n')],
    ['DE-R-019', means('58'), account('1234567')],
    ['DE-R-020', ...debited, ['DE89370400440532013000', 'DE89370400440532013001']],
    ['DE-R-022', attached('lines.csv')],
    ['DE-R-023-1', without('cac:PayeeFinancialAccount')],
    ['DE-R-023-2', ['</cac:PaymentMeans>', '<cac:CardAccount/></cac:PaymentMeans>']],
    ['DE-R-024-1 DE-R-024-2', means('54')],
    ['DE-R-020 DE-R-025-1 DE-R-025-2', means('59')],
    ['DE-R-026', ['>380<', '>384<']],
    ['DE-R-030', ...debited, ['schemeID="SEPA"', 'schemeID="0204"']],
    ['DE-R-020 DE-R-031', ...debited, [/<cac:PayerFinancialAccount>.*<\/cac:PayerFinancialAccount>/, '']],
    ['DE-R-T02', located('a.de/file.pdf')],
  ])('tells %s', (expected, ...changes) => {
    expect(ids(...changes)).toEqual(expected.split(' '));
  });

  it('asks nothing when one party is elsewhere', () => {
    expect(ids(buyerIn('AT'), without('cac:Contact'), without('cac:PaymentMeans'))).toEqual([]);
  });

  it('shows what a cash discount looks like', () => {
    const document = changed(invoice(), ...GERMAN, terms('#SKONTO#TAGE=14#PROZENT=2#\n'));
    expect(findingsOf(document, 'peppol-billing')[0]?.message).toBe(
      "'#SKONTO#TAGE=14#PROZENT=2#' is no cash discount: write it as #SKONTO#TAGE=14#PROZENT=2.00#, on a line of its own, or begin the line with another character than #.",
    );
  });
});
