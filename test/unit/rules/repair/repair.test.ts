import { describe, expect, it } from 'vitest';
import { dateMeantBy } from '#rules/repair/dates.ts';
import { repaired } from '#rules/repair/repair.ts';
import { schemeMeantBy } from '#rules/repair/schemes.ts';
import { BUYER, invoice, SELLER } from '../../../support/documents.ts';
import { type Change, changed } from '../../../support/judged.ts';

const DAY = '2026-06-01';
const RIGHT = invoice({ issueDate: '2026-05-31' });
const repair = (document: Uint8Array, addresses: readonly string[] = []) => repaired(document, { day: DAY, addresses });

describe('the form of a date', () => {
  it.each([
    ['20260331', '2026-03-31'],
    ['2026/3/31', '2026-03-31'],
    ['2026.03.31', '2026-03-31'],
    [' 2026-03-31\n', '2026-03-31'],
    ['2026-03-31T00:00:00', '2026-03-31'],
    ['2026-03-31T00:00:00.000+02:00', '2026-03-31'],
    ['2026-03-31Z', '2026-03-31'],
    ['31.3.2026', '2026-03-31'],
    ['04.03.2026', '2026-03-04'],
    ['31/03/2026', '2026-03-31'],
    ['03/31/2026', '2026-03-31'],
    ['03-03-2026', '2026-03-03'],
  ])('%s means %s', (stated, meant) => expect(dateMeantBy(stated)).toBe(meant));

  it.each(['2026-03-31', '04/03/2026', '31.02.2026', '260331', '2026-03-30T22:00:00Z', '31.13.2026', 'soon', ''])(
    '%s means no one day',
    (stated) => expect(dateMeantBy(stated)).toBeUndefined(),
  );
});

describe('the scheme of an address', () => {
  it.each([
    ['9906', '5567321707', ['0007:5567321707'], '0007'],
    [undefined, 'BE0123', ['9925:be0123'], '9925'],
    ['GLN', '7300010000001', [], '0088'],
    ['orgnr', '5567321707', [], '0007'],
    [' 0088 ', '7300010000001', [], '0088'],
    // Right, unknown, or not the only one.
    ['0007', '5567321707', ['0007:5567321707', '9955:5567321707'], undefined],
    ['9906', '5567321707', ['0007:5567321707', '9955:5567321707'], undefined],
    ['0060', '5567321707', [], undefined],
    ['GLN', '7300010000002', [], undefined],
    [undefined, '7300010000001', [], undefined],
  ])('%s of %s among %j is %s', (stated, value, known, meant) => expect(schemeMeantBy(stated, value, known)).toBe(meant));
});

describe('a repair', () => {
  const [, seller = ''] = SELLER.split(':');
  const slips: readonly (readonly [what: string, change: Change, path: string, from: string, to: string])[] = [
    ['a date', [/2026-05-31/, '31.05.2026'], '/Invoice/cbc:IssueDate', '31.05.2026', '2026-05-31'],
    ['a code', [/<cbc:DocumentCurrencyCode>SEK/, '<cbc:DocumentCurrencyCode>sek'], '/Invoice/cbc:DocumentCurrencyCode', 'sek', 'SEK'],
    ['a name of a profile', [/poacc:billing:3\.0/, 'poacc:biling:3.0'], '/Invoice/cbc:CustomizationID', '', ''],
    ['a scheme', [`schemeID="0088">${seller}`, `schemeID="GLN">${seller}`], 'cbc:EndpointID/@schemeID', 'GLN', '0088'],
  ];

  it.each(slips)('of %s gives the right document back, byte for byte, and says what it has changed', async (_, change, path, from, to) => {
    const found = await repair(changed(RIGHT, change));
    expect(found?.document).toEqual(Buffer.from(RIGHT));
    expect(found?.changes).toHaveLength(1);
    expect(found?.changes[0]?.path).toContain(path);
    if (from !== '') expect(found?.changes[0]).toMatchObject({ from, to });
  });

  it('is of all of them together, also those that show only once the profile is known', async () => {
    const found = await repair(changed(RIGHT, ...slips.map(([, change]) => change)));
    expect(found?.document).toEqual(Buffer.from(RIGHT));
    expect(found?.changes).toHaveLength(slips.length);
  });

  it('gives the sender the scheme of its address', async () => {
    const stranger = changed(RIGHT, [`schemeID="0088">${seller}`, `schemeID="0192">${seller}`]);
    expect((await repair(stranger, [SELLER]))?.document).toEqual(Buffer.from(RIGHT));
    expect(await repair(stranger, [BUYER])).toBeNull();
  });

  it.each<[what: string, document: Uint8Array]>([
    ['a document that is right', RIGHT],
    ['an amount', changed(RIGHT, [/<cbc:PayableAmount([^>]*)>([^<]*)/, '<cbc:PayableAmount$1>$2,5'])],
    ['a date that may mean two days', changed(RIGHT, [/2026-05-31/, '05/06/2026'])],
    ['a document that stays invalid', changed(RIGHT, [/2026-05-31/, '20260531'], [/<cbc:ID>[^<]*<\/cbc:ID>/, ''])],
    ['a code that no list has', changed(RIGHT, [/<cbc:DocumentCurrencyCode>SEK/, '<cbc:DocumentCurrencyCode>sekx'])],
    ['a date with a reference', changed(RIGHT, [/2026-05-31/, '2026&#47;05&#47;31'])],
    ['JSON', Buffer.from('{}')],
    ['a long document', Buffer.concat([changed(RIGHT, [/2026-05-31/, '20260531']), Buffer.alloc(2 * 1024 * 1024, ' ')])],
  ])('is none of %s', async (_, document) => expect(await repair(document)).toBeNull());

  it('is none of a document with a slip on hundreds of lines', async () => {
    const many = (lines: number): Uint8Array => {
      const right = new TextDecoder().decode(invoice({ issueDate: '2026-05-31', lines }));
      return Buffer.from(right.replaceAll(/unitCode="[A-Z0-9]+"/g, (attribute) => attribute.toLowerCase().replace('unitcode', 'unitCode')));
    };
    expect((await repair(many(20)))?.changes.length).toBeGreaterThan(19);
    expect(await repair(many(300))).toBeNull();
  });
});
