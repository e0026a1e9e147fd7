// The request budget: a fixed window per account, or per address where no account is recognised (decisions A2).
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

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
  /** Charges one request to an account. */
  account(accountRegNo: string): Promise<Budget>;
  /** Charges one request to an address. */
  address(address: string): Promise<Budget>;
}

export function createRateLimit(requests: number, windowMs: number): RateLimit {
  const account = createWindow(requests, windowMs);
  const address = createWindow(ANONYMOUS_REQUESTS, ANONYMOUS_WINDOW_MS);
  return { account, address };
}

function createWindow(requests: number, windowMs: number): (key: string) => Promise<Budget> {
  const duration = Math.ceil(windowMs / 1_000);
  const limiter = new RateLimiterMemory({ points: requests, duration });
  const policy = `${requests};w=${duration}`;
  return async (key) => {
    const { state, spent } = await consume(limiter, key);
    const resetSeconds = Math.max(Math.ceil(state.msBeforeNext / 1_000), 1);
    return { limit: requests, remaining: Math.max(state.remainingPoints, 0), resetSeconds, policy, spent };
  };
}

/** The limiter rejects with the state of the window when it is spent. */
async function consume(limiter: RateLimiterMemory, key: string): Promise<{ state: RateLimiterRes; spent: boolean }> {
  try {
    return { state: await limiter.consume(key), spent: false };
  } catch (error) {
    if (error instanceof RateLimiterRes) return { state: error, spent: true };
    throw error;
  }
}
