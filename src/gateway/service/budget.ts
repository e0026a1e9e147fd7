// The requests that each account may still spend, as the service's RateLimit headers tell; without them 30 a minute are assumed.
// Submits come first: polls leave a reserve, and marks leave more of one.
import { HEADER } from '#contract/headers.ts';
import { AppError } from '#domain/error.ts';
import { retryAfterMs } from '#domain/retry.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Answer, Headers } from './transport.ts';

const ASSUMED_REQUESTS = 30;
/** A minute, and what our clock and the way to the service may differ by: its window begins a little after ours. */
const ASSUMED_WINDOW_MS = 62_000;
/** Part of the window's requests that each leaves for those who come before it. */
const RESERVE: Readonly<Record<Exclude<Purpose, 'submit'>, number>> = { poll: 0.2, mark: 0.5 };
/** Two resets that differ by less than this speak of one window. */
const SAME_WINDOW_MS = 2_000;
/** A reset from here on is a moment, in seconds since 1970. */
const EPOCH_SECONDS_MIN = 1_000_000_000;
/** A request whose end was never reported is no reason to wait for ever. */
const PATIENCE_MS = 5 * 60_000;
/** An attempt rarely needs all the requests that it spent: the rest comes back when it ends. */
const SOON_MS = 1_000;
/** After a 429 that does not say for how long, or says 'at once'. */
const WAIT_MS = 60_000;
const WAIT_MS_MIN = 1_000;
/** No service is waited for longer than this, whatever it says. */
const WINDOW_MS_MAX = 24 * 60 * 60_000;

export type Purpose = 'submit' | 'poll' | 'mark';

/** What an answer tells: counts, and seconds to the reset. */
interface Limits {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

interface Window {
  limit: number;
  remaining: number;
  sinceMs: number;
  resetAtMs: number;
  inFlight: number;
  /** What a submit waits for: others leave it so much, in the next window as well, but no longer, for it may not come again. */
  owed: number;
  owedUntilMs: number;
  /** The service has said 429: answers to requests that went out before it tell of more, and open nothing before this. */
  closedUntilMs: number;
  /** The service tells its limits. Until it does, one request waits for the answer to the one before: a refusal then is the only one. */
  tellsLimits: boolean;
  /** Those that wait for that, in order. */
  readonly asking: (() => void)[];
}

/** What every account may still spend at the service. */
export class Budget {
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Spends requests, one or several that are made one after the other: 0 = go; otherwise nothing is spent, and it may be asked again after so many
   * milliseconds.
   */
  async spend(accountRegNo: string, purpose: Purpose, requests = 1): Promise<number> {
    const known = this.#windowOf(accountRegNo);
    while (!known.tellsLimits && known.inFlight > 0) await this.#answered(known);
    const window = this.#windowOf(accountRegNo);
    const now = this.#clock.now();
    const reserve = reserveFor(purpose, window, now);
    // Where a window has fewer than are wanted, a whole one is enough to begin.
    const enough = Math.max(Math.min(requests, window.limit - reserve), 1);
    if (window.remaining - reserve < enough) {
      window.asking.shift()?.();
      if (purpose === 'submit') Object.assign(window, { owed: requests, owedUntilMs: window.resetAtMs + ASSUMED_WINDOW_MS });
      const resetInMs = Math.max(window.resetAtMs - now, 1);
      return requests > 1 && window.inFlight > 0 ? Math.min(SOON_MS, resetInMs) : resetInMs;
    }
    if (purpose === 'submit') window.owed = 0;
    window.remaining -= requests;
    window.inFlight += requests;
    return 0;
  }

  /** Spends one request, and makes it. Throws `rate-limited` (facts.waitMs) when the budget is spent, where nothing is sent, and when the service says 429. */
  async ask(accountRegNo: string, purpose: Purpose, request: () => Promise<Answer>): Promise<Answer> {
    const waitMs = await this.spend(accountRegNo, purpose);
    if (waitMs > 0) throw new AppError('rate-limited', 'the request budget is spent', { facts: { waitMs } });
    const answer = await request();
    if (answer.status !== 429) return answer;
    const retryMs = waitOf429(answer.headers, this.#clock.now());
    this.exhausted(accountRegNo, retryMs);
    throw new AppError('rate-limited', 'the service said 429', { facts: { waitMs: retryMs } });
  }

  /** What each account may still spend of its window, as a share of it. */
  shares(): number[] {
    const now = this.#clock.now();
    return [...this.#windows.values()].map(({ limit, remaining, resetAtMs }) => (now < resetAtMs ? Math.max(remaining, 0) / limit : 1));
  }

  /** So much of what was spent was not needed. */
  giveBack(accountRegNo: string, requests: number): void {
    const window = this.#windowOf(accountRegNo);
    window.remaining += requests;
    settle(window, requests);
  }

  /** An answer has come, or null, and none will. */
  learn(accountRegNo: string, answer: Pick<Answer, 'headers'> | null): void {
    const window = this.#windowOf(accountRegNo);
    const limits = answer && limitsOf(answer.headers);
    if (limits) adopt(limits, window, this.#clock.now());
    window.tellsLimits ||= limits !== null;
    settle(window, 1);
  }

  /** The service said 429: nothing more for so long. */
  exhausted(accountRegNo: string, waitMs: number): void {
    const window = this.#windowOf(accountRegNo);
    // What is given back of those that are under way must not be spent before that.
    window.remaining = -window.inFlight;
    window.sinceMs = this.#clock.now();
    window.resetAtMs = window.sinceMs + Math.min(waitMs, WINDOW_MS_MAX);
    window.closedUntilMs = window.resetAtMs;
  }

  #windowOf(accountRegNo: string): Window {
    const now = this.#clock.now();
    const window = this.#windows.get(accountRegNo) ?? {
      limit: ASSUMED_REQUESTS,
      remaining: 0,
      sinceMs: 0,
      resetAtMs: 0,
      inFlight: 0,
      owed: 0,
      owedUntilMs: 0,
      closedUntilMs: 0,
      tellsLimits: false,
      asking: [],
    };
    this.#windows.set(accountRegNo, window);
    // A clock that has been put back has not begun this window.
    if (now >= window.sinceMs && now < window.resetAtMs) return window;
    window.remaining = window.limit - window.inFlight;
    window.sinceMs = now;
    window.resetAtMs = now + ASSUMED_WINDOW_MS;
    return window;
  }

  async #answered(window: Window): Promise<void> {
    const answer = Promise.withResolvers<void>();
    window.asking.push(answer.resolve);
    const enough = this.#clock.after(PATIENCE_MS, () => {
      window.inFlight = 0;
      // One that has gone on must not be resolved once more: the next one would wait for ever.
      const place = window.asking.indexOf(answer.resolve);
      if (place >= 0) window.asking.splice(place, 1);
      answer.resolve();
    });
    await answer.promise;
    enough[Symbol.dispose]();
  }
}

/** Answers have come, or are not awaited any more. */
function settle(window: Window, requests: number): void {
  window.inFlight = Math.max(window.inFlight - requests, 0);
  if (window.tellsLimits) for (const go of window.asking.splice(0)) go();
  else window.asking.shift()?.();
}

/** Takes over what the service tells of its window. */
function adopt({ limit, remaining, resetSeconds }: Limits, window: Window, nowMs: number): void {
  const resetAtMs = nowMs + Math.min(msUntil(resetSeconds, nowMs), WINDOW_MS_MAX);
  const others = Math.max(window.inFlight - 1, 0);
  const same = Math.abs(resetAtMs - window.resetAtMs) < SAME_WINDOW_MS && limit === window.limit;
  const isClosed = nowMs >= window.sinceMs && nowMs < window.closedUntilMs;
  if (!isClosed) {
    window.remaining = same ? Math.min(window.remaining, remaining) : remaining - others;
    window.sinceMs = nowMs;
    window.resetAtMs = resetAtMs;
  }
  window.limit = limit;
}

/** How long a service that said 429 wants to be left alone: as its header says, else as `seconds` in its body do. */
export function waitOf429(headers: Headers, nowMs: number, seconds?: unknown): number {
  const inBody = typeof seconds === 'number' ? String(Math.ceil(seconds)) : '';
  const waitMs = retryAfterMs(headers.get(HEADER.retryAfter) ?? inBody, nowMs, headers.get('date'));
  return Math.max(waitMs ?? WAIT_MS, WAIT_MS_MIN);
}

/** Some services name the moment instead of the seconds to it; none has a window of thirty years. */
function msUntil(resetSeconds: number, nowMs: number): number {
  return resetSeconds < EPOCH_SECONDS_MIN ? resetSeconds * 1_000 : Math.max(resetSeconds * 1_000 - nowMs, 0);
}

function reserveFor(purpose: Purpose, { limit, owed, owedUntilMs }: Window, nowMs: number): number {
  if (purpose === 'submit') return 0;
  return Math.max(Math.floor(limit * RESERVE[purpose]), nowMs < owedUntilMs ? owed : 0);
}

/** What the answer tells of the budget; null when it tells nothing. */
function limitsOf(headers: Headers): Limits | null {
  const [limit, remaining, resetSeconds] = [HEADER.rateLimit, HEADER.rateRemaining, HEADER.rateReset].map((name) =>
    Number(headers.get(name) ?? Number.NaN),
  );
  if (limit === undefined || remaining === undefined || resetSeconds === undefined) return null;
  return Number.isInteger(limit) && Number.isInteger(remaining) && Number.isFinite(resetSeconds)
    ? { limit, remaining, resetSeconds }
    : null;
}
