import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { type JsonValue, readJson } from '#ubl/json-text.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

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
  it('reads what JSON.parse reads, but for U+0000', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value, null, 1);
        if (!/__proto__|\\u0000/.test(text)) expect(plain(readJson(utf8(text)))).toEqual(JSON.parse(text));
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
    ['{"a\\u0000":1}', /U\+0000/],
    ['1 2', /something follows/],
    ['NaN', /a value is expected/],
    ['['.repeat(200), /inside each other/],
    [`{"${'k'.repeat(300)}":1}`, /more than 256 characters/],
    [`{${Array.from({ length: 201 }, (_, at) => `"k${at}":1`).join(',')}}`, /more than 200 names/],
    [`[${'1,'.repeat(1_000_000)}1]`, /more than 1000000 values/],
    ['"a\\\\\\q"', /'\\q' is no escape/],
    ['"\\u12g4"', /four hexadecimal digits/],
  ])('refuses %s', (text, sentence) => {
    const error = refusal(() => readJson(utf8(text)));
    expect(error.code).toBe('unreadable');
    expect(error.message).toMatch(sentence);
  });

  it('names the line of bytes that are not UTF-8', () => {
    const bytes = Buffer.concat([utf8('{\n"ID":\n"'), Uint8Array.of(0xe9), utf8('"}')]);
    expect(refusal(() => readJson(bytes)).message).toMatch(/line 3 holds bytes that are not UTF-8/);
  });

  it('tells what merely ends early', () => {
    const text = '{"a":["b",{"c":1}],"d":"e"}';
    for (let end = 0; end < text.length; end++) {
      expect(refusal(() => readJson(utf8(text.slice(0, end)))).facts, text.slice(0, end)).toEqual({ truncated: true });
    }
  });
});
