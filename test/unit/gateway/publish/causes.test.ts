// The cause first: whoever mends it has nothing left of what was told under it. And nothing stays hidden that would be left.
import { describe, expect, it } from 'vitest';
import type { Finding } from '#domain/document.ts';
import type { GroupedFinding } from '#domain/receipt.ts';
import { grouped } from '#gateway/publish/grouped-findings.ts';
import { validate } from '#rules/validate.ts';
import { readDocument } from '#ubl/document.ts';
import { writeJson } from '#ubl/write-json.ts';
import { invoice } from '../../../support/documents.ts';
import { FAULTS } from '../../../support/seeded-faults.ts';

type Fault = keyof typeof FAULTS;

const RIGHT = Buffer.from(invoice()).toString();
const judged = async (xml: string): Promise<readonly Finding[]> => (await validate(Buffer.from(xml), { day: '2026-11-21' })).findings;
const groupsOf = async (fault: Fault): Promise<readonly GroupedFinding[]> => grouped(await judged(FAULTS[fault](RIGHT)));
const placeOf = ({ rule, path }: Finding): string => `${rule} ${path}`;
/** The same sentence at the same place, whatever its figures: what could not be worked out before is another finding. */
const errorOf = (found: Finding): string =>
  `${placeOf(found)} ${found.message.replace(/ The same at .*$/, '').replaceAll(/\d[\d.,]*/g, '#')}`;

const shapeOf = ({ rule, places, follows }: GroupedFinding): unknown => [rule, places?.length, follows?.map(shapeOf)];

// biome-ignore format: one row, one mistake: the rule that is told first, and those under it
const CAUSES: Readonly<Partial<Record<Fault, readonly [cause: string, ...follows: string[]]>>> = {
  'no currency':                 ['BR-05', 'PEPPOL-EN16931-R051'],
  'another currency':            ['PEPPOL-EN16931-R051', 'BR-CO-15'],
  'a currency that is none':     ['BR-CL-04', 'BR-CO-15', 'PEPPOL-EN16931-R051'],
  'the VAT in another currency': ['PEPPOL-EN16931-R051', 'BR-CO-15'],
  'a category of a subtotal':    ['BR-CL-17', 'BR-S-01'],
  'a category of a line':        ['BR-CL-18', 'BR-S-08'],
  'a category everywhere':       ['BR-CL-17'],
  'no category of a line':       ['BR-CO-04', 'UBL-SR-48', 'BR-S-08'],
  'a rate of a subtotal':        ['SE-R-006', 'BR-CO-17', 'BR-S-09', 'BR-S-08'],
  'a rate of a line':            ['SE-R-006', 'BR-S-08'],
  'no tax total':                ['BR-CO-18', 'BR-S-01', 'PEPPOL-EN16931-R053', 'BR-CO-15'],
  'no subtotal':                 ['BR-CO-18', 'BR-S-01', 'PEPPOL-EN16931-R053', 'PEPPOL-EN16931-R054'],
  'the amount of a line':        ['PEPPOL-EN16931-R120', 'BR-S-08', 'BR-CO-10'],
  'a price':                     ['PEPPOL-EN16931-R120'],
  'the sum of the lines':        ['BR-CO-10', 'BR-CO-13'],
  'no sum of the lines':         ['BR-12', 'BR-CO-10', 'BR-CO-13'],
  'the total without VAT':       ['BR-CO-13', 'BR-CO-15'],
  'no total without VAT':        ['BR-13', 'BR-CO-15', 'BR-CO-13'],
  'the total with VAT':          ['BR-CO-15', 'BR-CO-16'],
  'no total with VAT':           ['BR-14', 'BR-CO-15', 'BR-CO-16'],
  'the VAT in all':              ['BR-CO-14', 'BR-CO-15'],
  'the VAT of a subtotal':       ['BR-CO-17', 'BR-S-09', 'BR-CO-14'],
  'the taxable amount':          ['BR-S-08', 'BR-CO-17', 'BR-S-09'],
  'no process':                  ['PEPPOL-EN16931-R001', 'PEPPOL-EN16931-R007'],
  'no tax number of the seller': ['BR-S-02', 'BR-CO-26'],
  'a type of a document':        ['BR-CL-01'],
  'a scheme of an address':      ['BR-CL-25'],
};

const SEEDED = Object.keys(FAULTS).filter((name): name is Fault => Object.hasOwn(CAUSES, name));

describe('what follows from a cause', () => {
  it.each(SEEDED)('%s: one finding, with the others under it', async (fault) => {
    const groups = await groupsOf(fault);
    expect(groups.map(({ rule, follows = [] }) => [rule, ...follows.map((each) => each.rule)])).toEqual([CAUSES[fault]]);
    expect(await judged(RIGHT)).toEqual([]);
    const inJson = writeJson(readDocument(Buffer.from(FAULTS[fault](RIGHT))).root);
    const ofJson = grouped((await validate(inJson, { day: '2026-11-21' })).findings);
    expect(ofJson.map(shapeOf)).toEqual(groups.map(shapeOf));
  });

  it.each(SEEDED)('%s: mended beside any other mistake, nothing of its group is left', async (fault) => {
    const [cause] = await groupsOf(fault);
    for (const other of Object.values(FAULTS)) {
      const left = other(RIGHT);
      const both = FAULTS[fault](left);
      const alone = FAULTS[fault](RIGHT);
      // One that is made at the same place, or in what is gone, is not another.
      if (both === left || both === alone || both !== other(alone)) continue;
      const group = grouped(await judged(both)).find((each) => cause && placeOf(each) === placeOf(cause));
      const stays = await judged(left);
      // Two causes at one place: then this group is of both.
      if (!group || stays.some((each) => placeOf(each) === placeOf(group))) continue;
      // No rule has seen the other one, as long as this one is there.
      const [its] = grouped(stays);
      if (!its || !(await judged(both)).some((each) => placeOf(each) === placeOf(its))) continue;
      const told = new Set(group.follows?.map(errorOf));
      expect(stays.filter((each) => told.has(errorOf(each)))).toEqual([]);
    }
  });

  // An allowance of the document, one of the first line, and a charge of the document: 10 % each, of VAT at 25 %.
  const adjusted = RIGHT.replace('  <cac:TaxTotal>', `${adjustment(false, 100)}${adjustment(true, 50)}  <cac:TaxTotal>`)
    .replace('<cac:Item>', `${adjustment(false, 60).replace(/<cac:TaxCategory>[\s\S]*<\/cac:TaxCategory>/, '')}<cac:Item>`)
    .replace('>125.00</cbc:LineExtensionAmount>', '>119.00</cbc:LineExtensionAmount>')
    .replaceAll(/>396.00<\/cbc:(TaxExclusive|Taxable)Amount>/g, '>385.00</cbc:$1Amount>')
    .replace('>396.00</cbc:Line', '>390.00</cbc:Line')
    .replaceAll('>99.00<', '>96.25<')
    .replaceAll('>495.00<', '>481.25<')
    .replace(
      /(<cbc:TaxInclusiveAmount.*)/,
      '$1<cbc:AllowanceTotalAmount currencyID="SEK">10.00</cbc:AllowanceTotalAmount><cbc:ChargeTotalAmount currencyID="SEK">5.00</cbc:ChargeTotalAmount>',
    );

  // biome-ignore format: one row, one mistake
  it.each([
    ['an allowance',            /(<cbc:Amount currencyID="SEK">)10.00/, ['PEPPOL-EN16931-R040', 'BR-S-08', 'BR-CO-11']],
    ['a charge',                /(<cbc:Amount currencyID="SEK">)5.00/, ['PEPPOL-EN16931-R040', 'BR-S-08', 'BR-CO-12']],
    ['an allowance of a line',  /(<cbc:Amount currencyID="SEK">)6.00/, ['PEPPOL-EN16931-R040', 'PEPPOL-EN16931-R120']],
    ['the total of allowances', /(<cbc:AllowanceTotalAmount currencyID="SEK">)10.00/, ['BR-CO-11', 'BR-CO-13']],
    ['the total of charges',    /(<cbc:ChargeTotalAmount currencyID="SEK">)5.00/, ['BR-CO-12', 'BR-CO-13']],
  ] as const)('%s: the sums that are right without its error', async (_, amount, rules) => {
    expect(await judged(adjusted)).toEqual([]);
    const groups = grouped(await judged(adjusted.replace(amount, '$120.00')));
    expect(groups.map(({ rule, follows = [] }) => [rule, ...follows.map((each) => each.rule)])).toEqual([rules]);
  });

  it('a sum that would still be wrong is a finding of its own', async () => {
    const [line, sum, ...others] = grouped(await judged(FAULTS['the amount of a line'](FAULTS['the sum of the lines'](RIGHT))));
    expect(line).toMatchObject({ rule: 'PEPPOL-EN16931-R120', follows: [{ rule: 'BR-S-08' }] });
    expect([sum, ...others].map((each) => each?.rule)).toEqual(['BR-CO-10', 'BR-CO-13']);
  });

  it('a total of VAT in the accounting currency follows from its code only where there is one', async () => {
    const code = RIGHT.replace('</cbc:DocumentCurrencyCode>', '$&<cbc:TaxCurrencyCode>eur</cbc:TaxCurrencyCode>');
    const total = code.replace('</cac:TaxTotal>', '$&<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">9.00</cbc:TaxAmount></cac:TaxTotal>');
    const following = async (xml: string) => grouped(await judged(xml)).flatMap(({ follows = [] }) => follows.map(({ rule }) => rule));
    expect(await judged(total.replace('>eur<', '>EUR<'))).toEqual([]);
    expect(await following(total)).toContain('BR-53');
    expect(await following(code)).not.toContain('BR-53');
  });

  it('what refuses a document is never told below a warning', () => {
    const of = (rule: string, severity: Finding['severity']): Finding => ({ rule, severity, message: 'An empty value.', path: '/Invoice' });
    const found = [of('PEPPOL-EN16931-R001', 'warning'), of('PEPPOL-EN16931-R007', 'fatal')];
    expect(grouped(found)).toEqual(found);
  });

  it('of more findings than our rules tell, as a service may send them, nothing is looked for', () => {
    const of = (at: number): Finding => ({
      ...(at % 2 === 0
        ? { rule: 'PEPPOL-EN16931-R120', message: 'The amount is 2.00, but it is worked out as 1.00: correct it.' }
        : { rule: 'BR-CO-10', message: 'The sum is 1.00, but it is worked out as 2.00: correct it.' }),
      severity: 'fatal',
      path: `/Invoice/cac:InvoiceLine/cbc:ID${at}`,
    });
    // Each with a sentence of its own, so that none is another's place.
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ...of(at), message: `${of(at).message} (${at})` }));
    expect(grouped(many(200)).length).toBeLessThan(200);
    expect(grouped(many(201))).toHaveLength(201);
  });

  it('a sentence that is longer than those of our rules explains nothing', () => {
    const of = (rule: string, text: string): Finding => ({ rule, severity: 'fatal', message: text, path: `/Invoice/${rule}` });
    const [wrong, other] = [
      'The amount is 2.00, but it is worked out as 1.00: correct it.',
      'The sum is 1.00, but it is worked out as 2.00: correct it.',
    ];
    const groups = (text: string) => grouped([of('PEPPOL-EN16931-R120', text), of('BR-CO-10', other)]);
    expect(groups(wrong)).toHaveLength(1);
    expect(groups(`${wrong}${' '.repeat(400)}`)).toHaveLength(2);
  });
});

function adjustment(charge: boolean, base: number): string {
  return `<cac:AllowanceCharge><cbc:ChargeIndicator>${charge}</cbc:ChargeIndicator><cbc:AllowanceChargeReason>Agreed</cbc:AllowanceChargeReason>
    <cbc:MultiplierFactorNumeric>10</cbc:MultiplierFactorNumeric><cbc:Amount currencyID="SEK">${(base / 10).toFixed(2)}</cbc:Amount>
    <cbc:BaseAmount currencyID="SEK">${base.toFixed(2)}</cbc:BaseAmount><cac:TaxCategory><cbc:ID>S</cbc:ID><cbc:Percent>25</cbc:Percent>
    <cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:TaxCategory></cac:AllowanceCharge>`;
}
