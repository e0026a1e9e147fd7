// The request budget: a fixed window per account, or per address (of IPv6: per /64) where no account is recognised (decisions A2).
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { sourceOf } from '#runtime/networks.ts';

const ANONYMOUS_REQUESTS = 60;
const ANONYMOUS_WINDOW_MS = 60_000;

export interface Budget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  /** `<requests>;w=<window seconds>` (specification, Limits). */
  readonly policy: string;
  readonly spent: boolean;
}

export interface RateLimit {
  /** Charges one request to an account or partner; `requestsMax` is its own budget, null the usual one. */
  account(key: string, requestsMax: number | null): Promise<Budget>;
  /** Charges one request to an address, of IPv6 to its /64; 0 only tells. */
  address(address: string, points?: 0 | 1): Promise<Budget>;
}

/** The limiter counts by its own clock: its windows end by real time, also where the clock of a test stands still. */
export function createRateLimit(requests: number, windowMs: number): RateLimit {
  const charge = createWindow(windowMs);
  const chargeAddress = createWindow(ANONYMOUS_WINDOW_MS);
  return {
    account: (key, requestsMax) => charge(key, requestsMax ?? requests, 1),
    address: (address, points = 1) => chargeAddress(sourceOf(address), ANONYMOUS_REQUESTS, points),
  };
}

function createWindow(windowMs: number): (key: string, limit: number, points: number) => Promise<Budget> {
  const duration = Math.ceil(windowMs / 1_000);
  // Budgets differ from account to account: the limiter counts, the limit is compared here.
  const limiter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration });
  return async (key, limit, points) => {
    const { consumedPoints, msBeforeNext } = await limiter.consume(key, points);
    const resetSeconds = Math.max(Math.ceil(msBeforeNext / 1_000), 1);
    return {
      limit,
      remaining: Math.max(limit - consumedPoints, 0),
      resetSeconds,
      policy: `${limit};w=${duration}`,
      spent: consumedPoints > limit,
    };
  };
}
