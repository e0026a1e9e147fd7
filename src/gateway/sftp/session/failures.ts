// Why uploads of a session failed, for clients that hear nothing of failed WRITEs and CLOSEs and ask for the file afterwards.

import type { ByteName } from '#gateway/model/intake.ts';
import { formatPath, parsePath } from '#gateway/sftp/protocol/paths.ts';

const KEPT_MAX = 16;

export class Failures {
  readonly #sentences = new Map<string, string>();

  /** Remembers the sentence; the oldest one is forgotten when there are many. */
  set(path: ByteName, sentence: string): void {
    this.#sentences.set(plain(path), sentence);
    const [oldest] = this.#sentences.keys();
    if (this.#sentences.size > KEPT_MAX && oldest !== undefined) this.#sentences.delete(oldest);
  }

  get(path: ByteName): string | undefined {
    return this.#sentences.get(plain(path));
  }

  /** The path is uploaded anew. */
  forget(path: ByteName): void {
    this.#sentences.delete(plain(path));
  }
}

function plain(path: ByteName): string {
  return formatPath(parsePath(path));
}
