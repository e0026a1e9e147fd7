// Whole documents, and those that are still being written.
import { describe, expect, it } from 'vitest';
import { judge } from '#gateway/watch/content.ts';
import { invoice } from '../../../support/documents.ts';

const WHOLE = Buffer.from(invoice());
const TEXT = WHOLE.toString();
const NULS = Buffer.alloc(300);
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('bytes', () => {
  it('of a document are whole', async () => {
    expect(await judge(WHOLE)).toBe('whole');
  });

  it('of a well-formed document that lacks something are whole: it is refused with a receipt', async () => {
    expect(await judge(Buffer.from(TEXT.replace(/<cbc:ID>.*?<\/cbc:ID>/, '')))).toBe('whole');
  });

  it.each<[string, Buffer]>([
    ['that end early', WHOLE.subarray(0, 700)],
    ['that lack only the last one', WHOLE.subarray(0, WHOLE.lastIndexOf('>'))],
    ['of an empty file', Buffer.alloc(0)],
    ['set aside at the end', Buffer.concat([WHOLE.subarray(0, 700), NULS])],
    ['set aside at the end, but for one', Buffer.concat([WHOLE.subarray(0, WHOLE.lastIndexOf('>')), Buffer.alloc(1)])],
    ['of a document with more set aside behind it', Buffer.concat([WHOLE, NULS])],
    ['with a hole in the middle', Buffer.concat([WHOLE.subarray(0, 700), NULS, WHOLE.subarray(1_000)])],
    ['with nothing written yet', NULS],
    ['with the beginning not written yet', Buffer.concat([NULS, WHOLE.subarray(300)])],
    ['of JSON that end early', Buffer.from('{"Invoice": [{"ID":')],
    ['of UTF-16 with a hole', Buffer.concat([utf16('<Invoice>'), NULS])],
  ])('%s are unfinished', async (_, bytes) => {
    expect(await judge(bytes)).toBe('unfinished');
  });

  it.each<[string, Buffer]>([
    ['with a syntax error', Buffer.from(TEXT.replace('</cbc:ID>', '</cbc:IDD>'))],
    ['of a PDF, which has NULs', Buffer.concat([Buffer.from('%PDF-1.7\n'), NULS])],
    ['of a ZIP archive', Buffer.concat([Buffer.from('PK\x03\x04'), NULS])],
    ['of UTF-16 that is no UBL', utf16('<Invoice/>')],
    ['of a letter', Buffer.from('Dear Sirs')],
  ])('%s are unreadable, and will stay so', async (_, bytes) => {
    expect(await judge(bytes)).toBe('unreadable');
  });
});
