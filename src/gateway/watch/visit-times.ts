// When each folder is visited: at the earliest time that was asked for, by one visit at a time, and only so many folders at once.
import type { Clock } from '#runtime/clock.ts';

export class VisitTimes<Key> {
  readonly #clock: Clock;
  readonly #visitsMax: number;
  readonly #visit: (key: Key) => Promise<void>;
  /** In the order in which they were asked for, so that a busy folder stands behind the others after each visit. */
  readonly #due = new Map<Key, number>();
  readonly #visiting = new Map<Key, Promise<void>>();
  #timer: { readonly atMs: number; readonly handle: Disposable } | null = null;
  #isClosed = false;

  /** `visit` does not throw. */
  constructor(clock: Clock, visitsMax: number, visit: (key: Key) => Promise<void>) {
    this.#clock = clock;
    this.#visitsMax = visitsMax;
    this.#visit = visit;
  }

  /** Asks for a visit at a time. While the folder is being visited, another visit follows. */
  at(key: Key, atMs: number): void {
    const before = this.#due.get(key);
    if (this.#isClosed || (before !== undefined && before <= atMs)) return;
    this.#due.set(key, atMs);
    if (!this.#visiting.has(key) && this.#visiting.size < this.#visitsMax) this.#wakeAt(atMs);
  }

  remove(key: Key): void {
    this.#due.delete(key);
  }

  /** Begins no more visits, and resolves when those under way have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.handle[Symbol.dispose]();
    this.#due.clear();
    await Promise.all(this.#visiting.values());
  }

  #beginDue(): void {
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = null;
    if (this.#isClosed) return;
    const now = this.#clock.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [key, atMs] of this.#due) {
      // This is called again when a visit ends.
      if (this.#visiting.size >= this.#visitsMax) return;
      if (this.#visiting.has(key)) continue;
      if (atMs <= now) this.#begin(key);
      else nextMs = Math.min(nextMs, atMs);
    }
    if (Number.isFinite(nextMs)) this.#wakeAt(nextMs);
  }

  #begin(key: Key): void {
    this.#due.delete(key);
    const work = this.#visit(key).finally(() => {
      this.#visiting.delete(key);
      this.#beginDue();
    });
    this.#visiting.set(key, work);
  }

  #wakeAt(atMs: number): void {
    if (this.#timer && this.#timer.atMs <= atMs) return;
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = { atMs, handle: this.#clock.after(atMs - this.#clock.now(), () => this.#beginDue()) };
  }
}
