// Starts a daemon again whenever it has ended, as systemd does: it ends by itself where PostgreSQL cannot tell it what was committed.
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, type TestDaemon } from '../support/daemon.ts';

const LOOK_EVERY_MS = 50;
/** One that ends soon after its start is given longer and longer, so that many on a busy machine do not keep each other from ever starting. */
const WAIT_MS_MAX = 5_000;
const SOON_MS = 10_000;

export interface Keeper extends AsyncDisposable {
  readonly starts: number;
  /** From then on it may end. */
  stop(): Promise<void>;
}

export function keepAlive(daemon: TestDaemon): Keeper {
  const stopping = new AbortController();
  let starts = 0;
  let [waitMs, startedAt] = [0, Number.NEGATIVE_INFINITY];
  const keeping = (async () => {
    while (!stopping.signal.aborted) {
      await pause(LOOK_EVERY_MS);
      if (isAlive(daemon)) continue;
      const isSoon = performance.now() - startedAt < SOON_MS;
      waitMs = isSoon ? Math.min(WAIT_MS_MAX, 2 * waitMs + LOOK_EVERY_MS) : 0;
      await pause(waitMs);
      startedAt = performance.now();
      // It may end again at once, while PostgreSQL is away.
      await daemon.start().then(
        () => starts++,
        () => undefined,
      );
    }
  })();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await keeping;
  };
  return {
    get starts() {
      return starts;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
