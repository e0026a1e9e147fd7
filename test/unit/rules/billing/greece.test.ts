import { describe, expect, it } from 'vitest';
import { invoice } from '../../../support/documents.ts';
import { type Change, changed, idsOf } from '../../../support/judged.ts';
import { beforeParties, bothIn, buyerIn } from './changes.ts';

describe('Greece', () => {
  const reference = (description: string, content: string): Change =>
    beforeParties(
      `<cac:AdditionalDocumentReference>${content.replace('</cbc:ID>', `$&<cbc:DocumentDescription>${description}</cbc:DocumentDescription>`)}</cac:AdditionalDocumentReference>`,
    );
  const VERIFIED =
    '<cbc:ID>u</cbc:ID><cac:Attachment><cac:ExternalReference><cbc:URI>https://a.gr</cbc:URI></cac:ExternalReference></cac:Attachment>';
  const MARKED = reference('##M.AR.K##', '<cbc:ID>400001</cbc:ID>');
  const LOCATED = reference('##INVOICE|URL##', VERIFIED);
  const NUMBER = '094014201|02/03/2026|0|1.1|A|17';
  const GREEK: Change[] = [
    bothIn('GR'),
    ['<cbc:ID>1001', `<cbc:ID>${NUMBER}`],
    ['SE730001000001', 'EL094014201'],
    ['SE735000000001', 'EL090000045'],
    ['0088">7300010000001', '9933">094014201'],
    ['0088">7350000000016', '9933">090000045'],
  ];
  const greek = (...changes: Change[]): string[] => idsOf(changed(invoice(), ...GREEK, ...changes), 'peppol-billing', 'GR-');
  const ids = (...changes: Change[]): string[] => greek(MARKED, LOCATED, ...changes);

  it('accepts what is in order', () => {
    expect(ids()).toEqual([]);
    expect(ids(buyerIn('IT'), ['EL090000045', 'IT00743110157'], ['9933">090000045', '0088">7350000000016'])).toEqual([]);
  });

  it.each<[string, Change]>([
    ['GR-R-001-1', [NUMBER, `${NUMBER}|5`]],
    ['GR-R-001-2', [NUMBER, NUMBER.replace('094014201', '090000045')]],
    ['GR-R-001-3', [NUMBER, NUMBER.replace('02/03', '2/3')]],
    ['GR-R-001-4', [NUMBER, NUMBER.replace('|0|', '|-1|')]],
    ['GR-R-001-5', [NUMBER, NUMBER.replace('1.1', '9.9')]],
    ['GR-R-001-6', [NUMBER, NUMBER.replace('|A|', '||')]],
    ['GR-R-001-7', [NUMBER, NUMBER.replace('|17', '|')]],
    ['GR-R-001-1 GR-R-001-7', [NUMBER, NUMBER.replace('|17', '')]],
    ['GR-R-002', [/<cac:PartyName>[\s\S]*?<\/cac:PartyName>/, '']],
    ['GR-R-001-2 GR-R-003 GR-S-011', ['EL094014201', 'EL094014202']],
    ['GR-R-004-2', ['>400001<', '>M400001<']],
    ['GR-R-005', [/<cac:PartyName>\s*<cbc:Name>Lakeside[\s\S]*?<\/cac:PartyName>/, '']],
    ['GR-R-006', ['EL090000045', 'EL090000046']],
    ['GR-R-008-3', ['<cbc:URI>https://a.gr</cbc:URI>', '']],
    ['GR-R-008-2 GR-S-008-1', LOCATED],
    ['GR-R-009', ['9933">094014201', '9933">094014202']],
    ['GR-R-010', ['9933">090000045', '0088">7350000000016']],
  ])('tells %s', (expected, change) => {
    expect(ids(change)).toEqual(expected.split(' '));
  });

  it('asks nothing of a party with several registrations under VAT, whose country the official rules cannot tell', () => {
    const twice = (number: string): Change => [
      new RegExp(`<cac:PartyTaxScheme>\\s*<cbc:CompanyID>${number}[\\s\\S]*?</cac:PartyTaxScheme>`),
      '$&$&',
    ];
    expect(ids(['EL090000045', 'EL090000046'], twice('EL090000046'))).toEqual([]);
    expect(ids(twice('EL094014201'), [/<cac:PartyName>[\s\S]*?<\/cac:PartyName>/, ''])).toEqual([]);
  });

  it('wants a mark and where the document can be verified only of a seller in Greece', () => {
    expect(greek()).toEqual(['GR-R-004-1', 'GR-S-008-1']);
    expect(greek(['<cbc:IdentificationCode>GR', '<cbc:IdentificationCode>CY'])).toEqual([]);
  });
});
