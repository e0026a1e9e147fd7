// A backup is read while files move: what moves the way that files go in a home is read once or twice, whenever it moves.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { contentsOf } from '#installation/backup/contents.ts';

const MOVES = [
  ['homes/a/inbox/file', 'spool/a/file'],
  ['spool/a/file', 'homes/a/accepted/file'],
  ['staged/file', 'homes/a/outbox/file'],
  ['homes/a/outbox/file', 'homes/a/answer/accept/file'],
  ['homes/a/outbox/file', 'homes/a/answer/reject/why/file'],
  ['homes/a/answer/accept/file', 'homes/a/accepted/file'],
  ['homes/a/answer/query/file', 'homes/a/refused/file'],
] as const;

function dataWith(from: string): string {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-contents-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  for (const path of MOVES.flat()) mkdirSync(join(data, dirname(path)), { recursive: true });
  writeFileSync(join(data, from), 'text');
  return data;
}

/** The files that are read where it moves before the entry with this number; and how many entries there are. */
async function readWhile(from: string, to: string, at: number): Promise<{ readonly files: string[]; readonly entries: number }> {
  const data = dataWith(from);
  const files: string[] = [];
  let entries = 0;
  for await (const entry of contentsOf(data, () => undefined)) {
    if (entry.kind === 'file') for await (const _ of entry.content) files.push(entry.path);
    if (entries++ === at) renameSync(join(data, from), join(data, to));
  }
  return { files, entries };
}

it.each(MOVES)('what moves from %s to %s is read', async (from, to) => {
  const { entries } = await readWhile(from, to, Number.POSITIVE_INFINITY);
  for (let at = 0; at < entries; at++) expect((await readWhile(from, to, at)).files.length).toBeGreaterThan(0);
});
