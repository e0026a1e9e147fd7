// Work on everything that there is, in small steps: others get their turn between two of them.
import type { Clock } from './clock.ts';

/** Between two rounds; the first one begins after a rest. */
const PERIOD_MS = 6 * 60 * 60_000;
/** Between two steps, at the least. */
const REST_MS = 100;
/** So many times as long as the step took: it takes longer where others are busy, and they go first. */
const RESTS_AFTER_STEP = 10;
const REST_MS_MAX = 5_000;

/**
 * Runs round after round; after each step that a round yields it rests, so that it works for a small part of the time. What a round throws goes
 * to `failed`, and the next one begins in its time. Dispose to stop: resolves when the step under way has ended.
 */
export function repeatInSteps(clock: Clock, round: () => AsyncIterable<unknown>, failed: (error: unknown) => void): AsyncDisposable {
  let stopped = false;
  let wake = (): void => undefined;
  const rest = async (ms: number): Promise<void> => {
    if (stopped) return;
    await new Promise<void>((resolve) => {
      const timer = clock.after(ms, resolve);
      wake = () => {
        timer[Symbol.dispose]();
        resolve();
      };
    });
  };
  async function one(): Promise<void> {
    let beganMs = clock.now();
    for await (const _ of round()) {
      const tookMs = clock.now() - beganMs;
      await rest(Math.min(Math.max(REST_MS, RESTS_AFTER_STEP * tookMs), REST_MS_MAX));
      if (stopped) return;
      beganMs = clock.now();
    }
  }
  async function run(): Promise<void> {
    for (let ms = REST_MS; ; ms = PERIOD_MS) {
      await rest(ms);
      if (stopped) return;
      await one().catch(failed);
      if (stopped) return;
    }
  }
  const running = run();
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      wake();
      await running;
    },
  };
}
