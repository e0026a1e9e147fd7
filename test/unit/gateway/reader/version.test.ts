import { describe, expect, it } from 'vitest';
import { contentOf, isSameContent } from '#gateway/reader/version.ts';
import { invoice } from '../../../support/documents.ts';

const document = Buffer.from(invoice({ id: 'C-1' })).toString();
const bytes = Buffer.from(document);
const respelt = Buffer.from(document.replaceAll('cbc:', 'b:').replace('xmlns:cbc=', 'xmlns:b='));
const other = invoice({ id: 'C-2' });

describe('content of a document', () => {
  it('of a service that may spell it anew is the same for all spellings', async () => {
    const { head, digest } = await contentOf(bytes);
    expect(head).toMatchObject({ family: 'Invoice', documentId: 'C-1' });
    expect(respelt.equals(bytes)).toBe(false);
    expect(await isSameContent(respelt, digest)).toBe(true);
    expect(await isSameContent(other, digest)).toBe(false);
  });

  it.for([
    ['cut off within its head', bytes.subarray(0, 700)],
    ['no document', Buffer.from('PK\u0003\u0004')],
    ['empty', Buffer.alloc(0)],
  ] as const)('that cannot be read has a digest all the same: %s', async ([, unreadable]) => {
    const content = await contentOf(unreadable);
    expect(content.head).toBeNull();
    expect(await isSameContent(unreadable, content.digest)).toBe(true);
    expect(await isSameContent(bytes, content.digest)).toBe(false);
  });
});
