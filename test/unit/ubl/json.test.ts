import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { FAMILY_NAMES } from '#domain/family.ts';
import { jsonOf, readJsonTree } from '#ubl/json.ts';
import { type JsonValue, readJson } from '#ubl/json-text.ts';
import { readTree } from '#ubl/read.ts';
import { EXT } from '#ubl/tree.ts';
import { writeXml } from '#ubl/write.ts';
import { documentOf } from '../../support/documents.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const INVOICE = 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2';

function refusal(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('it was read');
}

function plain(value: JsonValue): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, entry]) => [key, plain(entry)]));
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'object' && value !== null && 'digits' in value ? Number(value.digits) : value;
}

describe('reading JSON', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value, null, 1);
        if (!text.includes('__proto__')) expect(plain(readJson(utf8(text)))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('keeps the digits of numbers', () => {
    expect(readJson(utf8('292.20'))).toEqual({ digits: '292.20' });
    expect(readJson(utf8('12345678901234567890.10'))).toEqual({ digits: '12345678901234567890.10' });
  });

  it.each([
    ['{"a":1,\n"a":2}', /line 2, column 4, the name 'a' stands twice/],
    ['{"a":01}', /expected/],
    ['{a:1}', /double quotes/],
    ['[1,]', /a value is expected/],
    ['{"a":1,}', /double quotes/],
    ['"\\x"', /no escape/],
    ['"a\tb"', /control character/],
    ['"\\ud800"', /surrogate/],
    ['1 2', /something follows/],
    ['NaN', /a value is expected/],
    ['['.repeat(200), /inside each other/],
    [`{"${'k'.repeat(300)}":1}`, /more than 256 characters/],
  ])('refuses %s', (text, sentence) => {
    const error = refusal(() => readJson(utf8(text)));
    expect(error.code).toBe('unreadable');
    expect(error.message).toMatch(sentence);
  });

  it('tells what merely ends early', () => {
    const text = '{"a":["b",{"c":1}],"d":"e"}';
    for (let end = 0; end < text.length; end++) {
      expect(refusal(() => readJson(utf8(text.slice(0, end)))).facts, text.slice(0, end)).toEqual({ truncated: true });
    }
  });
});

describe('UBL in JSON', () => {
  it.each(FAMILY_NAMES)('%s: XML to JSON to XML to JSON loses nothing', (family) => {
    const json = jsonOf(readTree(documentOf(family, { note: 'Ärger & <Freude> "1"' })));
    const back = readJsonTree(utf8(`{"${family}":${json}}`));
    expect(jsonOf(readTree(writeXml(back)))).toBe(json);
  });

  it('writes amounts and quantities as numbers with the same digits, indicators as booleans, the rest as strings', () => {
    const xml = `<Invoice xmlns="${INVOICE}" xmlns:b="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><b:ID>007</b:ID><b:Amount currencyID="EUR">292.20</b:Amount><b:ChargeIndicator>false</b:ChargeIndicator><b:BaseAmount>+1</b:BaseAmount></Invoice>`;
    expect(jsonOf(readTree(utf8(xml)))).toBe(
      '{"ID":{"_":"007"},"Amount":{"_":292.20,"currencyID":"EUR"},"ChargeIndicator":{"_":false},"BaseAmount":{"_":"+1"}}',
    );
  });

  it('reads the model shape, the legacy shape, bare values and namespace keys alike', () => {
    const model = readJsonTree(utf8('{"Invoice":{"ID":{"_":"1"},"Party":{"Name":{"_":"N"}},"Note":[{"_":"a"},{"_":"b"}]}}'));
    const legacy = readJsonTree(utf8('{"_D":"x","Invoice":[{"ID":[{"_":"1"}],"Party":[{"Name":["N"]}],"Note":["a","b"]}]}'));
    expect(legacy).toEqual(model);
    expect(model.children.map(({ name, text }) => [name, text])).toEqual([
      ['ID', '1'],
      ['Party', ''],
      ['Note', 'a'],
      ['Note', 'b'],
    ]);
  });

  it('keeps the content of an extension as XML in a string', () => {
    const xml = `<Invoice xmlns="${INVOICE}" xmlns:e="${EXT}"><e:UBLExtensions><e:UBLExtension><e:ExtensionContent><x:y xmlns:x="urn:x" z="1">t</x:y></e:ExtensionContent></e:UBLExtension></e:UBLExtensions></Invoice>`;
    const json = jsonOf(readTree(utf8(xml)));
    expect(json).toContain('{"_":"<y xmlns=\\"urn:x\\" z=\\"1\\">t</y>"}');
    const again = readTree(writeXml(readJsonTree(utf8(`{"Invoice":${json}}`))));
    expect(again.children[0]?.children[0]?.children[0]?.children[0]).toMatchObject({ name: 'y', namespace: 'urn:x', text: 't' });
  });

  it.each([
    ['{"Invoice":{"ID":null}}', '/Invoice/ID'],
    ['{"Invoice":{"ID":{"schemeID":"1"}}}', '/Invoice/ID/schemeID'],
    ['{"Invoice":{"ID":{"_":{}}}}', '/Invoice/ID/_'],
    ['{"Invoice":{"Note":["a",["b"]]}}', '/Invoice/Note/1'],
    ['{"Invoice":{"cbc:ID":"1"}}', '/Invoice/cbc:ID'],
    ['{"Invoice":{"ID":{"_":"1","Scheme":"2"}}}', '/Invoice/ID/Scheme'],
    ['{"Invoice":{},"Order":{}}', '/'],
    ['{"Invoice":[{},{}]}', '/Invoice'],
    ['[{"Invoice":{}}]', '/'],
    ['"Invoice"', '/'],
  ])('refuses %s and points at it', (text, path) => {
    const error = refusal(() => readJsonTree(utf8(text)));
    expect(error.code).toBe('invalid');
    expect(error.facts.details).toMatchObject([{ rule: 'json-shape', path }]);
  });

  it('refuses characters that XML does not have', () => {
    const error = refusal(() => writeXml(readJsonTree(utf8('{"Invoice":{"ID":"\\u0007"}}'))));
    expect(error.message).toBe('A value holds the character U+0007, which XML does not have. Remove it.');
  });
});
