// Ids that come due: one timer for all of them, for tens of thousands may be planned. Times are those of the clock when they are planned; a
// clock that is set moves none of them by more than a minute.
import type { Clock } from '#runtime/clock.ts';

/** A timer looks up at least this often, and so learns that the clock was set. */
const LOOK_EVERY_MS = 60_000;
/** The clock differs by more than a timer that comes late: it was set. */
const SET_MS = 10_000;

interface Entry {
  readonly id: string;
  readonly atMs: number;
}

export class DueTimes implements Disposable {
  readonly #clock: Clock;
  readonly #due: (id: string) => void;
  /** The time that holds for each id; other entries of the heap are stale. */
  readonly #planned = new Map<string, Entry>();
  /** The earliest first: a binary heap. */
  readonly #heap: Entry[] = [];
  /** What has been added to the clock's time to keep it going on. */
  #shiftMs = 0;
  #seenMs: number;
  #timer: { readonly atMs: number; readonly handle: Disposable } | null = null;

  /** `due` is called once for each planned id, in the order of their times. */
  constructor(clock: Clock, due: (id: string) => void) {
    this.#clock = clock;
    this.#due = due;
    this.#seenMs = clock.now();
  }

  get size(): number {
    return this.#planned.size;
  }

  has(id: string): boolean {
    return this.#planned.has(id);
  }

  /** Plans the id, or plans it earlier; of two times the earlier one holds. */
  plan(id: string, atMs: number): void {
    this.#noticeSetClock();
    const entry = { id, atMs: atMs + this.#shiftMs };
    if ((this.#planned.get(id)?.atMs ?? Number.POSITIVE_INFINITY) <= entry.atMs) return;
    this.#planned.set(id, entry);
    push(this.#heap, entry);
    this.#arm();
  }

  [Symbol.dispose](): void {
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = null;
    this.#planned.clear();
    this.#heap.length = 0;
  }

  #now(): number {
    return this.#clock.now() + this.#shiftMs;
  }

  /** Time neither goes back nor past a timer without its call: then the clock was set. */
  #noticeSetClock(): void {
    const now = this.#now();
    if (now < this.#seenMs - SET_MS) this.#shiftMs += this.#seenMs - now;
    else if (this.#timer && now > this.#timer.atMs + SET_MS) this.#shiftMs -= now - this.#timer.atMs;
    this.#seenMs = this.#now();
  }

  #look(): void {
    this.#noticeSetClock();
    this.#timer = null;
    const isStale = (entry: Entry): boolean => this.#planned.get(entry.id) !== entry;
    for (let [first] = this.#heap; first && (first.atMs <= this.#now() || isStale(first)); [first] = this.#heap) {
      pop(this.#heap);
      if (isStale(first)) continue;
      this.#planned.delete(first.id);
      this.#due(first.id);
    }
    this.#arm();
  }

  #arm(): void {
    const [first] = this.#heap;
    if (!first) return;
    const atMs = Math.min(first.atMs, this.#now() + LOOK_EVERY_MS);
    if (this.#timer && this.#timer.atMs <= atMs) return;
    this.#timer?.handle[Symbol.dispose]();
    this.#timer = { atMs, handle: this.#clock.after(atMs - this.#now(), () => this.#look()) };
  }
}

function push(heap: Entry[], entry: Entry): void {
  let at = heap.push(entry) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (isBefore(heap[parent], entry)) break;
    move(heap, parent, at);
    at = parent;
  }
  heap[at] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const child = isBefore(heap[left + 1], heap[left]) ? left + 1 : left;
    if (child >= heap.length || isBefore(last, heap[child])) break;
    move(heap, child, at);
    at = child;
  }
  heap[at] = last;
}

function move(heap: Entry[], from: number, to: number): void {
  const entry = heap[from];
  if (entry) heap[to] = entry;
}

function isBefore(one: Entry | undefined, other: Entry | undefined): boolean {
  return one !== undefined && other !== undefined && one.atMs <= other.atMs;
}
