// One file in a home whose time may be over.
import { lstat, unlink } from 'node:fs/promises';
import { systemCode } from '#runtime/system-code.ts';

/**
 * Removes a file that was put there (or last changed) before that; the time of its content is not asked, for clients set it. False for one that
 * is young enough, or has gone meanwhile: somebody took it, or sent it again.
 */
export async function removeOld(path: Buffer, beforeMs: number): Promise<boolean> {
  try {
    const stat = await lstat(path);
    if (!stat.isFile() || stat.ctimeMs >= beforeMs) return false;
    await unlink(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
}
