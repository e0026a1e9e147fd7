// A pool of files that are made before they are needed: empty, with durable names. Writing into one takes an fsync of its bytes only; the folder
// was fsynced once for a whole lot.
import { join } from 'node:path';
import { base32, type Random } from '#domain/id.ts';
import { discard } from '#gateway/disk/paths.ts';
import { allOrNone, createEmpty, type FileBytes, type FolderSync, fillDurable } from '#runtime/files/durable.ts';

/** Files that are made at a time, and as many are there when the next are: more where they were used up before. */
const LOT_MAX = 128;

export class FilePool {
  readonly #folder: string;
  readonly #folders: FolderSync;
  readonly #random: Random;
  readonly #ready: string[] = [];
  #making: Promise<void> | null = null;
  #lot = 2;
  /** A write had to wait. */
  #ranOut = false;

  constructor(folder: string, { folders, random }: { readonly folders: FolderSync; readonly random: Random }) {
    this.#folder = folder;
    this.#folders = folders;
    this.#random = random;
  }

  /** Writes the bytes durably into a file, and resolves with its path: from then on it is the caller's. On failure nothing is left. */
  async write(bytes: FileBytes): Promise<string> {
    const path = await this.#take();
    try {
      await fillDurable(path, bytes);
    } catch (error) {
      discard(path);
      // Another program may have removed them all.
      this.#empty();
      throw error;
    }
    return path;
  }

  /** Removes the files that were not needed. */
  async clear(): Promise<void> {
    await this.#making?.catch(() => undefined);
    this.#empty();
  }

  async #take(): Promise<string> {
    for (;;) {
      if (this.#ready.length < this.#lot && !this.#making) {
        if (this.#ranOut) this.#lot = Math.min(2 * this.#lot, LOT_MAX);
        this.#ranOut = false;
        this.#making = this.#make();
        // The write that finds the pool empty hears of it.
        this.#making.catch(() => undefined);
      }
      const path = this.#ready.pop();
      if (path !== undefined) return path;
      this.#ranOut = true;
      await this.#making;
    }
  }

  async #make(): Promise<void> {
    const paths = Array.from({ length: this.#lot }, () => join(this.#folder, base32(this.#random(15))));
    try {
      // Side by side: one after the other, each would wait for a turn of the event loop.
      await allOrNone(...paths.map((path) => createEmpty(path)));
      await this.#folders.sync(this.#folder);
      this.#ready.push(...paths);
    } catch (error) {
      paths.forEach(discard);
      throw error;
    } finally {
      this.#making = null;
    }
  }

  #empty(): void {
    this.#ready.splice(0).forEach(discard);
  }
}
