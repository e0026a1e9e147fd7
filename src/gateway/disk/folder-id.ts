// The id of a data folder, by which nodes see that theirs is one and the same: random, and made once, whoever comes first.
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '#domain/error.ts';
import { base32, type Random } from '#domain/id.ts';
import { makeOnce } from '#runtime/files/durable.ts';

export const FOLDER_ID = 'folder.id';
const ID_BYTES = 15;

/** Makes it where there is none. */
export async function folderId(data: string, random: Random): Promise<string> {
  const path = folderIdPath(data);
  if (!existsSync(path)) await makeOnce(path, Buffer.from(`${base32(random(ID_BYTES))}\n`));
  return readFileSync(path, 'utf8').trim();
}

/** Undefined where there is none. Makes none. */
export function knownFolderId(data: string): string | undefined {
  const path = folderIdPath(data);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

/** Resolves while the folder has that id; rejects with the reason otherwise. A file system may be unmounted, or another one mounted, while a node works on it. Makes none. */
export async function askForFolder(data: string, id: string): Promise<void> {
  const reason = await readFile(folderIdPath(data), 'utf8').then(
    (found) => (found.trim() === id ? null : 'the id in it is another one'),
    messageOf,
  );
  if (reason !== null) throw new Error(`The data folder ${data} is another one than it was, or is not mounted: ${reason}`);
}

function folderIdPath(data: string): string {
  return join(data, FOLDER_ID);
}
