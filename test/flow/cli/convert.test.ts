import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { invoice } from '../../support/documents.ts';
import { command } from '../../support/terminal.ts';

let folder = '';
const at = (name: string): string => join(folder, name);
const xml = new TextDecoder().decode(invoice());

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-convert-'));
  writeFileSync(at('invoice.xml'), xml);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('dropgate convert', () => {
  it('prints nothing that a terminal obeys, and means the same', async () => {
    const note = 'a\u009b31m\u202eb\u2028c';
    const input = readFileSync(at('invoice.xml'), 'utf8').replace(/<cbc:Note>[^<]*/, `<cbc:Note>${note}`);
    const { out: json } = await command(['convert', '-', '--to', 'json'], input);
    const { out: xml } = await command(['convert', '-', '--to', 'xml'], json);
    expect(`${json}${xml}`).not.toMatch(/[\u007f-\u009f\u202e\u2028]/);
    expect(JSON.parse(json).Invoice.Note).toEqual([{ _: note }]);
    expect(xml).toContain('<cbc:Note>a&#x9b;31m&#x202e;b&#x2028;c</cbc:Note>');
    expect((await command(['convert', '-', '--to', 'json'], xml)).out).toBe(json);
  });

  it('prints UBL JSON for XML, and the same XML for that', async () => {
    const json = await command(['convert', at('invoice.xml'), '--to', 'json']);
    expect([json.status, json.err]).toEqual([0, '']);
    expect(JSON.parse(json.out)).toMatchObject({ Invoice: { ID: { _: '1001' }, InvoiceLine: [{ ID: { _: '1' } }, { ID: { _: '2' } }] } });
    const back = await command(['convert', '-', '--to', 'xml'], json.out);
    const normal = await command(['convert', at('invoice.xml'), '--to', 'xml']);
    expect(back.out).toBe(normal.out);
    expect(back.out).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<Invoice /);
  });

  it('keeps hints for schema validators in XML, and says that JSON has no place for them', async () => {
    const hinted = xml.replace('<Invoice ', '<Invoice xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="a b" ');
    const same = await command(['convert', '-', '--to', 'xml'], hinted);
    expect([same.err, same.out]).toEqual(['', expect.stringMatching(/<Invoice [^>]*:schemaLocation="a b"/)]);
    const json = await command(['convert', '-', '--to', 'json'], hinted);
    expect([json.status, json.err]).toEqual([
      0,
      expect.stringMatching(/^xsi:schemaLocation: left out, because UBL JSON has no place for it/),
    ]);
    expect(json.out).toBe((await command(['convert', '-', '--to', 'json'], xml)).out);
  });

  it('reads standard input when no file is named, and makes one shape of JSON of another', async () => {
    const legacy =
      '{"Invoice":[{"ID":["1"],"IssueDate":["2026-03-02"],"AccountingSupplierParty":[{}],"AccountingCustomerParty":[{}],"LegalMonetaryTotal":[{"PayableAmount":[{"_":1.50,"currencyID":"SEK"}]}],"InvoiceLine":[{"ID":["1"],"LineExtensionAmount":[{"_":1.50,"currencyID":"SEK"}],"Item":[{}]}]}]}';
    const { status, out } = await command(['convert', '--to', 'json'], legacy);
    expect([status, out]).toEqual([
      0,
      '{"Invoice":{"ID":{"_":"1"},"IssueDate":{"_":"2026-03-02"},"AccountingSupplierParty":{},"AccountingCustomerParty":{},"LegalMonetaryTotal":{"PayableAmount":{"_":1.50,"currencyID":"SEK"}},"InvoiceLine":[{"ID":{"_":"1"},"LineExtensionAmount":{"_":1.50,"currencyID":"SEK"},"Item":{}}]}}',
    ]);
  });

  it('writes into a new file, and never over another one', async () => {
    const args = ['convert', at('invoice.xml'), '--to', 'json', '--output', at('invoice.json')];
    expect(await command(args)).toEqual({ status: 0, out: '', err: '' });
    expect(readFileSync(at('invoice.json'), 'utf8')).toMatch(/^\{"Invoice":\{.*\}\}\n$/);
    const again = await command(args);
    expect(again.status).toBe(73);
    expect(again.err).toContain('is there already');
  });

  it.each([
    ['a broken structure', xml.replace('<cbc:ID>1001</cbc:ID>', ''), 65, /Invoice has no cbc:ID.*\(\/Invoice\).*dropgate validate/],
    ['an unknown property', '{"Invoice":{"IDD":"1"}}', 65, /did you mean ID\? \(\/Invoice\/IDD\)/],
    ['what is no document', 'hello', 65, /neither XML nor JSON/],
    [
      'a document of another kind',
      '<Quotation xmlns="urn:oasis:names:specification:ubl:schema:xsd:Quotation-2"/>',
      65,
      /'Quotation' is no document/,
    ],
  ])('refuses %s', async (_, input, status, sentence) => {
    const result = await command(['convert', '-', '--to', 'json', '-o', at('never.json')], input);
    expect(result).toMatchObject({ status, out: '', err: expect.stringMatching(sentence) });
    expect(existsSync(at('never.json'))).toBe(false);
  });

  it('says what is wrong with the command', async () => {
    expect(await command(['convert', at('nowhere.xml'), '--to', 'json'])).toMatchObject({
      status: 66,
      err: expect.stringContaining('no such file'),
    });
    expect(await command(['convert', at('invoice.xml')])).toMatchObject({ status: 64, err: expect.stringContaining('--to') });
    expect(await command(['convert', at('invoice.xml'), '--to', 'pdf'])).toMatchObject({
      status: 64,
      err: expect.stringContaining('json, xml'),
    });
  });
});
