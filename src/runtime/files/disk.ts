// The disk that a folder is on.
import { statfs } from 'node:fs/promises';

/** Room for a few of the largest documents, and for the ledgers to say that there is no more. */
const FREE_BYTES_MIN = 200 * 2 ** 20;

/** Resolves where there is room on it to take files; rejects with the reason otherwise. */
export async function askForRoom(folder: string): Promise<void> {
  const { free } = await diskOf(folder);
  if (free < FREE_BYTES_MIN) throw new Error(`only ${Math.floor(free / 2 ** 20)} MiB are free`);
}

/** Bytes that this user may still write, and all that there are. */
export async function diskOf(folder: string): Promise<{ readonly free: number; readonly size: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}
