// What a session knows of paths at which nothing is: why the last uploads to them failed, or that a marker was put there. For clients that ask
// for the file afterwards.

import type { ByteName } from '#gateway/model/intake.ts';
import { formatPath, parsePath } from '#gateway/sftp/protocol/paths.ts';

const KEPT_MAX = 16;

export class PathNotes<Note> {
  readonly #notes = new Map<string, Note>();

  /** Remembers it; the oldest one is forgotten when there are many. */
  set(path: ByteName, note: Note): void {
    this.#notes.set(plain(path), note);
    const [oldest] = this.#notes.keys();
    if (this.#notes.size > KEPT_MAX && oldest !== undefined) this.#notes.delete(oldest);
  }

  get(path: ByteName): Note | undefined {
    return this.#notes.get(plain(path));
  }

  /** The path is uploaded anew, or removed. Whether there was one. */
  forget(path: ByteName): boolean {
    return this.#notes.delete(plain(path));
  }
}

function plain(path: ByteName): string {
  return formatPath(parsePath(path));
}
