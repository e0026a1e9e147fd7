// Whether the webhooks of an account prove healthy: a hint came lately, and no document since that none had announced. Only then is it polled
// less often.
import type { Clock } from '#runtime/clock.ts';

const HINT_COUNTS_FOR_MS = 24 * 60 * 60_000;
/** A document and its hint do not come at the same moment. */
const TOGETHER_MS = 5 * 60_000;

export interface HintHealth {
  /** A hint came. */
  hinted(accountRegNo: string): void;
  /** A sweep has found something new. */
  found(accountRegNo: string): void;
  isHealthy(accountRegNo: string): boolean;
}

export function watchHints(clock: Clock): HintHealth {
  const last = new Map<string, number>();
  const sinceMs = (accountRegNo: string): number => clock.now() - (last.get(accountRegNo) ?? Number.NEGATIVE_INFINITY);
  return {
    hinted: (accountRegNo) => void last.set(accountRegNo, clock.now()),
    found(accountRegNo) {
      if (sinceMs(accountRegNo) > TOGETHER_MS) last.delete(accountRegNo);
    },
    isHealthy: (accountRegNo) => sinceMs(accountRegNo) <= HINT_COUNTS_FOR_MS,
  };
}
