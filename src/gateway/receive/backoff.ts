// How long a feed waits whose sweep has failed: a moment when that sweep had come further than the one before, longer with each try in vain.
import { shareOf } from './poll-schedule.ts';

/** After a first failure, doubled with each one that follows it. */
const AFTER_FAILURE_MS = 30_000;
const AFTER_FAILURES_MS_MAX = 10 * 60_000;
/** So many times shorter is the first wait of one that has come further. */
const EASED = 2 ** 3;
/** Waits differ by so much, so that feeds which failed together do not come again together. */
const SPREAD = 0.5;

export interface Setback {
  readonly waitMs: number;
  /** Failures since the feed was last swept to its end, or came further. */
  readonly times: number;
}

export interface Setbacks {
  /** One more. */
  add(feed: string): Setback;
  /** It has come further: the next wait is short. */
  ease(feed: string): void;
  /** It has been swept to its end. */
  clear(feed: string): void;
}

interface Count {
  times: number;
  firstMs: number;
}

export function openSetbacks(): Setbacks {
  const counts = new Map<string, Count>();
  return {
    add(feed) {
      const count = counts.get(feed) ?? { times: 0, firstMs: AFTER_FAILURE_MS };
      counts.set(feed, count);
      const waitMs = Math.min(count.firstMs * 2 ** count.times++, AFTER_FAILURES_MS_MAX);
      return { waitMs: Math.round(waitMs * (1 - SPREAD * shareOf(feed))), times: count.times };
    },
    ease: (feed) => void counts.set(feed, { times: 0, firstMs: AFTER_FAILURE_MS / EASED }),
    clear: (feed) => void counts.delete(feed),
  };
}
