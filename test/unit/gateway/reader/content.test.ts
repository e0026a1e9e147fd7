import { describe, expect, it } from 'vitest';
import { contentOf } from '#gateway/reader/inspect.ts';
import { invoice } from '../../../support/documents.ts';

const document = Buffer.from(invoice({ id: 'C-1' })).toString();
const bytes = Buffer.from(document);
const respelt = Buffer.from(document.replaceAll('cbc:', 'b:').replace('xmlns:cbc=', 'xmlns:b='));
const other = invoice({ id: 'C-2' });

describe('content of a document', () => {
  it('of a service that may spell it anew is the same for all spellings', async () => {
    const { head, sha256 } = await contentOf(bytes);
    expect(head).toMatchObject({ family: 'Invoice', documentId: 'C-1' });
    expect(respelt.equals(bytes)).toBe(false);
    expect((await contentOf(respelt)).sha256).toBe(sha256);
    expect((await contentOf(other)).sha256).not.toBe(sha256);
  });

  it.for([
    ['cut off within its head', bytes.subarray(0, 700)],
    ['no document', Buffer.from('PK\u0003\u0004')],
    ['empty', Buffer.alloc(0)],
  ] as const)('that cannot be read has a digest all the same: %s', async ([, unreadable]) => {
    const content = await contentOf(unreadable);
    expect(content.head).toBeNull();
    expect((await contentOf(unreadable)).sha256).toBe(content.sha256);
    expect((await contentOf(bytes)).sha256).not.toBe(content.sha256);
  });
});
