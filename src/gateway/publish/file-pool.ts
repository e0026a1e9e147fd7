// A stock of files that are there before anybody needs them: empty, with durable names. Whoever writes into one has only its bytes to fsync;
// the folder was fsynced once for the whole lot.
import { join } from 'node:path';
import { base32, type Random } from '#domain/id.ts';
import { discard } from '#gateway/disk/paths.ts';
import { allOrNone, createEmpty, type FolderSync, fillDurable } from '#runtime/files/durable.ts';

/** Files that are made at a time, and as many are there when the next are: more where they were used up before. */
const LOT_MAX = 128;

export interface StockParts {
  readonly folders: FolderSync;
  readonly random: Random;
}

export interface Stock {
  /** Writes the bytes durably into a file, and resolves with its path: from then on it is the caller's. On failure nothing is left. */
  write(bytes: Uint8Array): Promise<string>;
  /** Removes the files that nobody has needed. */
  clear(): Promise<void>;
}

export function openStock(folder: string, { folders, random }: StockParts): Stock {
  const ready: string[] = [];
  let making: Promise<void> | null = null;
  let lot = 2;
  /** Somebody had to wait. */
  let ranOut = false;

  async function make(): Promise<void> {
    const paths = Array.from({ length: lot }, () => join(folder, base32(random(15))));
    try {
      // Side by side: one after the other, each would wait for a turn of the event loop.
      await allOrNone(...paths.map((path) => createEmpty(path)));
      await folders.sync(folder);
      ready.push(...paths);
    } catch (error) {
      paths.forEach(discard);
      throw error;
    } finally {
      making = null;
    }
  }

  async function take(): Promise<string> {
    for (;;) {
      if (ready.length < lot && !making) {
        if (ranOut) lot = Math.min(2 * lot, LOT_MAX);
        ranOut = false;
        making = make();
        // Whoever finds the stock empty hears of it.
        making.catch(() => undefined);
      }
      const path = ready.pop();
      if (path !== undefined) return path;
      ranOut = true;
      await making;
    }
  }

  const empty = (): void => ready.splice(0).forEach(discard);

  return {
    async write(bytes) {
      const path = await take();
      try {
        await fillDurable(path, bytes);
      } catch (error) {
        discard(path);
        // It may be that somebody has removed them.
        empty();
        throw error;
      }
      return path;
    },
    async clear() {
      await making?.catch(() => undefined);
      empty();
    },
  };
}
