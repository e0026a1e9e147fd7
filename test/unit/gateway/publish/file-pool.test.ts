// A pool of durable names: one fsync of the folder for many files, and none is taken twice.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FilePool } from '#gateway/publish/file-pool.ts';
import { systemRandom } from '#runtime/clock.ts';
import { FolderSync } from '#runtime/files/durable.ts';

let folder: string;
let folders: FolderSync;
let pool: FilePool;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-pool-'));
  folders = new FolderSync();
  pool = new FilePool(folder, { folders, random: systemRandom });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('many at once have a file of their own, each with its bytes, for few fsyncs of the folder', async () => {
  const texts = Array.from({ length: 300 }, (_, at) => `text ${at}`);
  const paths = await Promise.all(texts.map((text) => pool.write(Buffer.from(text))));
  expect(new Set(paths).size).toBe(300);
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(texts);
  expect(new Set(paths.map(dirname))).toEqual(new Set([folder]));
  expect(folders.count).toBeLessThan(20);
});

it('the name of a file is durable before it is written into', async () => {
  const there: number[] = [];
  const watched = new (class extends FolderSync {
    override async sync(path: string): Promise<void> {
      there.push(readdirSync(path).length);
      await super.sync(path);
    }
  })();
  const path = await new FilePool(folder, { folders: watched, random: systemRandom }).write(Buffer.from('x'));
  expect(there[0]).toBeGreaterThan(0);
  expect(readdirSync(folder)).toContain(path.slice(folder.length + 1));
});

it('files that were not needed are removed, and those that were written stay', async () => {
  const path = await pool.write(Buffer.from('kept'));
  await pool.clear();
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([path]);
});

it('files that another program has removed cost one failure, and then there are new ones', async () => {
  await pool.write(Buffer.from('1'));
  await pool.clear();
  await pool.write(Buffer.from('2'));
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  await expect(pool.write(Buffer.from('3'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect(readFileSync(await pool.write(Buffer.from('4')), 'utf8')).toBe('4');
});

it('a folder that is not there fails each write, until it is', async () => {
  rmSync(folder, { recursive: true });
  await expect(pool.write(Buffer.from('1'))).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(pool.write(Buffer.from('2'))).rejects.toMatchObject({ code: 'ENOENT' });
});
