// Folders for uploads: one for each home that has some.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { arrivingFolder, receivingFolder } from '#gateway/disk/paths.ts';
import { Unfinished } from '#gateway/spool/unfinished.ts';
import { ensureFolder, FolderSync } from '#runtime/files/durable.ts';

it('the folder of a home is made anew where it went with its account, which is back', async () => {
  const data = mkdtempSync(join(tmpdir(), 'dropgate-unfinished-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  ensureFolder(receivingFolder(data, 'ours'));
  const unfinished = new Unfinished({ data, incarnation: 'ours', inHand: { check: () => undefined }, folders: new FolderSync() });
  const folder = arrivingFolder(data, 'ours', 'acme');
  for (const _time of ['before', 'after']) {
    await unfinished.makeFolder('acme');
    expect(existsSync(folder)).toBe(true);
    rmSync(folder, { recursive: true });
  }
});
