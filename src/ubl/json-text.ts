// A strict reader for untrusted JSON: numbers keep their digits, a key stands once, everything is bounded, errors say where.
// JSON.parse would pass amounts through floats and let the second of two equal keys win.
import type { AppError } from '#domain/error.ts';
import { unstorable } from '#domain/json.ts';
import { unreadable } from '#domain/unreadable.ts';

interface JsonNumber {
  readonly digits: string;
}
export type JsonObject = ReadonlyMap<string, JsonValue>;
export type JsonValue = string | boolean | null | JsonNumber | readonly JsonValue[] | JsonObject;

/** An element of UBL takes up to two levels (list and object) and, with its attributes, several values. */
const DEPTH_MAX = 132;
const VALUES_MAX = 1_000_000;
/** Objects, and lists. */
const CONTAINERS_MAX = 260_000;
/** Names in one object. */
const MEMBERS_MAX = 200;
const KEY_CHARACTERS_MAX = 256;

export const isObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map;
export const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value);
export const isNumber = (value: JsonValue | undefined): value is JsonNumber =>
  typeof value === 'object' && value !== null && 'digits' in value;

/** Throws `unreadable`, with the fact `truncated` when the text merely ends early. */
export function readJson(bytes: Uint8Array): JsonValue {
  refuseFloods(bytes);
  const text = decoded(bytes);
  const cursor = new Cursor(text);
  const value = cursor.value(0);
  cursor.space();
  if (cursor.at < text.length) cursor.fail('something follows the end of the document');
  return value;
}

/** A value begins the document, or stands behind one of these. */
const BEFORE_VALUE: readonly number[] = [...',{['].map((character) => character.charCodeAt(0));
const COMMA = 0x2c;

/** Throws `unreadable` when there are too many values, for the price of a search. Those in strings count too; no document has so many. */
function refuseFloods(bytes: Uint8Array): void {
  if (bytes.length <= CONTAINERS_MAX) return;
  let values = 1;
  for (const byte of BEFORE_VALUE) {
    let alike = 0;
    for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) {
      if (++values > VALUES_MAX) throw flooded('values', VALUES_MAX);
      if (++alike > CONTAINERS_MAX && byte !== COMMA) throw flooded('objects or lists', CONTAINERS_MAX);
    }
  }
}

function flooded(what: string, max: number): AppError {
  return unreadable('markup', `The file is refused: it has more than ${max} ${what}, which no business document needs.`);
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const text = new TextDecoder().decode(bytes);
    const line = lineOf(text, text.indexOf('\ufffd'));
    const sentence = `The file is no valid JSON: line ${line} holds bytes that are not UTF-8. Write the file in UTF-8.`;
    throw unreadable('encoding', sentence, { cause: error });
  }
}

// The grammar of RFC 8259, with sticky expressions instead of a loop per character.
const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 §7 forbids them unescaped
const PLAIN = /[^"\\\u0000-\u001f]*/y;
/** Characters and escapes of a string. No more than these at once: the engine keeps a way back to each. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 8259 §7 forbids them unescaped
const CHARACTERS = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})){1,1000}/y;
const LINE_FEED = 0x0a;
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };

/** Where we are in the text: the state of one reading. */
class Cursor {
  at = 0;
  readonly #text: string;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  fail(cause: string): never {
    const before = this.#text.slice(0, this.at);
    const where = `line ${lineOf(this.#text, this.at)}, column ${this.at - before.lastIndexOf('\n')}`;
    if (this.at >= this.#text.length) {
      throw unreadable('truncated', `The file ends too early: ${where}. Write it again, whole.`);
    }
    throw unreadable('not-well-formed', `The file is no valid JSON: ${where}, ${cause}. Repair it and send it again.`);
  }

  space(): void {
    this.#match(SPACE);
  }

  value(depth: number): JsonValue {
    if (depth > DEPTH_MAX) this.fail(`more than ${DEPTH_MAX} values inside each other`);
    if (++this.#values > VALUES_MAX) this.fail(`more than ${VALUES_MAX} values`);
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
      if (key.length > KEY_CHARACTERS_MAX) this.fail(`a name has more than ${KEY_CHARACTERS_MAX} characters`);
      if (members.has(key)) this.fail(`the name '${key}' stands twice in one object`);
      this.space();
      if (this.#text[this.at] !== ':') this.fail('a colon is expected');
      this.at++;
      members.set(key, this.value(depth + 1));
      if (members.size > MEMBERS_MAX) this.fail(`an object has more than ${MEMBERS_MAX} names`);
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
    const start = this.at;
    const plain = this.#match(PLAIN) ?? '';
    const text = this.#text[this.at] === '"' ? plain : this.#escaped(start);
    const found = unstorable(text);
    if (found !== undefined) this.fail(`a string holds ${found}`);
    this.at++;
    return text;
  }

  /** A string with escapes in it, from `start` to its closing quote, at which we then stand. */
  #escaped(start: number): string {
    while (this.#match(CHARACTERS));
    const next = this.#text[this.at];
    if (next === '\\') this.#failOfEscape(this.#text.charAt(this.at + 1));
    if (next !== '"') this.fail('a control character stands in a string');
    return String(JSON.parse(this.#text.slice(start - 1, this.at + 1)));
  }

  #failOfEscape(letter: string): never {
    this.fail(letter === 'u' ? 'four hexadecimal digits are expected after \\u' : `'\\${letter}' is no escape of JSON`);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    this.at += found?.length ?? 0;
    return found || undefined;
  }
}

/** The line, from 1, on which the character at this place stands. */
function lineOf(text: string, at: number): number {
  let line = 1;
  for (let before = 0; before < at; before++) if (text.charCodeAt(before) === LINE_FEED) line++;
  return line;
}

/** An odd number of backslashes stands before it. */
export function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}
