// How much of everything a document may have, and the search that refuses floods of markup before they are parsed.
import type { AppError } from '#domain/error.ts';
import { unreadable } from '#domain/unreadable.ts';

export interface ReadLimits {
  /** Elements inside each other; namespace lookups cost the square of it. */
  readonly depthMax: number;
  readonly elementsMax: number;
  readonly attributesPerElementMax: number;
  /** In the whole document. */
  readonly attributesMax: number;
  /** Comments and CDATA sections in the whole document. */
  readonly sectionsMax: number;
  /** Processing instructions in the whole document; in values there may be none. */
  readonly instructionsMax: number;
  readonly nameCharactersMax: number;
  /** Elements are known by their namespace too: a long one would be paid for by each of them. */
  readonly namespaceCharactersMax: number;
  /** Entities and references to characters in the whole document. */
  readonly referencesMax: number;
  /** From one `<` to the next, a tag and the text behind it, unless that is an attachment. */
  readonly runCharactersMax: number;
  readonly beforeRootCharactersMax: number;
}

export const READ_LIMITS: ReadLimits = {
  depthMax: 64,
  elementsMax: 250_000,
  attributesPerElementMax: 200,
  attributesMax: 250_000,
  sectionsMax: 50_000,
  instructionsMax: 32,
  nameCharactersMax: 256,
  namespaceCharactersMax: 256,
  referencesMax: 250_000,
  runCharactersMax: 2_000_000,
  beforeRootCharactersMax: 65_536,
};

export function tooMany(what: string, max: number, line: number): AppError {
  return unreadable('markup', `The file is refused at line ${line}: it has more than ${max} ${what}, which no business document needs.`);
}

/** Where a piece of text ends: inside an attachment, or before the root element. */
interface TextPosition {
  readonly attachment: boolean;
  readonly beforeRoot: boolean;
}

/** Returns a function to call with each piece of text once it is parsed: it refuses a run without markup while that grows, before the parser has put it together. */
export function createRunCheck(limits: ReadLimits, refuse: (what: string, max: number) => never): (text: string, at: TextPosition) => void {
  /** Characters since the last `<`. */
  let run = 0;
  let read = 0;
  return (text, { attachment, beforeRoot }) => {
    const markup = text.lastIndexOf('<');
    run = markup < 0 ? run + text.length : text.length - markup;
    if (run > limits.runCharactersMax && !attachment) refuse('characters in one text that is no attachment', limits.runCharactersMax);
    if (!beforeRoot) return;
    read += text.length;
    if (read > limits.beforeRootCharactersMax) refuse('characters before its root element', limits.beforeRootCharactersMax);
  };
}

/** The shortest ones, `<a>`, ` a=""` and `&lt;`: what is too short to hold too many need not be searched. */
const TAG_BYTES_MIN = 3;
const ATTRIBUTE_BYTES_MIN = 5;
const REFERENCE_BYTES_MIN = 4;

const LINE_FEED = 0x0a;
const AMPERSAND = 0x26;
const LESS = 0x3c;
const EQUALS = 0x3d;

/**
 * Throws `unreadable` when the bytes hold more tags, attributes or references than allowed, for the price of a search instead of a
 * parser's. What looks like a tag in a comment or a CDATA section counts too: nobody needs a quarter of a million of those either.
 */
export function refuseFloods(bytes: Uint8Array, { elementsMax, attributesMax, referencesMax }: ReadLimits): void {
  if (bytes.length > elementsMax * TAG_BYTES_MIN) refuseBeyond(bytes, LESS, beginsName, 'elements', elementsMax);
  if (bytes.length > attributesMax * ATTRIBUTE_BYTES_MIN) refuseBeyond(bytes, EQUALS, isQuote, 'attributes', attributesMax);
  if (bytes.length > referencesMax * REFERENCE_BYTES_MIN) refuseBeyond(bytes, AMPERSAND, beginsReference, 'references', referencesMax);
}

function refuseBeyond(bytes: Uint8Array, byte: number, follows: (next: number) => boolean, what: string, max: number): void {
  const width = characterBytes(bytes);
  let count = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) {
    if (follows(bytes[at + width] ?? 0) && ++count > max) throw tooMany(what, max, lineAt(bytes, at));
  }
}

/** Of the characters of markup: two after a byte order mark of UTF-16. */
function characterBytes([first, second]: Uint8Array): number {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) ? 2 : 1;
}

function lineAt(bytes: Uint8Array, end: number): number {
  let line = 1;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0 && at < end; at = bytes.indexOf(LINE_FEED, at + 1)) line++;
  return line;
}

/** A letter, an underscore, a colon, or the first byte of a character beyond ASCII; a `/`, a `!` or a `?` it is not. */
function beginsName(byte: number): boolean {
  return byte >= 0x80 || byte === 0x3a || byte === 0x5f || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
}

function isQuote(byte: number): boolean {
  return byte === 0x22 || byte === 0x27;
}

function beginsReference(byte: number): boolean {
  return byte === 0x23 || beginsName(byte);
}
