// A backup is read while files move: what moves the way that files go in a home is read once or twice, whenever it moves.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { contentsOf } from '#installation/backup/contents.ts';

const MOVES = [
  ['spool/receiving/one/file', 'spool/a/file'],
  ['spool/receiving/one/file', 'spool/receiving/two/file'],
  ['spool/receiving/two/file', 'spool/receiving/one/file'],
  ['staged/file', 'homes/a/.staged/file'],
  ['homes/a/.staged/file', 'homes/a/outbox/file'],
  ['homes/a/inbox/file', 'spool/a/file'],
  ['spool/a/file', 'homes/a/accepted/file'],
  ['staged/file', 'homes/a/outbox/file'],
  ['homes/a/outbox/file', 'homes/a/answer/accept/file'],
  ['homes/a/outbox/file', 'homes/a/answer/reject/why/file'],
  ['homes/a/answer/accept/file', 'homes/a/accepted/file'],
  ['homes/a/answer/query/file', 'homes/a/refused/file'],
] as const;

function dataWith(from: string, paths: readonly string[] = MOVES.flat()): string {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-contents-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  for (const path of paths) mkdirSync(join(data, dirname(path)), { recursive: true });
  writeFileSync(join(data, from), 'text');
  return data;
}

/** The files that are read where it moves before the entry with this number, and perhaps once more; and how many entries there are. */
async function readWhile(
  from: string,
  to: string,
  at: number,
  then?: { readonly to: string; readonly at: number },
): Promise<{ readonly files: string[]; readonly entries: number }> {
  const data = dataWith(from, then && [from, to, then.to]);
  const files: string[] = [];
  let entries = 0;
  for await (const entry of contentsOf(data, () => undefined)) {
    if (entry.kind === 'file') for await (const _ of entry.content) files.push(entry.path);
    if (entries === at) renameSync(join(data, from), join(data, to));
    if (entries === then?.at) renameSync(join(data, to), join(data, then.to));
    entries++;
  }
  return { files, entries };
}

/** The file is brought to another node, whose client renames it at once. */
it('what is brought from node to node and then taken is read', async () => {
  const [first, second, third] = ['spool/receiving/two/file', 'spool/receiving/one/file', 'spool/a/file'] as const;
  const never = Number.POSITIVE_INFINITY;
  const { entries } = await readWhile(first, second, never, { to: third, at: never });
  for (let at = 0; at < entries; at++) {
    for (let then = at; then < entries; then++) {
      expect((await readWhile(first, second, at, { to: third, at: then })).files.length).toBeGreaterThan(0);
    }
  }
});

it('what does not move is read once', async () => {
  const data = dataWith('homes/a/inbox/file');
  const lying = ['spool/.epoch', 'spool/receiving/one/file', 'spool/a/file', 'homes/a/.staged/file', 'homes/a/outbox/file', 'homes/a/file'];
  for (const path of lying) writeFileSync(join(data, path), 'text');
  const files: string[] = [];
  for await (const entry of contentsOf(data, () => undefined)) if (entry.kind === 'file') files.push(entry.path);
  expect(files.sort()).toEqual(['homes/a/inbox/file', ...lying].sort());
});

it.each(MOVES)('what moves from %s to %s is read', async (from, to) => {
  const { entries } = await readWhile(from, to, Number.POSITIVE_INFINITY);
  for (let at = 0; at < entries; at++) expect((await readWhile(from, to, at)).files.length).toBeGreaterThan(0);
});
