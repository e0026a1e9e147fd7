import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command } from '../../support/terminal.ts';

const INVOICE = readFileSync('test/fixtures/invoice.xml', 'utf8');
/** The same invoice with an id missing: a mistake of structure, at a known place. */
const WITHOUT_ID = INVOICE.replace(/ *<cbc:ID>[^<]*<\/cbc:ID>\n/, '');

let folder = '';
const at = (...names: string[]): string => join(folder, ...names);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-validate-'));
  mkdirSync(at('all', 'below'), { recursive: true });
  writeFileSync(at('all', 'a-good.xml'), INVOICE);
  writeFileSync(at('all', 'b-wrong.XML'), WITHOUT_ID);
  writeFileSync(at('all', 'below', 'c-broken.xml'), INVOICE.slice(0, 400));
  writeFileSync(at('all', 'notes.txt'), 'no document');
  writeFileSync(at('all', '.hidden.xml'), 'no document');
  symlinkSync(at('all', 'a-good.xml'), at('all', 'link.xml'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('dropgate validate', () => {
  it.each(['text', 'json', 'ndjson'])('of a folder without documents says so and ends with 2, as %s', async (format) => {
    mkdirSync(at('none'), { recursive: true });
    const { status, err } = await command(['validate', '--format', format, at('none')]);
    expect([status, err]).toEqual([2, 'No files: a folder is searched for names that end in .xml or .json.']);
  });

  it('says nothing but a summary of what is valid, and ends with 0', async () => {
    const { status, out, err } = await command(['validate', at('all', 'a-good.xml')]);
    expect([status, out, err]).toEqual([0, '', '1 file: 1 valid, 0 invalid (0 errors, 0 warnings).']);
  });

  it('shows a mistake as a compiler does: place, sentence, rule, the line, a caret', async () => {
    const { status, out } = await command(['validate', at('all', 'b-wrong.XML')]);
    expect(status).toBe(1);
    const [head = '', source = '', caret = ''] = out.split('\n');
    expect(head).toMatch(/b-wrong\.XML:\d+:\d+: error: .*cbc:ID.* \[ubl-cardinality\]$/);
    expect(source.slice(caret.indexOf('^'))).toMatch(/^<Invoice/);
  });

  it('ends with 2 for what cannot be read, and says why', async () => {
    const { status, out } = await command(['validate', at('all', 'below', 'c-broken.xml')]);
    expect(status).toBe(2);
    expect(out).toMatch(/c-broken\.xml:\d+:\d+: error: The file ends too early.* \[unreadable\]/);
    expect((await command(['validate', at('nowhere.xml')])).out).toContain('There is no such file.');
  });

  it('prints nothing that a terminal obeys: not of names, values, lines, or what cannot be read', async () => {
    const name = at('\u001b[2J\nvalid.xml');
    const bad = 'a\u009b31m\u202eb\u2028c';
    writeFileSync(name, INVOICE.replace(/<cbc:DocumentCurrencyCode>[^<]*/, `<cbc:DocumentCurrencyCode>\r${bad}`));
    writeFileSync(at('declared.xml'), '<?xml version="1.0" encoding="\u001b[31m"?><a/>');
    writeFileSync(at('key.json'), '{"Invoice":{"\\u001b[31m":1,"\\u001b[32m":2}}');
    for (const format of ['text', 'json', 'ndjson']) {
      const { out } = await command(['validate', '--format', format, name, at('declared.xml'), at('key.json')]);
      expect(out).not.toMatch(/(?!\n)[\p{Cc}\u202e\u2028]/u);
      expect(out).toContain('a\\u009b31m\\u202eb\\u2028c');
    }
    const { out } = await command(['validate', name]);
    expect(out.split('\n').filter((line) => line.startsWith('valid.xml'))).toEqual([]);
    expect((await command(['convert', at('declared.xml'), '--to', 'json'])).err).not.toContain('\u001b');
  });

  it('goes through folders by name, and passes over what is no document', async () => {
    const { status, out, err } = await command(['validate', '--format', 'ndjson', at('all')]);
    const reports = out.split('\n').map((line) => JSON.parse(line));
    expect(reports.map(({ file, state }) => [file.slice(at('all').length + 1), state])).toEqual([
      ['a-good.xml', 'valid'],
      ['b-wrong.XML', 'invalid'],
      ['below/c-broken.xml', 'unreadable'],
    ]);
    expect(reports[1].findings[0]).toMatchObject({ rule: 'ubl-cardinality', severity: 'fatal', path: '/Invoice' });
    expect([status, err]).toEqual([2, '']);
  });

  it('prints one JSON value with --format json', async () => {
    const { out } = await command(['validate', '--format', 'json', at('all')]);
    expect(JSON.parse(out)).toHaveLength(3);
  });

  it('uses threads for many files, and keeps their order', async () => {
    mkdirSync(at('many'));
    for (let i = 100; i < 330; i++) writeFileSync(at('many', `${i}.xml`), i % 7 === 0 ? WITHOUT_ID : INVOICE);
    const { out } = await command(['validate', '--format', 'ndjson', at('many')]);
    const reports = out.split('\n').map((line) => JSON.parse(line));
    expect(reports.map(({ file }) => file)).toEqual(Array.from({ length: 230 }, (_, i) => at('many', `${i + 100}.xml`)));
    for (const [i, { state }] of reports.entries()) expect(state).toBe((i + 100) % 7 === 0 ? 'invalid' : 'valid');
  });

  it('reads standard input', async () => {
    expect((await command(['validate', '-'], INVOICE)).status).toBe(0);
    expect((await command(['validate'], WITHOUT_ID)).out).toMatch(/^\(standard input\):\d+:\d+: error: /);
    expect((await command(['validate', '-', 'x.xml'], INVOICE)).status).toBe(64);
  });

  it('judges by the rules of a day, and refuses what is none', async () => {
    expect((await command(['validate', '--day', '2026-06-01', at('all', 'a-good.xml')])).status).toBe(0);
    expect((await command(['validate', '--day', '2026-02-30', at('all', 'a-good.xml')])).status).toBe(64);
  });
});
