// The id of a data folder, by which nodes see that theirs is one and the same: random, and made once, whoever comes first.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { base32, type Random } from '#domain/id.ts';
import { makeOnce } from '#runtime/files/durable.ts';

export const FOLDER_ID = 'folder.id';
const ID_BYTES = 15;

/** Null where there is none. */
export function knownFolderId(data: string): string | null {
  const path = join(data, FOLDER_ID);
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

/** Makes it where there is none. */
export async function folderId(data: string, random: Random): Promise<string> {
  const path = join(data, FOLDER_ID);
  if (!existsSync(path)) await makeOnce(path, Buffer.from(`${base32(random(ID_BYTES))}\n`));
  return readFileSync(path, 'utf8').trim();
}
