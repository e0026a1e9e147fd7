// How long a feed waits whose sweep has failed: a moment when that sweep had come further than the one before, longer with each failure in a row.
import { SWEEP_FIRST_STEP, SWEEP_WAITS_MS, waitAfter } from '#domain/retry.ts';
import { shareOf } from '#gateway/model/share.ts';

/** Waits are shorter by up to this part, another for each feed, so that feeds which failed together do not come again together. */
const SPREAD = 0.5;

export class Backoff {
  readonly #failures = new Map<string, { times: number; firstStep: number }>();

  /** One more failure. `times`: those since the feed was last swept to its end, or came further. `firstStep`: from which the first of them waits. */
  add(feed: string, firstStep = SWEEP_FIRST_STEP): { readonly waitMs: number; readonly times: number } {
    const count = this.#failures.get(feed) ?? { times: 0, firstStep };
    this.#failures.set(feed, count);
    const waitMs = waitAfter(SWEEP_WAITS_MS, count.firstStep + count.times++);
    return { waitMs: Math.round(waitMs * (1 - SPREAD * shareOf(feed))), times: count.times };
  }

  /** The feed has come further: the next wait is short. */
  ease(feed: string): void {
    this.#failures.set(feed, { times: 0, firstStep: 1 });
  }

  /** The feed has been swept to its end. */
  clear(feed: string): void {
    this.#failures.delete(feed);
  }
}
