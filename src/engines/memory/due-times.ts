// Ids that come due: one timer for all of them, for tens of thousands may be planned. Times are those of the clock when they are planned; a
// clock that is set moves none of them by more than a minute.
import type { Clock } from '#runtime/clock.ts';

/** A timer looks up at least this often, and so learns that the clock was set. */
const LOOK_EVERY_MS = 60_000;
/** The clock differs by more than a timer that comes late: it was set. */
const SET_MS = 10_000;

export interface Agenda extends Disposable {
  /** Plans the id, or plans it earlier; of two times the earlier one holds. */
  plan(id: string, atMs: number): void;
  readonly size: number;
  has(id: string): boolean;
}

interface Entry {
  readonly id: string;
  readonly atMs: number;
}

/** `due` is called once for each planned id, in the order of their times. */
export function openAgenda(clock: Clock, due: (id: string) => void): Agenda {
  /** What holds; other entries of the heap are stale. */
  const planned = new Map<string, Entry>();
  const heap: Entry[] = [];
  /** What has been added to the clock's time to keep it going on. */
  let shiftMs = 0;
  let timer: { readonly atMs: number; readonly handle: Disposable } | null = null;
  const now = (): number => clock.now() + shiftMs;
  let seenMs = now();

  /** Time neither goes back nor past a timer without its call: then the clock was set. */
  function notice(): void {
    if (now() < seenMs - SET_MS) shiftMs += seenMs - now();
    if (timer && now() > timer.atMs + SET_MS) shiftMs -= now() - timer.atMs;
    seenMs = now();
  }

  function look(): void {
    notice();
    timer = null;
    for (let first = heap[0]; first && (first.atMs <= now() || planned.get(first.id) !== first); first = heap[0]) {
      pop(heap);
      if (planned.get(first.id) !== first) continue;
      planned.delete(first.id);
      due(first.id);
    }
    arm();
  }

  function arm(): void {
    const [first] = heap;
    if (!first) return;
    const atMs = Math.min(first.atMs, now() + LOOK_EVERY_MS);
    if (timer && timer.atMs <= atMs) return;
    timer?.handle[Symbol.dispose]();
    timer = { atMs, handle: clock.after(atMs - now(), look) };
  }

  return {
    plan(id, atMs) {
      notice();
      const entry = { id, atMs: atMs + shiftMs };
      if ((planned.get(id)?.atMs ?? Number.POSITIVE_INFINITY) <= entry.atMs) return;
      planned.set(id, entry);
      push(heap, entry);
      arm();
    },
    get size() {
      return planned.size;
    },
    has: (id) => planned.has(id),
    [Symbol.dispose]() {
      timer?.handle[Symbol.dispose]();
      timer = null;
      planned.clear();
      heap.length = 0;
    },
  };
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
