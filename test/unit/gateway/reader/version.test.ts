import { describe, expect, test } from 'vitest';
import { announcedContentOf, contentOf, isSameContent } from '#gateway/reader/version.ts';
import { arrivalOf } from '../../../support/arrival.ts';
import { invoice } from '../../../support/documents.ts';

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

  test('that our core has told of is its digest, with the head that was told', async () => {
    const arrival = arrivalOf('1', bytes);
    const told = { ...arrival, head: { ...arrival.head, documentId: 'told' } };
    const { head, digest } = await announcedContentOf(bytes, told);
    expect(head).toEqual(told.head);
    expect(await isSameContent(bytes, digest)).toBe(true);
    expect(await isSameContent(respelt, digest)).toBe(false);
  });

  test('that has been replaced since our core told of it has the head of what it is now', async () => {
    const { head, digest } = await announcedContentOf(other, arrivalOf('1', bytes));
    expect(head).toMatchObject({ documentId: 'C-2' });
    expect(await isSameContent(other, digest)).toBe(true);
  });

  test.for([
    ['cut off within its head', bytes.subarray(0, 700)],
    ['no document', Buffer.from('PK\u0003\u0004')],
    ['empty', Buffer.alloc(0)],
  ] as const)('that cannot be read has a digest all the same: %s', async ([, unreadable]) => {
    for (const content of [await announcedContentOf(unreadable, arrivalOf('1', bytes)), await contentOf(unreadable)]) {
      expect(content.head).toBeNull();
      expect(await isSameContent(unreadable, content.digest)).toBe(true);
      expect(await isSameContent(bytes, content.digest)).toBe(false);
    }
  });
});
