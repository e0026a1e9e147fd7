import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { readDocument } from '#ubl/document.ts';
import { costOf } from '../../support/cost.ts';

// What is refused costs little: 19 MiB of the worst that we can think of, judged within 600 ms of CPU (what is judged twice, or grows by its square, takes seconds) and 64 MiB.
const FLOOD_BYTES = 19 * 1024 * 1024;
const CPU_MS_MAX = 600;
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;

function flood(open: string, piece: string, close = ''): Uint8Array {
  const times = Math.floor((FLOOD_BYTES - open.length - close.length) / piece.length);
  return Buffer.from(open + piece.repeat(times) + close);
}

const attributes = (name: string): string => Array.from({ length: 200 }, (_, at) => `${name}${at}="u"`).join(' ');

function extensions(count: number, content: string): Uint8Array {
  const extension = JSON.stringify({ ExtensionContent: { _: content } });
  return Buffer.from(`{"Invoice":{"UBLExtensions":{"UBLExtension":[${Array.from({ length: count }, () => extension).join(',')}]}}}`);
}

describe('floods are refused at once', () => {
  it.each<[string, () => Uint8Array]>([
    ['elements', () => flood('<a>', '<b/>', '</a>')],
    ['elements with ends', () => flood('<a>', '<b></b>', '</a>')],
    ['attributes', () => flood('<a>', `<b ${attributes('a')}/>`, '</a>')],
    ['namespaces', () => flood('<a>', `<b ${attributes('xmlns:a')}/>`, '</a>')],
    ['depth', () => flood('', '<a>')],
    ['text', () => flood('<a>', 'lorem ipsum ', '</a>')],
    ['line ends', () => flood('<a>', '\r\n', '</a>')],
    ['entities', () => flood('<a>', '&amp;', '</a>')],
    ['character references', () => flood('<a>', '&#65;', '</a>')],
    ['CDATA sections', () => flood('<a>', '<![CDATA[]]>', '</a>')],
    ['comments', () => flood('<a>', '<!---->', '</a>')],
    ['one comment', () => flood('<a><!--', 'x ', '--></a>')],
    ['one attribute', () => flood('<a b="', 'x', '"/>')],
    ['one name', () => flood('<', 'a', '/>')],
    ['white space in a tag', () => flood('<a ', ' ', '/>')],
    ['white space behind the root', () => flood('<a/>', ' ')],
    ['declarations of entities', () => flood('<!DOCTYPE a [', '<!ENTITY x "y">', ']><a/>')],
    ['one processing instruction', () => flood('<a><?p ', 'x', '?></a>')],
    ['one entity', () => flood('<a>&', 'x', ';</a>')],
    ['text in UTF-16', () => Buffer.from(`\ufeff<a>${'x'.repeat(FLOOD_BYTES / 2)}</a>`, 'utf16le')],
    ['elements in UTF-16', () => Buffer.from(`\ufeff<a>${'<b/>'.repeat(FLOOD_BYTES / 8 - 10)}</a>`, 'utf16le')],
    ['attributes in UTF-16', () => Buffer.from(`\ufeff<a>${'<b c="" d=""/>'.repeat(FLOOD_BYTES / 28 - 10)}</a>`, 'utf16le').swap16()],
    ['character references in an attachment', () => flood('<BinaryObject>', '&#65;', '</BinaryObject>')],
    ['texts of entities', () => flood('<a>', `<b>${'&amp;'.repeat(199_000)}</b>`, '</a>')],
    ['one namespace for many', () => Buffer.from(`<a xmlns="${'u'.repeat(100_000)}">${'<b/>'.repeat(100_000)}</a>`)],
    ['prefixes of one namespace', () => Buffer.from(`<x:a xmlns:x="${'u'.repeat(100_000)}">${'<x:b/>'.repeat(100_000)}</x:a>`)],
    ['lines in JSON', () => flood('{"Invoice":', '\n', 'x}')],
    ['lines in JSON that is not UTF-8', () => Buffer.concat([flood('{"Invoice":', '\n'), Buffer.from([0xff])])],
    ['empty objects in JSON', () => Buffer.from(`{"Invoice":{"InvoiceLine":[${'{},'.repeat(499_000)}{}]}}`)],
    ['empty lists in JSON', () => Buffer.from(`{"Invoice":{"InvoiceLine":[${'[[]],'.repeat(330_000)}{}]}}`)],
    ['escapes in JSON with a wrong one', () => flood('{"Invoice":"', '\\n', '\\x"}')],
    ['quotes in JSON in a string with a line end', () => flood('{"Invoice":"', '\\"', '\n"}')],
    ['extensions in JSON', () => extensions(20_000, '<a xmlns="b"/>')],
    ['unreadable extensions in JSON', () => extensions(99, `<a xmlns="b">${'<c/>'.repeat(40_000)}`)],
    ['numbers in JSON', () => flood('{"Invoice":{"Note":[', '1,', '1]}}')],
    ['strings in JSON', () => flood('{"Invoice":{"Note":[', '"",', '""]}}')],
    ['objects in JSON', () => flood('{"Invoice":{"Note":[', '{},', '{}]}}')],
    ['lists in JSON', () => flood('{"Invoice":', '[')],
    ['digits in JSON', () => flood('{"Invoice":', '1', '}')],
    ['escapes in JSON', () => flood('{"Invoice":"', '\\n', '"}')],
    ['an open string in JSON', () => flood('{"Invoice":"', 'abc ')],
    ['names in JSON', () => Buffer.from(`{"Invoice":{${Array.from({ length: 900_000 }, (_, at) => `"K${at}":1`).join(',')}}}`)],
  ])('%s', async (_, make) => {
    const bytes = make();
    // What is not collected in between is counted with it, so the least of a few turns is what it takes.
    let [refused, least]: [unknown, number] = [undefined, Number.POSITIVE_INFINITY];
    const refuse = (): void => {
      const memory = process.memoryUsage();
      try {
        readDocument(bytes);
      } catch (error) {
        refused = error;
      }
      const now = process.memoryUsage();
      least = Math.min(least, now.heapUsed + now.arrayBuffers - memory.heapUsed - memory.arrayBuffers);
    };
    expect(await costOf(refuse, CPU_MS_MAX)).toBeLessThan(CPU_MS_MAX);
    expect(refused).toBeInstanceOf(AppError);
    for (let again = 0; least > MEMORY_BYTES_MAX && again < 5; again++) refuse();
    expect(least).toBeLessThan(MEMORY_BYTES_MAX);
  });

  it('keeps an attachment once, beside the bytes that it came in', () => {
    const bytes = flood('<Invoice><EmbeddedDocumentBinaryObject>', 'QUJD', '</EmbeddedDocumentBinaryObject></Invoice>');
    const memory = process.memoryUsage();
    const { root } = readDocument(bytes);
    const now = process.memoryUsage();
    expect(root.children[0]?.text.length).toBeGreaterThan(FLOOD_BYTES - 100);
    expect(now.heapUsed + now.arrayBuffers - memory.heapUsed - memory.arrayBuffers).toBeLessThan(2.2 * FLOOD_BYTES);
  });
});
