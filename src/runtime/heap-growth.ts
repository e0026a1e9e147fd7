// How far heaps grow between two collections of all that they hold.
import { setFlagsFromString } from 'node:v8';

/** Of what is in use. */
const GROWTH_PERCENT = 200;
const V8_DECIDES = 0;

/**
 * Lets the heaps of all threads grow to three times of what is in use before V8 looks for what is not. By itself it looks as often as that takes no
 * more than 3 % of a thread's time: once or twice a second beside a steady load, with helpers that take the other core from fsyncs under way.
 */
export function letHeapsGrow(): void {
  grow(GROWTH_PERCENT);
}

/** How far a heap may grow is decided by each collection for the time until the next: after this one by V8 itself, for a thread that has little to do. */
export function collectForRest(collect: () => void): void {
  grow(V8_DECIDES);
  try {
    collect();
  } finally {
    letHeapsGrow();
  }
}

function grow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
