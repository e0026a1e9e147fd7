// Windows in the memory of this process. They end by real time, also where the clock of a test stands still.
import type { Window, Windows } from '#engines/windows.ts';
import { LruCache } from '#runtime/cache.ts';

/** Of one name; the key that was asked for longest ago is forgotten first. */
const KEYS_MAX = 65_536;

interface Begun {
  readonly points: number;
  readonly endMs: number;
}

export const memoryWindows: Windows = {
  open: (_name, seconds) => openWindow(seconds * 1_000),
  close: () => undefined,
};

function openWindow(windowMs: number): Window {
  const windows = new LruCache<Begun>(KEYS_MAX);
  return {
    async spend(key, points) {
      // Whole milliseconds: with fractions a window would end later than it may.
      const nowMs = Math.floor(performance.now());
      const last = windows.get(key);
      const { points: before, endMs } = last && last.endMs > nowMs ? last : { points: 0, endMs: nowMs + windowMs };
      windows.put(key, { points: before + points, endMs });
      return { points: before + points, endsInMs: endMs - nowMs };
    },
  };
}
