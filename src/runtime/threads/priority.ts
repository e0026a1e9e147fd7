// Which threads go first where several want the same core. Linux counts niceness by thread; elsewhere they are all alike.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** More than whoever asks has. */
const NICENESS = 5;
const THREADS = '/proc/self/task';
/** What Node calls the threads that compile and collect for all others. */
const HELPER = 'V8Worker';

/** This thread gives way to the others of the process. */
export function giveWay(): void {
  whereItCounts(() => makeNicer(Number(basename(readlinkSync('/proc/thread-self')))));
}

/**
 * V8's helpers give way: when a heap is marked, or code is compiled again, all of them want a core at once, and a thread that wakes from an fsync
 * would wait behind them.
 */
export function letHelpersGiveWay(): void {
  whereItCounts(() => {
    for (const thread of readdirSync(THREADS)) {
      if (readFileSync(`${THREADS}/${thread}/comm`, 'utf8').trim() === HELPER) makeNicer(Number(thread));
    }
  });
}

function makeNicer(thread: number): void {
  setPriority(thread, Math.min(getPriority() + NICENESS, constants.priority.PRIORITY_LOW));
}

function whereItCounts(act: () => void): void {
  try {
    act();
  } catch {
    // Nothing depends on it.
  }
}
