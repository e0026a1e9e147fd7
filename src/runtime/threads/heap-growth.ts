// How far heaps grow between two collections of all that they hold.
import { setFlagsFromString } from 'node:v8';

/** Of what is in use. */
const GROWTH_PERCENT = 100;
const V8_DECIDES = 0;

/**
 * Lets the heaps of all threads grow to twice of what is in use before V8 looks for what is not. By itself V8 looks much more often beside a steady
 * load, with helpers that take another core from fsyncs under way.
 */
export function letHeapsGrow(): void {
  grow(GROWTH_PERCENT);
}

/** The same as V8 decides it by itself: a thread that has little to do shall not keep what it does not need. Each collection decides it until the next. */
export function letHeapsRest(): void {
  grow(V8_DECIDES);
}

function grow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
