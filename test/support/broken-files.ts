// Files that somebody dropped by mistake, or in malice: what is no document, what is a damaged one, and what is not meant for us. Each with a
// name of its own, and repeatable by a seed.
import { gzipSync } from 'node:zlib';
import { torn } from '../fuzz/mutate.ts';
import { documentOf, invoice } from './documents.ts';
import type { randomOf } from './random.ts';

export interface BrokenFile {
  /** Bytes: a name need not be text. */
  readonly name: Buffer;
  readonly bytes: Uint8Array;
  /** False: it may be readable, or even right, by chance or by tolerance. */
  readonly isRefused: boolean;
}

type Random = ReturnType<typeof randomOf>;

const MEGABYTE = 2 ** 20;
const text = (value: string): Buffer => Buffer.from(value);
const INVOICE = 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2';

/** One of each kind; the large ones last. */
export function brokenFiles(random: Random): BrokenFile[] {
  const good = Buffer.from(invoice());
  const all = [
    ...named('no-document', NO_DOCUMENTS, true),
    ...named('hostile', hostile(), true),
    ...named('encoding', encodings(good), false),
    ...named('truncated', truncations(good, random), false),
    ...named('wrong', wrong(good), true),
    ...named('torn', tears(good, random), false),
    ...oddNames(),
    ...named('large', large(good), true),
  ];
  return all;
}

/** Small ones without end: what a flood is made of. */
export function* flood(random: Random): Generator<BrokenFile> {
  const good = Buffer.from(invoice());
  const pieces = [...Object.values(NO_DOCUMENTS), ...Object.values(wrong(good))].filter((bytes) => bytes.length < 20_000);
  for (let at = 0; ; at++) {
    const bytes = at % 3 === 0 ? torn(good, random) : (pieces[random(0, pieces.length - 1)] ?? good);
    yield { name: text(`flood-${at}.xml`), bytes, isRefused: false };
  }
}

function named(kind: string, files: Readonly<Record<string, Uint8Array>>, isRefused: boolean): BrokenFile[] {
  return Object.entries(files).map(([name, bytes]) => ({ name: text(`${kind}-${name}.xml`), bytes, isRefused }));
}

const EDIFACT = "UNA:+.? 'UNB+UNOC:3+7300010000001:14+7350000000016:14+261121:1000+1'UNH+1+INVOIC:D:96A:UN'BGM+380+1001+9'UNT+3+1'UNZ+1+1'";
const CII = 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100';

// biome-ignore format: one row, one file
const NO_DOCUMENTS: Readonly<Record<string, Buffer>> = {
  empty:            Buffer.alloc(0),
  'one-byte':       text('<'),
  'byte-order-mark': Buffer.from([0xef, 0xbb, 0xbf]),
  spaces:           Buffer.alloc(5_000, ' '),
  zeros:            Buffer.alloc(5_000),
  words:            text('Please find the invoice attached.\n'),
  csv:              text('id;date;amount\n1001;2026-11-21;125,00\n'),
  html:             text('<!DOCTYPE html><html><body><h1>502 Bad Gateway</h1></body></html>'),
  pdf:              text('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< /Type /Catalog >>\nendobj\n'),
  zip:              Buffer.concat([text('PK\x03\x04\x14\x00'), Buffer.alloc(300, 7)]),
  gzip:             gzipSync('<Invoice/>'),
  gif:              Buffer.concat([text('GIF89a'), Buffer.alloc(40, 1)]),
  edifact:          text(EDIFACT),
  cii:              text(`<rsm:CrossIndustryInvoice xmlns:rsm="${CII}"><rsm:ExchangedDocument/></rsm:CrossIndustryInvoice>`),
  soap:             text('<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope"><s:Body/></s:Envelope>'),
  'json-list':      text('[1, 2, 3]'),
  'json-text':      text('"Invoice"'),
  'json-cut':       text('{"Invoice": {"ID": [{"_": "1001"}'),
  'json-doubled':   text('{"Invoice": {}, "Invoice": {}}'),
  'json-other':     text('{"invoice": {"id": "1001"}}'),
  'two-roots':      text(`<Invoice xmlns="${INVOICE}"/><Invoice xmlns="${INVOICE}"/>`),
  'no-namespace':   text('<Invoice><ID>1001</ID></Invoice>'),
  'bare-root':      text(`<Invoice xmlns="${INVOICE}"/>`),
  'unclosed':       text(`<Invoice xmlns="${INVOICE}"><ID>1001`),
  'crossed-tags':   text(`<Invoice xmlns="${INVOICE}"><a><b></a></b></Invoice>`),
  'no-prefix':      text(`<Invoice xmlns="${INVOICE}"><cbc:ID>1</cbc:ID></Invoice>`),
  'same-attribute': text(`<Invoice xmlns="${INVOICE}" a="1" a="2"/>`),
  'control':        text(`<Invoice xmlns="${INVOICE}"><ID>\x01\x02</ID></Invoice>`),
  'reference-zero': text(`<Invoice xmlns="${INVOICE}"><ID>&#0;</ID></Invoice>`),
  'empty-sbdh':     text('<StandardBusinessDocument xmlns="http://www.unece.org/cefact/namespaces/StandardBusinessDocumentHeader"/>'),
};

function hostile(): Record<string, Buffer> {
  const laughs = Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('');
  const root = (content: string, attributes = ''): Buffer => text(`<Invoice xmlns="${INVOICE}"${attributes}>${content}</Invoice>`);
  return {
    doctype: text(`<!DOCTYPE Invoice><Invoice xmlns="${INVOICE}"/>`),
    laughs: text(`<!DOCTYPE x [<!ENTITY l0 "lol">${laughs}]><x>&l9;</x>`),
    'external-entity': text('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'),
    'external-dtd': text('<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd"><x/>'),
    deep: root('<a>'.repeat(50_000)),
    'deep-and-closed': root('<a>'.repeat(50_000) + '</a>'.repeat(50_000)),
    'many-attributes': root('', Array.from({ length: 50_000 }, (_, at) => ` a${at}=""`).join('')),
    'many-namespaces': root(Array.from({ length: 20_000 }, (_, at) => `<a xmlns="urn:${at}"/>`).join('')),
    'many-elements': root('<a/>'.repeat(300_000)),
    'long-name': root(`<${'a'.repeat(MEGABYTE)}/>`),
    'long-comment': root(`<!--${'-x'.repeat(MEGABYTE)}-->`),
    'deep-json': text('{"Invoice":'.repeat(100_000)),
    'wide-json': text(`{"Invoice":{"ID":[${'{"_":"1"},'.repeat(100_000)}{"_":"1"}]}}`),
  };
}

function encodings(good: Buffer): Record<string, Buffer> {
  const content = good.toString();
  const declared = (name: string): string => content.replace('encoding="UTF-8"', `encoding="${name}"`);
  const wide = (value: string): Buffer => Buffer.from(value, 'utf16le');
  const swapped = (bytes: Buffer): Buffer => Buffer.from(bytes).swap16();
  return {
    'utf-8-mark': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), good]),
    'utf-16le-mark': Buffer.concat([Buffer.from([0xff, 0xfe]), wide(declared('UTF-16'))]),
    'utf-16be-mark': swapped(Buffer.concat([Buffer.from([0xff, 0xfe]), wide(declared('UTF-16'))])),
    'utf-16le': wide(declared('UTF-16LE')),
    'utf-16-claimed': text(declared('UTF-16')),
    'latin-1': Buffer.from(declared('ISO-8859-1'), 'latin1'),
    'latin-1-unsaid': Buffer.from(content, 'latin1'),
    'windows-1252': Buffer.from(declared('windows-1252'), 'latin1'),
    unheard: text(declared('x-unheard')),
    overlong: Buffer.concat([good.subarray(0, 200), Buffer.from([0xc0, 0xaf]), good.subarray(200)]),
    'lone-surrogate': Buffer.concat([good.subarray(0, 600), Buffer.from([0xed, 0xa0, 0x80]), good.subarray(600)]),
    'version-1.1': text(content.replace('version="1.0"', 'version="1.1"')),
    'late-declaration': text(`\n${content}`),
  };
}

function truncations(good: Buffer, random: Random): Record<string, Buffer> {
  const ends = [
    1,
    10,
    38,
    39,
    good.length - 1,
    good.length - 2,
    good.length - 12,
    ...Array.from({ length: 20 }, () => random(1, good.length)),
  ];
  return Object.fromEntries(ends.map((end, at) => [`${at}`, good.subarray(0, end)]));
}

function tears(good: Buffer, random: Random): Record<string, Uint8Array> {
  return Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${at}`, torn(good, random)]));
}

/** Documents, but not ones that this account can send. */
function wrong(good: Buffer): Record<string, Uint8Array> {
  const content = good.toString();
  const without = (pattern: RegExp): Buffer => text(content.replace(pattern, ''));
  return {
    sender: invoice({ id: 'wrong-sender', sender: '0088:7300010009998' }),
    'sender-of-an-order': documentOf('Order', { id: 'wrong-sender', sender: '0088:7300010009998' }),
    root: text(content.replaceAll('Invoice xmlns', 'ApplicationResponse xmlns').replaceAll('</Invoice>', '</ApplicationResponse>')),
    namespace: text(content.replace('Invoice-2', 'CreditNote-2')),
    'no-id': without(/<cbc:ID>1001<\/cbc:ID>/),
    'no-endpoints': without(/<cbc:EndpointID[^>]*>[^<]*<\/cbc:EndpointID>/g),
    'no-lines': without(/<cac:InvoiceLine>[\s\S]*<\/cac:InvoiceLine>/),
    'empty-id': text(content.replace('<cbc:ID>1001<', '<cbc:ID><')),
    'long-id': text(content.replace('<cbc:ID>1001<', `<cbc:ID>${'9'.repeat(10_000)}<`)),
    amounts: text(content.replaceAll(/(PayableAmount[^>]*>)[^<]*/g, '$199999999')),
    'unheard-element': text(content.replace('<cbc:Note>', '<cbc:Unheard>1</cbc:Unheard><cbc:Note>')),
    'no-such-date': text(content.replace('2026-03-02', '2026-02-30')),
  };
}

function oddNames(): BrokenFile[] {
  const names = [
    text(`${'n'.repeat(251)}.xml`),
    text(`${'ö'.repeat(125)}.xml`),
    text(`${'😀'.repeat(62)}.xml`),
    Buffer.concat([Buffer.alloc(250, 0xf6), text('.xml')]),
    Buffer.concat([text('r'), Buffer.from([0xe4]), text('kning.xml')]),
    Buffer.from([0xff, 0xfe, 0x2e, 0x78]),
    text('tab\tand\nline.xml'),
    text('bell\x07.xml'),
    text('back\\slash.xml'),
    text('quote"\'`$(id).xml'),
    text('percent%00%2f.xml'),
    text('CON.xml'),
    text('-rf.xml'),
    text(' leading and trailing '),
    text('no-extension'),
    text('dots...'),
    text('a.b.c.d.refused.json'),
    text('\u202egnp.xml'),
    text('a~b~c.xml'),
  ];
  return names.map((name, at) => ({ name, bytes: text(`<Odd>${at}</Odd>`), isRefused: true }));
}

function large(good: Buffer): Record<string, Uint8Array> {
  return {
    spaces: Buffer.alloc(20 * MEGABYTE, ' '),
    'too-large': Buffer.alloc(20 * MEGABYTE + 1, ' '),
    zeros: Buffer.alloc(10 * MEGABYTE),
    noise: Buffer.from(Array.from({ length: MEGABYTE }, (_, at) => (at * 2_654_435_761) >>> 24)),
    'spaces-behind': Buffer.concat([good.subarray(0, -12), Buffer.alloc(10 * MEGABYTE, ' ')]),
    'one-element': text(`<Invoice xmlns="${INVOICE}"><ID>${'x'.repeat(10 * MEGABYTE)}</ID></Invoice>`),
  };
}
