// How full a home is, for quotas: measured by a walk now and then, and counted in between.

import { AppError } from '#domain/error.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Usage } from './home-usage.ts';

/** How long a walk, and what was counted since, is believed while there is room; a refusal needs a new one. */
const BELIEVED_MS = 2_000;

/** An upload that is not closed: one file, and the bytes that it may have so far. */
export interface Coming {
  bytes: number;
}

/** What there is too little of, as a sentence; undefined when nothing is. */
export type Lack = (usage: Usage) => string | undefined;

export class Occupancy {
  readonly #measure: () => Promise<Usage>;
  readonly #clock: Clock;
  readonly #coming = new Set<Coming>();
  /** What moves into folders that are walked through. It counts already; a walk may find it, or not yet. */
  readonly #landing = new Set<Promise<unknown>>();
  #known: (Usage & { readonly atMs: number }) | undefined;
  #walk: Promise<void> | undefined;

  /** `measure` leaves out uploads that have begun (`begin`). */
  constructor(measure: () => Promise<Usage>, clock: Clock) {
    this.#measure = measure;
    this.#clock = clock;
  }

  /** Acts in the step in which nothing is lacking, so that the next to be judged sees what has come. Throws `quota`. */
  async admit<Result>(lack: Lack, act: () => Promise<Result>): Promise<Result> {
    const isBelieved = this.#known !== undefined && !this.#walk && this.#clock.now() - this.#known.atMs < BELIEVED_MS;
    if (!isBelieved || lack(this.#usage) !== undefined) {
      await this.#walked();
      // Others that waited for the same walk may have been counted already.
      this.#mustNotLack(lack);
    }
    return act();
  }

  /** The same for an upload under way, however old the last walk is: when it ends it is judged by a new one. */
  async grow(coming: Coming, bytes: number, lack: Lack): Promise<void> {
    if (lack(this.#usage) !== undefined) {
      await this.#walked();
      this.#mustNotLack(lack);
    }
    coming.bytes = Math.max(coming.bytes, bytes);
  }

  begin(coming: Coming): void {
    this.#coming.add(coming);
  }

  end(coming: Coming): void {
    this.#coming.delete(coming);
  }

  /** It counts from now on, wherever it lies until `landing` ends. */
  async land<Result>({ files, bytes }: Usage, landing: Promise<Result>): Promise<Result> {
    if (this.#known) this.#known = { ...this.#known, files: this.#known.files + files, bytes: this.#known.bytes + bytes };
    this.#landing.add(landing);
    try {
      return await landing;
    } finally {
      this.#landing.delete(landing);
    }
  }

  /** Resolves when no walk is under way: a file that moves now is found by the next one. */
  async settled(): Promise<void> {
    await this.#walk;
  }

  get #usage(): Usage {
    const { files, bytes } = this.#known ?? { files: 0, bytes: 0 };
    return { files: files + this.#coming.size, bytes: [...this.#coming].reduce((sum, each) => sum + each.bytes, bytes) };
  }

  #mustNotLack(lack: Lack): void {
    const sentence = lack(this.#usage);
    if (sentence !== undefined) throw new AppError('quota', sentence);
  }

  /** One walk at a time, for all who wait for it; nothing lands while it lasts, and it waits for what does. */
  #walked(): Promise<void> {
    this.#walk ??= this.#look();
    return this.#walk;
  }

  async #look(): Promise<void> {
    try {
      await Promise.allSettled(this.#landing);
      this.#known = { ...(await this.#measure()), atMs: this.#clock.now() };
    } finally {
      this.#walk = undefined;
    }
  }
}
