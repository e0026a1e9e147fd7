// Which folder is visited when: the earliest time asked for counts, a folder is visited by one at a time, and only so many folders at once.
import type { Clock } from '#runtime/clock.ts';

export interface Agenda<Key> {
  /** Asks for a visit at a time, or earlier if that was asked for. While the folder is being visited, another visit follows. */
  at(key: Key, atMs: number): void;
  /** Nobody asks for it any more. */
  strike(key: Key): void;
  /** Begins no further visit, and resolves when those under way have ended. */
  close(): Promise<void>;
}

/** `visit` does not throw. */
export function openAgenda<Key>(clock: Clock, visitsMax: number, visit: (key: Key) => Promise<void>): Agenda<Key> {
  /** In the order in which they were asked for, so that a busy folder stands behind the others again after each visit. */
  const due = new Map<Key, number>();
  const visiting = new Map<Key, Promise<void>>();
  let closed = false;
  let timer: { readonly atMs: number; readonly handle: Disposable } | null = null;

  function turn(): void {
    timer?.handle[Symbol.dispose]();
    timer = null;
    if (closed) return;
    const now = clock.now();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [key, atMs] of due) {
      // The end of a visit is the next turn.
      if (visiting.size >= visitsMax) return;
      if (visiting.has(key)) continue;
      if (atMs <= now) begin(key);
      else nextMs = Math.min(nextMs, atMs);
    }
    if (Number.isFinite(nextMs)) wake(nextMs);
  }

  function begin(key: Key): void {
    due.delete(key);
    const work = visit(key).finally(() => {
      visiting.delete(key);
      turn();
    });
    visiting.set(key, work);
  }

  function wake(atMs: number): void {
    if (timer && timer.atMs <= atMs) return;
    timer?.handle[Symbol.dispose]();
    timer = { atMs, handle: clock.after(atMs - clock.now(), turn) };
  }

  return {
    at(key, atMs) {
      const before = due.get(key);
      if (closed || (before !== undefined && before <= atMs)) return;
      due.set(key, atMs);
      if (!visiting.has(key) && visiting.size < visitsMax) wake(atMs);
    },
    strike(key) {
      due.delete(key);
    },
    async close() {
      closed = true;
      timer?.handle[Symbol.dispose]();
      due.clear();
      await Promise.all(visiting.values());
    },
  };
}
