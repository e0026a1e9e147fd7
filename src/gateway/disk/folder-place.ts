// Whether a data folder still lies where processes have worked on it. A copy holds all files, those by whose locks a process is known to live as well, and
// in the copy nobody has locked them: only where the folder itself is the same one do free locks say that a process has ended.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, ensureFolder, replaceDurable } from '#runtime/files/durable.ts';
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

/** By whichever path it is reached. Without the number of the device, which may be another one after each start of the machine. */
function placeOf(data: string): string {
  const { ino, birthtimeNs } = statSync(ensureFolder(data, 'incarnations'), { bigint: true });
  return `${ino} ${birthtimeNs}`;
}

function placePath(data: string): string {
  return join(ensureFolder(data, 'incarnations'), PLACE);
}
