// The files of one folder that may be about to be taken, by name: bounded for each folder and in all, so that no number of files on disk
// is a matter of memory. Files beyond it are met again by a later listing.
import type { ByteName } from '#gateway/model/intake.ts';
import type { Candidate } from './settle.ts';

/** How many there are in all folders together. */
export interface Census {
  total: number;
}

const IN_FOLDER_MAX = 10_000;
const IN_ALL_MAX = 100_000;

export class Candidates {
  readonly #byName = new Map<ByteName, Candidate>();
  readonly #census: Census;

  constructor(census: Census) {
    this.#census = census;
  }

  get(name: ByteName): Candidate | undefined {
    return this.#byName.get(name);
  }

  /** Whether there is room for one more. */
  hasRoom(): boolean {
    return this.#byName.size < IN_FOLDER_MAX && this.#census.total < IN_ALL_MAX;
  }

  set(name: ByteName, candidate: Candidate): void {
    if (!this.#byName.has(name)) this.#census.total++;
    this.#byName.set(name, candidate);
  }

  delete(name: ByteName): void {
    if (this.#byName.delete(name)) this.#census.total--;
  }

  keepOnly(names: ReadonlySet<ByteName>): void {
    for (const name of this.#byName.keys()) if (!names.has(name)) this.delete(name);
  }

  clear(): void {
    for (const name of this.#byName.keys()) this.delete(name);
  }

  /** The time of the next look at any of them; undefined when there is none. */
  nextMs(): number | undefined {
    let next: number | undefined;
    for (const { dueMs } of this.#byName.values()) if (next === undefined || dueMs < next) next = dueMs;
    return next;
  }
}
