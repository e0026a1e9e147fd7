// The disk that a folder is on.
import { statfs } from 'node:fs/promises';

/** Bytes that this user may still write, and all that there are. */
export async function diskOf(folder: string): Promise<{ readonly free: number; readonly size: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}
