// Whether a data folder still lies where processes have worked on it. A copy holds all files, those by whose locks a process is known to live as well, and
// in the copy nobody has locked them: only where the folder itself is the same one do free locks say that a process has ended.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, ensureFolder, replaceDurable } from '#runtime/files/durable.ts';
import { folderIdentity } from '#runtime/files/folder-identity.ts';
import { systemCode } from '#runtime/files/system-code.ts';

/** Beside the locks. */
const PLACE = '.place';

/** It lies here from now on: nobody works on another one. */
export async function markPlace(data: string, check: Check): Promise<void> {
  if (!isInPlace(data)) await replaceDurable(placePath(data), Buffer.from(`${placeOf(data)}\n`), { check });
}

/** False for a copy of it, and where it was moved to another file system. */
export function isInPlace(data: string): boolean {
  try {
    return readFileSync(placePath(data), 'utf8').trim() === placeOf(data);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function placeOf(data: string): string {
  return folderIdentity(ensureFolder(data, 'incarnations'));
}

function placePath(data: string): string {
  return join(ensureFolder(data, 'incarnations'), PLACE);
}
