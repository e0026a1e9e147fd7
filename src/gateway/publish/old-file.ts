// One file in a home whose time may be over.
import { unlink } from 'node:fs/promises';
import type { SafeFolder } from '#runtime/files/safe-folder.ts';
import { systemCode } from '#runtime/files/system-code.ts';

/**
 * Removes a file that was put there (or last changed) before `beforeMs`; the time of its content does not count, for clients set it. False for a
 * file that is young enough, or has gone meanwhile: a client took it, or sent it again.
 */
export async function removeOld(folder: SafeFolder, name: string, beforeMs: number): Promise<boolean> {
  try {
    const stat = await folder.look(name);
    if (!stat?.isFile() || stat.ctimeMs >= beforeMs) return false;
    await unlink(folder.path(name));
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
