// A strict reader for untrusted JSON: numbers keep their digits, a key stands once, everything is bounded, errors say where.
// JSON.parse would pass amounts through floats and let the second of two equal keys win.
import { AppError } from '#domain/error.ts';

export interface JsonNumber {
  readonly digits: string;
}
export type JsonObject = ReadonlyMap<string, JsonValue>;
export type JsonValue = string | boolean | null | JsonNumber | readonly JsonValue[] | JsonObject;

export interface JsonLimits {
  readonly depthMax: number;
  readonly valuesMax: number;
  /** Names in one object. */
  readonly membersMax: number;
  readonly keyCharactersMax: number;
}

/** An element of UBL takes up to two levels (list and object) and, with its attributes, several values. */
export const JSON_LIMITS: JsonLimits = { depthMax: 132, valuesMax: 1_000_000, membersMax: 200, keyCharactersMax: 256 };

export const isObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map;
export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
export const isNumber = (value: JsonValue | undefined): value is JsonNumber =>
  typeof value === 'object' && value !== null && 'digits' in value;

/** Throws `unreadable`, with the fact `truncated` when the text merely ends early. */
export function readJson(bytes: Uint8Array, limits: JsonLimits = JSON_LIMITS): JsonValue {
  refuseFloods(bytes, limits);
  const text = decoded(bytes);
  const cursor = new Cursor(text, limits);
  const value = cursor.value(0);
  cursor.space();
  if (cursor.at < text.length) cursor.fail('something follows the end of the document');
  return value;
}

/** A value begins the document, or stands behind one of these. */
const BEFORE_VALUE: readonly number[] = [...',{['].map((character) => character.charCodeAt(0));

/** Throws `unreadable` when there are too many values, for the price of a search. Those in strings count too; no document has so many. */
function refuseFloods(bytes: Uint8Array, { valuesMax }: JsonLimits): void {
  if (bytes.length <= valuesMax) return;
  let count = 1;
  for (const byte of BEFORE_VALUE) {
    for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) {
      if (++count > valuesMax)
        throw new AppError('unreadable', `The file is refused: it has more than ${valuesMax} values, which no business document needs.`);
    }
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const text = new TextDecoder().decode(bytes);
    const line = text.slice(0, text.indexOf('\ufffd')).split('\n').length;
    const sentence = `The file is no valid JSON: line ${line} holds bytes that are not UTF-8. Write the file in UTF-8.`;
    throw new AppError('unreadable', sentence, { cause: error });
  }
}

// The grammar of RFC 8259, with sticky expressions instead of a loop per character.
const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 §7 forbids them unescaped
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/** Where we are in the text: the state of one reading. */
class Cursor {
  at = 0;
  readonly #text: string;
  readonly #limits: JsonLimits;
  #values = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  fail(cause: string): never {
    const before = this.#text.slice(0, this.at);
    const line = before.split('\n').length;
    const where = `line ${line}, column ${this.at - before.lastIndexOf('\n')}`;
    if (this.at >= this.#text.length) {
      throw new AppError('unreadable', `The file ends too early: ${where}. Write it again, whole.`, { facts: { truncated: true } });
    }
    throw new AppError('unreadable', `The file is no valid JSON: ${where}, ${cause}. Repair it and send it again.`);
  }

  space(): void {
    this.#match(SPACE);
  }

  value(depth: number): JsonValue {
    if (depth > this.#limits.depthMax) this.fail(`more than ${this.#limits.depthMax} values inside each other`);
    if (++this.#values > this.#limits.valuesMax) this.fail(`more than ${this.#limits.valuesMax} values`);
    this.space();
    const first = this.#text[this.at];
    if (first === '{') return this.#object(depth);
    if (first === '[') return this.#list(depth);
    if (first === '"') return this.#string();
    const word = this.#match(WORD);
    if (word) return WORDS[word] ?? null;
    const digits = this.#match(NUMBER);
    return digits ? { digits } : this.fail('a value is expected');
  }

  #object(depth: number): JsonObject {
    const members = new Map<string, JsonValue>();
    this.#items('}', () => {
      if (this.#text[this.at] !== '"') this.fail('a name in double quotes is expected');
      const key = this.#string();
      if (key.length > this.#limits.keyCharactersMax) this.fail(`a name has more than ${this.#limits.keyCharactersMax} characters`);
      if (members.has(key)) this.fail(`the name '${key}' stands twice in one object`);
      this.space();
      if (this.#text[this.at] !== ':') this.fail('a colon is expected');
      this.at++;
      members.set(key, this.value(depth + 1));
      if (members.size > this.#limits.membersMax) this.fail(`an object has more than ${this.#limits.membersMax} names`);
    });
    return members;
  }

  #list(depth: number): readonly JsonValue[] {
    const values: JsonValue[] = [];
    this.#items(']', () => values.push(this.value(depth + 1)));
    return values;
  }

  /** From the opening bracket to the closing one, with commas between. */
  #items(end: string, item: () => void): void {
    this.at++;
    this.space();
    if (this.#text[this.at] === end) {
      this.at++;
      return;
    }
    for (;;) {
      this.space();
      item();
      this.space();
      const next = this.#text[this.at];
      if (next !== ',' && next !== end) this.fail(`a comma or '${end}' is expected`);
      this.at++;
      if (next === end) return;
    }
  }

  #string(): string {
    this.at++;
    let text = this.#match(PLAIN) ?? '';
    if (this.#text[this.at] === '\\') text = this.#escaped(this.at - text.length) ?? text;
    while (this.#text[this.at] !== '"') {
      if (this.#text[this.at] !== '\\') this.fail('a control character stands in a string');
      text += this.#escape() + (this.#match(PLAIN) ?? '');
    }
    if (!text.isWellFormed()) this.fail('a string holds half of a surrogate pair');
    this.at++;
    return text;
  }

  /** A string with escapes in it, from `start` to its closing quote, which we then stand at; undefined when it is not right, to be told why. */
  #escaped(start: number): string | undefined {
    let end = this.#text.indexOf('"', this.at);
    while (end >= 0 && isEscaped(this.#text, end)) end = this.#text.indexOf('"', end + 1);
    if (end < 0) return undefined;
    try {
      const text: unknown = JSON.parse(this.#text.slice(start - 1, end + 1));
      this.at = end;
      return String(text);
    } catch {
      return undefined;
    }
  }

  #escape(): string {
    const letter = this.#text[this.at + 1] ?? '';
    if (letter === 'u') {
      const hex = this.#text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.fail('four hexadecimal digits are expected after \\u');
      this.at += 6;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const character = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (character === undefined) this.fail(`'\\${letter}' is no escape of JSON`);
    this.at += 2;
    return character;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    this.at += found?.length ?? 0;
    return found || undefined;
  }
}

/** An odd number of backslashes stands before it. */
export function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}
