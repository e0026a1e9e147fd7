// How many files and bytes a home has: in its folders, in the spool, and on their way in.
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HOME_FOLDERS, homeFolder, spoolFolder } from '#gateway/home/home.ts';
import { readReceiving, receivingPath } from './spool.ts';

export interface Usage {
  readonly files: number;
  readonly bytes: number;
}

/** Files whose size is asked for at a time. */
const AT_ONCE = 32;

/** Reads all of it but the uploads that `isOpen` names; files that go meanwhile are left out. */
export async function measureHome(data: string, name: string, isOpen: (upload: string) => boolean): Promise<Usage> {
  const home = homeFolder(data, name);
  const folders = [...HOME_FOLDERS.map((folder) => join(home, folder)), join(home, 'inbox', 'overwrite'), spoolFolder(data, name)];
  const arriving = readReceiving(data).filter((file) => file.home === name && !isOpen(file.upload));
  let usage = await sizesOf(arriving.map((file) => receivingPath(data, file)));
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
    const names = entries.filter((entry) => entry.isFile()).map(({ name }) => Buffer.concat([Buffer.from(`${folder}/`), name]));
    usage = plus(usage, await sizesOf(names));
  }
  return usage;
}

async function sizesOf(paths: readonly (string | Buffer)[]): Promise<Usage> {
  let usage: Usage = { files: 0, bytes: 0 };
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const stats = await Promise.all(paths.slice(at, at + AT_ONCE).map((path) => lstat(path).catch(() => undefined)));
    for (const stat of stats) if (stat?.isFile()) usage = plus(usage, { files: 1, bytes: stat.size });
  }
  return usage;
}

function plus(one: Usage, other: Usage): Usage {
  return { files: one.files + other.files, bytes: one.bytes + other.bytes };
}
