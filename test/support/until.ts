// Waiting for a condition, never for a time.
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_EVERY_MS = 3;

/** Resolves with what `condition` gives when that is neither undefined, null nor false; fails when it takes longer than `withinMs`. */
export async function until<Value>(what: string, condition: () => Value | Promise<Value>, withinMs = 60_000): Promise<NonNullable<Value>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== null && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for: ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}
