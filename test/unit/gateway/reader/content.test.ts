import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { OWN_READING, readingBeside } from '#gateway/reader/reading.ts';
import { readHead } from '#ubl/head.ts';
import { invoice } from '../../../support/documents.ts';

const { fetched } = OWN_READING;
const contentOf = (each: Uint8Array) => fetched(each).content();
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

  it('of a service beside us, which gives documents as they came, is told by their bytes', async () => {
    const asked: Uint8Array[] = [];
    const beside = readingBeside(async (sent) => {
      asked.push(sent);
      return readHead(sent);
    });
    await beside.inspect(bytes, createHash('sha256').update(bytes).digest('hex'));
    const { head, sha256 } = await beside.fetched(bytes).content();
    expect(head).toMatchObject({ family: 'Invoice', documentId: 'C-1' });
    expect((await beside.fetched(bytes).content()).sha256).toBe(sha256);
    expect((await beside.fetched(respelt).content()).sha256).not.toBe(sha256);
    expect((await beside.fetched(other).content()).head).toMatchObject({ documentId: 'C-2' });
    expect((await beside.fetched(Buffer.from('PK')).content()).head).toBeNull();
    // What is fetched has been judged.
    expect(asked).toEqual([bytes]);
  });

  it('is known again by whichever reading it was told', async () => {
    const beside = readingBeside(async () => readHead(bytes));
    for (const now of [beside, OWN_READING]) {
      for (const then of [beside, OWN_READING]) {
        const { sha256 } = await then.fetched(bytes).content();
        expect(await now.fetched(bytes).isSame(sha256)).toBe(true);
        expect(await now.fetched(other).isSame(sha256)).toBe(false);
      }
    }
    expect(await fetched(respelt).isSame((await contentOf(bytes)).sha256)).toBe(true);
    expect(await fetched(bytes).isSame(null)).toBe(false);
  });

  it('is read once, whatever is asked', async () => {
    const document = fetched(bytes);
    await document.isSame('another');
    const first = await document.content();
    await document.isSame('a third');
    expect(await document.content()).toBe(first);
    const came = readingBeside(async () => readHead(bytes)).fetched(bytes);
    await came.isSame('another');
    expect((await came.content()).head).toBe((await came.content()).head);
  });
});
