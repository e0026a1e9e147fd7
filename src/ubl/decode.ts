// Bytes to text, strictly: UTF-8, UTF-16 with a byte order mark, and the single-byte encodings that a declaration names.
// Nothing is guessed and nothing is replaced: a byte that the encoding does not have is an error, never U+FFFD.
import type { AppError } from '#domain/error.ts';
import { unreadable } from '#domain/unreadable.ts';
import { joined } from './bytes.ts';

interface Decoder {
  /**
   * The text that can be decided so far. Throws `unreadable` for a byte that the encoding does not have, but by the next call: what stands before that
   * byte is returned first, so that the head of the document can be read.
   */
  write(bytes: Uint8Array): string;
  /** The rest. Throws `unreadable`, with the fact `truncated` when the bytes end inside a character. */
  end(): string;
  /** Compares what the declaration says with what is being read. Throws `unreadable`. */
  declared(encoding: string | undefined): void;
}

/** How much is looked at to find the end of the XML declaration. */
const DECLARATION_BYTES_MAX = 1024;
/** Bytes that decide which encoding it is: a byte order mark, or the beginning of `<?xml `. */
const SIGNATURE_BYTES = 6;

interface Encoding {
  /** Label for TextDecoder; single-byte encodings are all read as windows-1252, of which they are subsets once these bytes are refused. */
  readonly label: string;
  readonly name: string;
  readonly refused?: (byte: number) => boolean;
}

interface Chosen {
  readonly encoding: Encoding;
  readonly decoder: InstanceType<typeof TextDecoder>;
}

const UTF8: Encoding = { label: 'utf-8', name: 'UTF-8' };
const UTF16LE: Encoding = { label: 'utf-16le', name: 'UTF-16' };
const UTF16BE: Encoding = { label: 'utf-16be', name: 'UTF-16' };
const UNDEFINED_IN_1252 = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

const DECLARED: Readonly<Record<string, Encoding>> = {
  'utf-8': UTF8,
  'us-ascii': { label: 'windows-1252', name: 'US-ASCII', refused: (byte) => byte > 0x7f },
  'iso-8859-1': { label: 'windows-1252', name: 'ISO-8859-1', refused: (byte) => byte >= 0x80 && byte <= 0x9f },
  'windows-1252': { label: 'windows-1252', name: 'windows-1252', refused: (byte) => UNDEFINED_IN_1252.has(byte) },
};

const MARKS: readonly (readonly [mark: readonly number[], encoding: Encoding | null])[] = [
  [[0xff, 0xfe, 0, 0], null], // UTF-32, and so below
  [[0, 0, 0xfe, 0xff], null],
  [[0xef, 0xbb, 0xbf], UTF8],
  [[0xff, 0xfe], UTF16LE],
  [[0xfe, 0xff], UTF16BE],
];

/** All of it at once. Throws `unreadable`. */
export function decodeText(bytes: Uint8Array): string {
  const decoder = createDecoder(() => 1);
  return decoder.write(bytes) + decoder.end();
}

/** How the characters of a text stand in its bytes. */
interface Layout {
  /** Bytes before the first character: the byte order mark. */
  readonly mark: number;
  /** The bytes of a piece of text. */
  bytesIn(text: string): number;
  /** A text of ASCII in this encoding. */
  encode(ascii: string): Uint8Array;
}

/** Of bytes that can be decoded. Throws `unreadable`. */
export function layoutOf(bytes: Uint8Array): Layout {
  const { encoding = UTF8, skip: mark = 0 } = chooseEncoding(bytes, true) ?? {};
  if (encoding === UTF8) return { mark, bytesIn: (text) => Buffer.byteLength(text), encode: (text) => Buffer.from(text, 'latin1') };
  if (encoding !== UTF16LE && encoding !== UTF16BE)
    return { mark, bytesIn: ({ length }) => length, encode: (text) => Buffer.from(text, 'latin1') };
  const encode = (text: string): Buffer => (encoding === UTF16LE ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'utf16le').swap16());
  return { mark, bytesIn: ({ length }) => 2 * length, encode };
}

/** `line` tells the line that the reader has come to, for the sentence of an error. */
export function createDecoder(line: () => number): Decoder {
  let held: Uint8Array = new Uint8Array(0);
  let chosen: Chosen | null = null;
  let failed: AppError | null = null;

  function decoded(within: Chosen, bytes: Uint8Array): string {
    const { text, error } = decode(within, bytes, line);
    failed = error;
    return text;
  }

  function choose(atEnd: boolean): string {
    const choice = chooseEncoding(held, atEnd);
    if (!choice) return '';
    chosen = { encoding: choice.encoding, decoder: new TextDecoder(choice.encoding.label, { fatal: true, ignoreBOM: true }) };
    const rest = held.subarray(choice.skip);
    held = new Uint8Array(0);
    return decoded(chosen, rest);
  }

  return {
    write(bytes) {
      if (failed) throw failed;
      if (chosen) return decoded(chosen, bytes);
      held = held.length === 0 ? bytes : joined([held, bytes]);
      return choose(false);
    },
    end() {
      if (failed) throw failed;
      const text = chosen ? '' : choose(true);
      if (failed) throw failed;
      try {
        return text + (chosen?.decoder.decode() ?? '');
      } catch (error) {
        const sentence = `The file ends in the middle of a character (line ${line()}): it was not written completely. Write it again, whole.`;
        throw unreadable('truncated', sentence, { cause: error });
      }
    },
    declared: (encoding) => {
      if (chosen) checkDeclared(encoding, chosen.encoding);
    },
  };
}

function decode({ encoding, decoder }: Chosen, bytes: Uint8Array, line: () => number): { text: string; error: AppError | null } {
  const bad = encoding.refused ? bytes.findIndex(encoding.refused) : -1;
  try {
    const text = decoder.decode(bad < 0 ? bytes : bytes.subarray(0, bad), { stream: true });
    return { text, error: bad < 0 ? null : notIn(encoding, line() + newlines(text)) };
  } catch (error) {
    const text = beforeReplacement(encoding, bytes);
    return { text, error: notIn(encoding, line() + newlines(text), error) };
  }
}

function notIn(encoding: Encoding, line: number, cause?: unknown): AppError {
  const sentence = `The file is no well-formed XML: line ${line} holds bytes that are not ${encoding.name}. Write the file in UTF-8, or declare the encoding that it really has.`;
  return unreadable('encoding', sentence, { cause });
}

export function newlines(text: string): number {
  return text.split('\n').length - 1;
}

/** What of the chunk can be read before its first bad byte; a character that began in the chunk before is stepped over. */
function beforeReplacement(encoding: Encoding, bytes: Uint8Array): string {
  let start = 0;
  while (encoding === UTF8 && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  const text = new TextDecoder(encoding.label).decode(bytes.subarray(start));
  return text.slice(0, Math.max(text.indexOf('\ufffd'), 0));
}

function chooseEncoding(bytes: Uint8Array, atEnd: boolean): { encoding: Encoding; skip: number } | null {
  if (bytes.length < SIGNATURE_BYTES && !atEnd) return null;
  for (const [mark, encoding] of MARKS) {
    if (!mark.every((byte, at) => bytes[at] === byte)) continue;
    if (!encoding) throw unsupported('UTF-32');
    return { encoding, skip: mark.length };
  }
  if ((bytes[0] === 0 && bytes[1] === 0x3c) || (bytes[0] === 0x3c && bytes[1] === 0)) throw unsupported('UTF-16 without a byte order mark');
  if (!/^<\?xml\s/.test(ascii(bytes.subarray(0, SIGNATURE_BYTES)))) return { encoding: UTF8, skip: 0 };
  const beginning = bytes.subarray(0, DECLARATION_BYTES_MAX);
  const end = beginning.findIndex((byte, at) => byte === 0x3f && beginning[at + 1] === 0x3e); // ?>
  if (end < 0 && bytes.length < DECLARATION_BYTES_MAX && !atEnd) return null;
  const declaration = ascii(end < 0 ? beginning : beginning.subarray(0, end));
  const name = /\sencoding\s*=\s*(["'])(.*?)\1/.exec(declaration)?.[2] ?? 'UTF-8';
  const encoding = Object.hasOwn(DECLARED, name.toLowerCase()) ? DECLARED[name.toLowerCase()] : undefined;
  if (!encoding) throw unsupported(name.toLowerCase() === 'utf-16' ? 'UTF-16 without a byte order mark' : `'${name.slice(0, 40)}'`);
  return { encoding, skip: 0 };
}

/** A declared encoding must be the one that is being read; undefined when the declaration names none. */
function checkDeclared(declared: string | undefined, { name }: Encoding): void {
  const expected = declared?.toLowerCase().replace(/^utf-16[lb]e$/, 'utf-16');
  if (expected === undefined ? name === 'UTF-8' || name === 'UTF-16' : expected === name.toLowerCase()) return;
  const sentence = `The file declares the encoding '${declared ?? 'UTF-8'}', but its byte order mark shows ${name}. Write the file in UTF-8.`;
  throw unreadable('encoding', sentence);
}

function unsupported(encoding: string): AppError {
  return unreadable('encoding', `The file is encoded in ${encoding}, which is not read here. Write the file in UTF-8.`);
}

function ascii(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
