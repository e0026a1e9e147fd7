// Durable files: shared folder fsyncs, writes that leave nothing behind when they fail.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FolderSync, replaceDurable, writeDurable } from '#runtime/files/durable.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dropgate-files-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('an fsync serves all who asked while another ran, and no fsync serves who asked after it began', async () => {
  const sync = new FolderSync();
  const first = sync.sync(folder);
  const second = [sync.sync(folder), sync.sync(folder), sync.sync(folder)];
  await first;
  expect(sync.count).toBeLessThanOrEqual(2);
  await Promise.all(second);
  expect(sync.count).toBe(2);
  await sync.sync(folder);
  expect(sync.count).toBe(3);
});

it('a failed fsync fails those who waited for it, and the next one is tried anew', async () => {
  const sync = new FolderSync();
  const gone = join(folder, 'gone');
  await expect(sync.sync(gone)).rejects.toThrow('ENOENT');
  await expect(sync.sync(gone)).rejects.toThrow('ENOENT');
  await sync.sync(folder);
});

it('writeDurable never overwrites', async () => {
  const path = join(folder, 'a');
  writeFileSync(path, 'old');
  await expect(writeDurable(path, Buffer.from('new'))).rejects.toThrow('EEXIST');
  expect(readFileSync(path, 'utf8')).toBe('old');
});

it('a folder is fsynced for a new file when the file is there: an fsync that began earlier does not keep its name', async () => {
  const path = join(folder, 'a');
  const wasThere: boolean[] = [];
  class WatchedSync extends FolderSync {
    override sync(each: string): Promise<void> {
      wasThere.push(each === folder && existsSync(path));
      return super.sync(each);
    }
  }
  await writeDurable(path, Buffer.from('new'), { folders: new WatchedSync() });
  expect(wasThere).toEqual([true]);
});

it('a file whose name cannot be made durable is not left', async () => {
  const path = join(folder, 'a');
  class FailingSync extends FolderSync {
    override sync(): Promise<void> {
      return Promise.reject(new Error('the disk refuses'));
    }
  }
  await expect(writeDurable(path, Buffer.from('new'), { folders: new FailingSync() })).rejects.toThrow('the disk refuses');
  expect(existsSync(path)).toBe(false);
});

it('replaceDurable replaces whole, also over what an interrupted one left', async () => {
  const path = join(folder, 'a');
  writeFileSync(`${path}.new`, 'half');
  await replaceDurable(path, Buffer.from('one'));
  await replaceDurable(path, Buffer.from('two'));
  expect(readFileSync(path, 'utf8')).toBe('two');
  expect(existsSync(`${path}.new`)).toBe(false);
});
