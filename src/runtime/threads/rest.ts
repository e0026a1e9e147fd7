// A thread at rest gives back the memory that its work needed: V8 keeps what a start or a burst has taken until there is work again.
import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Clock, every } from '#runtime/clock.ts';
import type { LogLines } from '#runtime/log-throttle.ts';
import { letHeapsGrow, letHeapsRest } from './heap-growth.ts';

/** Within this time a thread that has work again lets heaps grow: a small one is collected again and again beside the work. */
const LOOK_EVERY_MS = 10_000;
/** In a minute, after which it is seen whether the thread rests. */
const LOOKS = 6;
/** Of its time, what a thread at rest spends on looking whether there is work, on a busy machine. A few documents a second are work. */
const BUSY_SHARE_MAX = 0.04;
/** Collecting goes through all that is in use, and the thread does nothing else meanwhile: less than this is not worth it. */
const GROWN_BYTES_MIN = 16 * 2 ** 20;

/** A thread's memory and time. */
export interface Heap {
  /** What the heap takes of the machine's memory, in bytes. */
  taken(): number;
  /** The share of the time since the last call in which the thread was busy. */
  busyShare(): number;
  /** Finds all that nothing refers to. V8 then gives back its reserve by itself, in the course of some seconds and without a stop. */
  collect(): void;
}

interface RestParts {
  readonly clock: Clock;
  /** Without one nothing is said. */
  readonly log?: LogLines;
  readonly heap?: Heap;
}

/** One collection gives back whole pages; what it leaves in pieces, up to a fifth of a heap that was large, the next one moves together. */
const COLLECTIONS = 2;

/** Collects when the thread has rested for a minute, and again when the heap has grown since. Dispose to stop. */
export function startResting({ clock, log, heap = openHeap() }: RestParts): Disposable {
  /** What it took at least, a minute after the last collection or later. */
  let least = 0;
  /** Collections since it had grown. */
  let collections = 0;
  /** It was found with nothing left to give back. */
  let rests = false;
  /** Of this minute. */
  let shares: number[] = [];
  function look(): void {
    const share = heap.busyShare();
    if (share > BUSY_SHARE_MAX) letHeapsGrow();
    shares.push(share);
    if (shares.length < LOOKS) return;
    // What has just begun is not held up by a collection.
    const isBusy = share > BUSY_SHARE_MAX || mean(shares) > BUSY_SHARE_MAX;
    shares = [];
    const taken = heap.taken();
    least = collections > 0 ? taken : Math.min(least, taken);
    if (isBusy || collections === COLLECTIONS || (collections === 0 && taken < least + GROWN_BYTES_MIN)) {
      collections = 0;
      if (!isBusy && !rests) log?.debug({ event: 'rest.reached', taken });
      rests = !isBusy;
      return;
    }
    rests = false;
    const startMs = performance.now();
    heap.collect();
    collections++;
    log?.debug({ event: 'rest.collected', taken, ms: Math.round(performance.now() - startMs) });
  }
  return every(clock, LOOK_EVERY_MS, look, (error) => log?.warn({ event: 'rest.failed', err: error }));
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
}

/** The heap of this thread. */
export function openHeap(): Heap {
  let seen = performance.eventLoopUtilization();
  return {
    taken: () => getHeapStatistics().total_physical_size,
    busyShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, seen);
      seen = now;
      return utilization;
    },
    collect() {
      // Node lends V8's collector to nobody who does not ask for it by this flag; a new context is one that sees it.
      setFlagsFromString('--expose-gc');
      const collector: unknown = runInNewContext('gc');
      if (typeof collector !== 'function') throw new TypeError('V8 offers no collector under this name');
      letHeapsRest();
      Reflect.apply(collector, undefined, []);
    },
  };
}
