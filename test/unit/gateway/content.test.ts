import { describe, expect, test } from 'vitest';
import { contentOf, isSameContent, verbatimContentOf } from '#gateway/poll/content.ts';
import { invoice } from '../../support/documents.ts';

const document = Buffer.from(invoice({ id: 'C-1' })).toString();
const bytes = Buffer.from(document);
const respelt = Buffer.from(document.replaceAll('cbc:', 'b:').replace('xmlns:cbc=', 'xmlns:b='));
const other = invoice({ id: 'C-2' });

describe('content of a document', () => {
  test('of a service that may spell it anew is the same for all spellings', async () => {
    const { head, digest } = await contentOf(bytes);
    expect(head).toMatchObject({ family: 'Invoice', documentId: 'C-1' });
    expect(respelt.equals(bytes)).toBe(false);
    expect(await isSameContent(respelt, digest)).toBe(true);
    expect(await isSameContent(other, digest)).toBe(false);
  });

  test('of a service that gives bytes as they came is their digest, with the same head', async () => {
    const { head, digest } = verbatimContentOf(bytes);
    expect(head).toEqual((await contentOf(bytes)).head);
    expect(await isSameContent(bytes, digest)).toBe(true);
    expect(await isSameContent(respelt, digest)).toBe(false);
  });

  test('is read no further than to the end of its head', () => {
    const half = bytes.subarray(0, bytes.indexOf('<cac:TaxTotal'));
    expect(verbatimContentOf(half).head).toEqual(verbatimContentOf(bytes).head);
  });

  test.for([
    ['cut off within its head', bytes.subarray(0, 700)],
    ['no document', Buffer.from('PK\u0003\u0004')],
    ['empty', Buffer.alloc(0)],
  ] as const)('that cannot be read has a digest all the same: %s', async ([, unreadable]) => {
    for (const content of [verbatimContentOf(unreadable), await contentOf(unreadable)]) {
      expect(content.head).toBeNull();
      expect(await isSameContent(unreadable, content.digest)).toBe(true);
      expect(await isSameContent(bytes, content.digest)).toBe(false);
    }
  });
});
