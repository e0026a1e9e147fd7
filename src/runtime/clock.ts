// Time and randomness as parameters: everything that waits, stamps or draws takes these.
import type { Random } from '#domain/id.ts';

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Calls back once, not earlier than `delayMs` from now; the timer never keeps the process alive. Dispose to cancel. */
  after(delayMs: number, call: () => void): Disposable;
  /** What is done again and again is done at multiples of this, where it is done seldom: a thread at rest is woken once for all that is due then. */
  readonly beatMs?: number;
}

const TIMEOUT_MS_MAX = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, Math.min(Math.max(delayMs, 0), TIMEOUT_MS_MAX)).unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
  beatMs: 5_000,
};

/** What is done more often is done without beats. */
const SELDOM_MS = 1_000;

/** How long until a period has passed: to the nearest beat, or, of a period shorter than a beat, to the nearest of its own multiples. */
export function untilBeat({ now, beatMs = 1 }: Pick<Clock, 'now' | 'beatMs'>, periodMs: number): number {
  if (periodMs < SELDOM_MS) return periodMs;
  const nowMs = now();
  const unitMs = Math.min(beatMs, periodMs);
  return Math.round((nowMs + periodMs) / unitMs) * unitMs - nowMs;
}

/**
 * Calls `call` every `periodMs`, which may change meanwhile, as exactly as beats allow, and the next time only when the last has ended. What it throws goes to
 * `failed`, unless the turn before threw the same. Dispose to stop.
 */
export function every(clock: Clock, periodMs: number | (() => number), call: () => unknown, failed: (error: unknown) => void): Disposable {
  let stopped = false;
  let timer: Disposable | undefined;
  let last: string | undefined;
  const turn = async (): Promise<void> => {
    try {
      await call();
      last = undefined;
    } catch (error) {
      if (String(error) !== last) failed(error);
      last = String(error);
    }
    if (!stopped) plan();
  };
  const plan = (): void => {
    timer = clock.after(untilBeat(clock, typeof periodMs === 'function' ? periodMs() : periodMs), () => void turn());
  };
  plan();
  return {
    [Symbol.dispose]() {
      stopped = true;
      timer?.[Symbol.dispose]();
    },
  };
}

/** Bytes that are drawn at once: the system's generator takes as long for one as for thousands. */
const POOL_BYTES = 4_096;
/** Larger draws are made by themselves. */
const DRAW_BYTES_MAX = 64;

/** Loaded by the first draw: of a thread that draws nothing it would be a good part of the start. */
const crypto = () => process.getBuiltinModule('node:crypto');

/** Draws from a pool of random bytes. None is handed out twice, and none stays in the pool once it has been. */
function openPool(): Random {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (bytes) => {
    if (bytes > DRAW_BYTES_MAX) return crypto().randomBytes(bytes);
    if (used + bytes > POOL_BYTES) {
      crypto().randomFillSync(pool);
      used = 0;
    }
    const drawn = pool.slice(used, used + bytes);
    pool.fill(0, used, used + bytes);
    used += bytes;
    return drawn;
  };
}

export const systemRandom: Random = openPool();
