import { createHash, hash } from 'node:crypto';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AppError } from '#domain/error.ts';
import { inspect, inspectContent, readBytes } from '#gateway/reader/inspect.ts';
import { type Reading, readingBeside } from '#gateway/reader/reading.ts';
import { type ReadHead, readHead } from '#ubl/head.ts';
import { invoiceOfSize } from '../../../support/documents.ts';

const SHORT = invoiceOfSize(8_000, { id: 'L-1' });
const LONG = invoiceOfSize(2_000_000, { id: 'L-1' });

it.each([
  ['nothing', Buffer.alloc(0)],
  ['short', SHORT],
  ['long', LONG],
])('a file that is %s is read whole, into memory that it shares with nothing', async (_, content) => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'dropgate-look-'));
  const path = join(folder.path, 'file');
  writeFileSync(path, content);
  const { bytes, sha256 } = await readBytes(path);
  expect(bytes.equals(content)).toBe(true);
  expect(bytes.buffer.byteLength).toBe(content.length);
  expect(sha256).toBe(createHash('sha256').update(content).digest('hex'));
});

const look = ({ inspect: ask }: Reading, bytes: Uint8Array): Promise<ReadHead> => ask(bytes, hash('sha256', bytes));

describe('a look', () => {
  it.each([
    ['short', SHORT],
    ['long', LONG],
  ])('at a %s document finds its head', async (_, bytes) => {
    expect(await inspect(bytes)).toEqual(readHead(bytes));
    expect((await inspectContent(bytes)).head).toEqual(readHead(bytes));
  });

  it('into a long document gives the same digest for another spelling, and another one for other content', async () => {
    const { sha256 } = await inspectContent(LONG);
    const text = Buffer.from(LONG).toString();
    expect(await inspectContent(Buffer.from(text.replaceAll('cbc:', 'b:').replace('xmlns:cbc', 'xmlns:b')))).toMatchObject({ sha256 });
    expect((await inspectContent(Buffer.from(text.replace('L-1', 'L-2')))).sha256).not.toBe(sha256);
  });

  it('at a long document that ends early says so, and the next one is looked at', async () => {
    const [cut, next] = [inspect(LONG.subarray(0, 1_000_000)), inspect(LONG)];
    await expect(cut).rejects.toMatchObject({ code: 'unreadable', facts: { truncated: true } });
    expect((await next).documentId).toBe('L-1');
  });

  it('lets the event loop turn meanwhile', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await inspect(invoiceOfSize(15_000_000, { id: 'L-1' }));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });

  it('by another asks that one for short documents, and believes what it says of them', async () => {
    const asked: number[] = [];
    const refusal = new AppError('invalid', 'no receiver');
    const beside = readingBeside(async (bytes) => {
      asked.push(bytes.length);
      throw refusal;
    });
    await expect(look(beside, SHORT)).rejects.toBe(refusal);
    expect(await look(beside, LONG)).toMatchObject({ documentId: 'L-1' });
    expect(asked).toEqual([SHORT.length]);
  });

  it('by another reads the document here where nobody answers', async () => {
    const beside = readingBeside(async () => {
      throw new AppError('internal', 'The thread is stopping.');
    });
    expect(await look(beside, SHORT)).toEqual(readHead(SHORT));
    await expect(look(beside, SHORT.subarray(0, 500))).rejects.toMatchObject({ code: 'unreadable' });
  });
});
