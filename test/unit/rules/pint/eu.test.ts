import { describe, expect, it } from 'vitest';
import { type Change, findingsOf } from '../../../support/judged.ts';
import { creditNoteOf, idsIn, invoiceOf } from './examples.ts';
import { breaks, follow, precede, type Row, without } from './rows.ts';

const expectEach = (rows: readonly Row[]): void => breaks('pint-eu', rows);

const CURRENCY = /SEK/g;
const NO_IBAN: Change = [/(<cac:PayeeFinancialAccount>\s*<cbc:ID>)[^<]*/, '$1DE00'];
const GERMAN: Change[] = [
  [/(<cbc:IdentificationCode>)SE/g, '$1DE'],
  [
    /(AccountingSupplierParty>[\s\S]*?<\/cac:PartyLegalEntity>)/,
    '$1<cac:Contact><cbc:Name>A</cbc:Name><cbc:Telephone>030123</cbc:Telephone><cbc:ElectronicMail>a@b.example</cbc:ElectronicMail></cac:Contact>',
  ],
];

describe('what it says it is', () => {
  expectEach([
    [['ALIGNED-IBRP-004-EU'], ['@eu-1', '@xx-1']],
    [[], ['billing-1@eu-1', 'billing-1@en16931-2017@eu-3']],
    [[], ['bis:billing', 'bis:whatever']],
  ]);

  it.each<[string[], string]>([
    [['ibr-cl-01'], 'urn:peppol:bis:billing'],
    [['PEPPOL-EN16931-P0101', 'ibr-cl-01'], 'urn:peppol:bis:billing:01:1.0'],
    [['PEPPOL-EN16931-P0101', 'ibr-cl-01'], 'urn:peppol:bis:billing:02:1.0'],
    [['PEPPOL-EN16931-P0101', 'ibr-cl-01'], 'urn:peppol:bis:billing:07:1.0'],
    [['ibr-cl-01'], 'urn:peppol:bis:billing:1:1.0'],
    [['ibr-cl-01'], 'urn:peppol:bis:billing:01:1.0:02'],
    [['PEPPOL-EN16931-P0101', 'ibr-cl-01'], 'urn:peppol:bis:billing:01:1.0:01 '],
  ])('finds %j in a credit note of type 308 in the process %s', (ids, process) => {
    const document = creditNoteOf('pint-eu', ['urn:peppol:bis:billing', process], ['>381<', '>308<']);
    expect(document && idsIn('pint-eu', document)).toEqual(ids);
  });
});

describe('what its edition has otherwise', () => {
  it.each([
    ['CUC', []],
    ['MRO', []],
    ['MRU', ['BR-CL-03', 'BR-CL-04']],
    ['CNH', ['BR-CL-04']],
    ['SEK', []],
  ])('has an older list of currencies: %s', (currency, ids) => {
    const findings = findingsOf(invoiceOf('pint-eu', [CURRENCY, currency]), 'pint-eu/en').map(({ rule }) => rule);
    expect([...new Set(findings)].sort()).toEqual(ids);
  });

  expectEach([
    [['BR-CO-25'], without(/<cbc:DueDate>.*?<\/cbc:DueDate>/)],
    [
      ['BR-66', 'UBL-SR-54', 'ibr-066'],
      follow(
        '</cbc:PaymentID>',
        '<cac:CardAccount><cbc:PrimaryAccountNumberID>1234</cbc:PrimaryAccountNumberID><cbc:NetworkID>V</cbc:NetworkID></cac:CardAccount><cac:CardAccount><cbc:PrimaryAccountNumberID>1234</cbc:PrimaryAccountNumberID><cbc:NetworkID>V</cbc:NetworkID></cac:CardAccount>',
      ),
    ],
  ]);

  it.each<[string, string[]]>([
    ['19.0501', []],
    ['26.08.01', []],
    ['26.0801', []],
    ['7.0501', ['warning']],
  ])('knows UNSPSC %s between Danish parties', (release, severities) => {
    const document = invoiceOf(
      'pint-eu',
      [/(<cbc:IdentificationCode>)SE/g, '$1DK'],
      precede(
        '<cac:ClassifiedTaxCategory>',
        `<cac:CommodityClassification><cbc:ItemClassificationCode listID="TST" listVersionID="${release}">1</cbc:ItemClassificationCode></cac:CommodityClassification>`,
      ),
    );
    const findings = findingsOf(document, 'pint-eu/jur').filter(({ rule }) => rule === 'DK-R-003');
    expect(findings.map(({ severity }) => severity)).toEqual(severities);
  });

  it.each<[string, Change[], string[]]>([
    ['types with white space', [['>380<', '> 380 <']], ['DE-R-017']],
    ['types as they are', [], []],
    ['SEPA codes with white space', [['PaymentMeansCode>30<', 'PaymentMeansCode> 58 <'], NO_IBAN], []],
    ['SEPA codes as they are', [['PaymentMeansCode>30<', 'PaymentMeansCode>58<'], NO_IBAN], ['DE-R-019']],
  ])('reads between German parties %s', (_, changes, ids) => {
    const findings = findingsOf(invoiceOf('pint-eu', ...GERMAN, ...changes), 'pint-eu/jur').map(({ rule }) => rule);
    expect(findings.filter((id) => ['DE-R-017', 'DE-R-019'].includes(id))).toEqual(ids);
  });

  it('takes e-mail addresses of German sellers more strictly, with a warning', () => {
    const severities = (address: string): unknown[] =>
      findingsOf(invoiceOf('pint-eu', ...GERMAN, ['a@b.example', address]), 'pint-eu/jur')
        .filter(({ rule }) => rule === 'DE-R-028')
        .map(({ severity }) => severity);
    expect(severities('a.b+c@d-e.example')).toEqual([]);
    expect(severities('a@b')).toEqual(['warning']);
    expect(severities('a b@c.example')).toEqual(['warning']);
    expect(severities('a@-b.example')).toEqual(['warning']);
  });
});

describe('what it keeps', () => {
  expectEach([
    [['BR-02', 'ibr-002'], without('<cbc:ID>1001</cbc:ID>')],
    [
      ['BR-CO-16', 'ibr-co-16'],
      ['<cbc:PayableAmount currencyID="SEK">495.00', '<cbc:PayableAmount currencyID="SEK">495.01'],
    ],
    [
      ['PEPPOL-EN16931-R003'],
      without(/<cbc:BuyerReference>.*?<\/cbc:BuyerReference>/),
      without(/<cac:OrderReference>[\s\S]*?<\/cac:OrderReference>/),
    ],
    [['SE-R-001'], [/SE730001000001/g, 'SE73']],
  ]);
});
