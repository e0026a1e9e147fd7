// Lowers the priority of threads. Linux has a niceness for each thread; on other systems nothing changes.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

/** Added to the niceness of the process. */
const NICENESS = 5;
const THREADS = '/proc/self/task';
/** Node's name for V8's threads, which compile and collect garbage. */
const HELPER = 'V8Worker';

/** Lowers the priority of the calling thread. */
export function giveWay(): void {
  whereItCounts(() => makeNicer(Number(basename(readlinkSync('/proc/thread-self')))));
}

/**
 * Lowers the priority of V8's threads. All of them run at once when V8 marks a heap or optimizes code, and would delay a thread that has
 * waited for an fsync.
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
    // Only speed depends on it.
  }
}
