// The SHA-256 of a file that passes in pieces: it costs nothing more at the end for as long as they come in order.
import { createHash } from 'node:crypto';

export class RunningDigest {
  readonly #hash = createHash('sha256');
  /** Of the bytes up to here; null once a piece came out of its turn. */
  #upTo: number | null = 0;

  add(at: number, data: Buffer): void {
    if (at !== this.#upTo) {
      this.#upTo = null;
      return;
    }
    this.#hash.update(data);
    this.#upTo += data.length;
  }

  /** The bytes are not those that passed. */
  spoil(): void {
    this.#upTo = null;
  }

  /** In hex, at the end; null unless it is that of the first `size` bytes, in order. */
  ofFirst(size: number): string | null {
    return this.#upTo === size ? this.#hash.digest('hex') : null;
  }
}
