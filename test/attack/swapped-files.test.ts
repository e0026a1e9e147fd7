// A program puts something else in place of a file while it is being taken: it gets that back, nobody waits for it, and no start stumbles over it;
// or puts very many files there.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, lstatSync, mkdirSync, openSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { spoolFolder } from '#gateway/disk/paths.ts';
import type { FoundFile } from '#gateway/model/intake.ts';
import { digestFile } from '#runtime/files/durable.ts';
import { invoice } from '../support/documents.ts';
import { SESSION } from '../support/world/world.ts';
import { ACCOUNT, type HomeStage, KEY, SECRET, startHomeStage } from './home-stage.ts';

let stage: HomeStage;
let path: string;
let found: FoundFile;
beforeEach(async () => {
  stage = await startHomeStage();
  path = stage.inHome('inbox', 'i.xml');
  writeFileSync(path, invoice());
  const { size, mtimeMs, ino } = lstatSync(path);
  found = { size, mtimeMs, ino, sha256: 'a'.repeat(64) };
});

/** As the watcher takes it. The bytes are opened when this returns; the rename comes later. */
const take = (facts = found): Promise<string> =>
  stage.world
    .gateway()
    .intake.take({ home: ACCOUNT, folder: 'inbox' }, 'i.xml', path, facts)
    .then(
      () => 'taken',
      (error: { code: string }) => error.code,
    );

const STRANGE: Readonly<Record<string, (at: string) => void>> = {
  'a link to nothing': (at) => symlinkSync('/nowhere/at/all', at),
  'a link to a file': (at) => symlinkSync(join(stage.vault, KEY), at),
  'a folder': (at) => mkdirSync(at),
  'a FIFO': (at) => void execFileSync('mkfifo', [at]),
};

describe.each(Object.entries(STRANGE))('%s', (_, put) => {
  it('in place of a file that is being taken is given back', async () => {
    const taken = take();
    rmSync(path);
    put(path);
    expect(await taken).toBe('in-flight');
    expect(readdirSync(spoolFolder(stage.world.data, ACCOUNT))).toEqual([]);
    expect(readdirSync(stage.inHome('inbox'))).toContain('i.xml');
  });

  it('that a crash has left in the spool stops no start', async () => {
    await stage.world.stop();
    put(join(spoolFolder(stage.world.data, ACCOUNT), '01ARZ3NDEKTSV4RRFF0000000A~-~i.xml'));
    await stage.world.restart();
    await stage.world.drop(ACCOUNT, 'other.xml', invoice({ id: 'other' }));
    await stage.world.receipt(ACCOUNT, 'other.xml', 'accepted');
    expect(stage.inVault()).toEqual({ [KEY]: SECRET });
  });
});

it('however many files lie in an inbox, listing them lets others have their turns', async () => {
  for (let n = 0; n < 5_000; n++) writeFileSync(stage.inHome('inbox', `${n}.tmp`), '');
  const listing = stage.world.gateway().intake.view({ home: ACCOUNT, folder: 'inbox' }, SESSION);
  let turns = 0;
  let entries: unknown[] | undefined;
  void listing.then((all) => (entries = all));
  for (; !entries; turns++) await setImmediate();
  expect(entries).toHaveLength(5_001);
  expect(turns).toBeGreaterThan(5);
});

it('a FIFO that never ends is not read for its digest', async () => {
  rmSync(path);
  execFileSync('mkfifo', [path]);
  const end = openSync(path, constants.O_RDWR);
  const writer = spawn('cat', ['/dev/zero'], { stdio: ['ignore', end, 'ignore'] });
  closeSync(end);
  onTestFinished(() => void writer.kill());
  await expect(digestFile(path)).rejects.toMatchObject({ code: 'name' });
  expect(await take({ ...found, sha256: null })).toBe('storage');
});
