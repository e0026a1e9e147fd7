// The files of one folder that may soon be taken, by name. Their number is limited for each folder and in all, so that memory does not grow with
// the files on disk; a later listing meets the others.
import type { ByteName } from '#gateway/model/intake.ts';
import type { Candidate } from './settle.ts';

/** Candidates of all folders together. */
export interface CandidateCount {
  total: number;
}

const IN_FOLDER_MAX = 10_000;
const IN_ALL_MAX = 100_000;

export class Candidates {
  readonly #byName = new Map<ByteName, Candidate>();
  readonly #count: CandidateCount;

  constructor(count: CandidateCount) {
    this.#count = count;
  }

  get(name: ByteName): Candidate | undefined {
    return this.#byName.get(name);
  }

  /** Whether there is room for one more. */
  hasRoom(): boolean {
    return this.#byName.size < IN_FOLDER_MAX && this.#count.total < IN_ALL_MAX;
  }

  set(name: ByteName, candidate: Candidate): void {
    if (!this.#byName.has(name)) this.#count.total++;
    this.#byName.set(name, candidate);
  }

  delete(name: ByteName): void {
    if (this.#byName.delete(name)) this.#count.total--;
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
