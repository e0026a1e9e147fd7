// Waiting for a condition, never for a time.
import { setTimeout as pause } from 'node:timers/promises';
import { patienceMs } from './patience.ts';

const LOOK_EVERY_MS = 3;

/** Resolves with what `condition` gives when that is neither undefined, null nor false; fails when it takes longer than `withinMs`. */
export async function until<Value>(
  what: string,
  condition: () => Value | Promise<Value>,
  withinMs = patienceMs(),
): Promise<NonNullable<Value>> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  // Told of also where a condition never answers.
  const timer = setTimeout(() => reject(new Error(`waited ${withinMs} ms in vain for: ${what}`)), withinMs);
  let isOver = false;
  const look = async (): Promise<NonNullable<Value>> => {
    for (;;) {
      const value = await condition();
      if (value !== undefined && value !== null && value !== false) return value;
      await pause(LOOK_EVERY_MS);
      if (isOver) return await late;
    }
  };
  try {
    return await Promise.race([look(), late]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

/** Resolves when `check` no longer throws: as `until`, with expectations. Fails with what the last one said. */
export async function eventually(check: () => unknown): Promise<void> {
  let last: unknown;
  const holds = async (): Promise<boolean> => {
    try {
      await check();
      return true;
    } catch (error) {
      last = error;
      return false;
    }
  };
  await until('it to hold', holds).catch(() => {
    throw last;
  });
}
