// What bytes are before they are read: XML, JSON, or something known that is no UBL document.
import { unreadable } from '#domain/unreadable.ts';

/** Bytes after leading white space that suffice to decide. */
const SNIFF_BYTES = 8;
/** White space that may stand before the first byte of a document. */
const LEADING_BYTES_MAX = 1024;

const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, 0x0a]);

const SEND_UBL = 'Send a UBL 2.1 document in XML or JSON';

/** First bytes, as text one character per byte, and what they mean. */
const KNOWN: readonly (readonly [start: string, what: string])[] = [
  ['%PDF-', 'a PDF file'],
  ['PK\x03\x04', 'a ZIP archive (or an office document)'],
  ['\x1f\x8b', 'a gzip archive'],
  ['7z\xbc\xaf', 'a 7-Zip archive'],
  ['\xd0\xcf\x11\xe0', 'an office document of the old kind'],
  ['\x89PNG', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['UNA', 'an EDIFACT message'],
  ['UNB+', 'an EDIFACT message'],
  ['ISA*', 'an X12 message'],
  ['{\\rtf', 'an RTF text'],
];

export type Notation = 'xml' | 'json';

/** Decides by the first bytes; undefined when more are needed. Throws `unreadable` for what is known to be no document. */
export function sniff(bytes: Uint8Array, atEnd: boolean): Notation | undefined {
  const beginning = bytes.subarray(0, LEADING_BYTES_MAX + SNIFF_BYTES);
  const content = beginning.subarray(leading(beginning));
  if (content.length < SNIFF_BYTES && !atEnd && bytes.length < LEADING_BYTES_MAX) return undefined;
  const start = String.fromCharCode(...content.subarray(0, SNIFF_BYTES));
  const known = KNOWN.find(([signature]) => start.startsWith(signature));
  if (known) throw unreadable('not-ubl', `The file is ${known[1]}, no UBL document. ${SEND_UBL}.`);
  if (start.startsWith('{') || start.startsWith('[')) return 'json';
  // UTF-16 and UTF-32 are the decoder's to judge; a file without a byte is the reader's.
  if (start.startsWith('<') || start === '' || /^(?:\xff\xfe|\xfe\xff|\0<|\0\0\xfe\xff)/.test(start)) return 'xml';
  const what = content.some((byte) => byte < 0x09) ? 'binary data' : 'neither XML nor JSON';
  throw unreadable('not-ubl', `The file is ${what}, no UBL document. ${SEND_UBL}.`);
}

/** How many bytes stand before the first that counts: a byte order mark of UTF-8, and white space. */
function leading(bytes: Uint8Array): number {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (WHITE_SPACE.has(bytes[at] ?? 0)) at++;
  return at;
}
