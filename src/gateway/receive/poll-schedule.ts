// When a feed is looked at again, and when it is compared with what was published: each has turns of its own, so that thousands of accounts
// do not come at once.

import { FAMILY_NAMES } from '#domain/family.ts';
import type { SweepState } from '#gateway/ledger/sweeps.ts';
import { shareOf } from '#gateway/model/share.ts';
import type { Rung } from '#gateway/service/rung.ts';
import type { Clock } from '#runtime/clock.ts';
import { QUARANTINE_RETRY_MS } from './quarantine.ts';
import type { Reconcile, Swept } from './sweep.ts';

/** A feed that had something new counts as active for so long. */
const ACTIVE_FOR_MS = 60 * 60_000;
/** Between two polls of an account whose webhooks prove healthy. */
const HEALTHY_MS = 15 * 60_000;
const HINT_COUNTS_FOR_MS = 24 * 60 * 60_000;
/** A document and its hint do not come at the same moment. */
const TOGETHER_MS = 5 * 60_000;
const DEEP_EVERY_MS = 24 * 60 * 60_000;
/** Turns of feeds that rest come together: sweeps that share requests' messages, a commit and a wake-up take half as long. */
const BEAT_MS = 10_000;

export interface PollScheduleSettings {
  /** The service rings us for every new document, so that only the reconcile is left to timers. */
  readonly hinted: boolean;
  /** Between two sweeps of a feed that is not hinted: one that had something new within the last hour, and a silent one. */
  readonly pollMs: number;
  readonly pollSilentMs: number;
  readonly reconcileMs: number;
  /** Where the service is another process that may ring us; null where it is not. */
  readonly rung: Pick<Rung, 'isSure' | 'restMs'> | null;
}

export class PollSchedule {
  readonly #settings: PollScheduleSettings;
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  /** By account, since when it is polled. */
  readonly #begunMs = new Map<string, number>();
  /** When feeds had something new, within the last hour. */
  readonly #active = new Map<string, number>();
  /** By account, when the last hint came; none where a document has come without one since. */
  readonly #hintedMs = new Map<string, number>();

  constructor(settings: PollScheduleSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
    this.#startedAtMs = clock.now();
  }

  /** A hint came: while the webhooks of an account prove healthy, it is polled less often. */
  hinted(accountRegNo: string): void {
    this.#hintedMs.set(accountRegNo, this.#clock.now());
  }

  /** The account is polled from now on: what was changed lately is compared first. */
  begin(accountRegNo: string): void {
    this.#begunMs.set(accountRegNo, this.#clock.now());
  }

  /** It is polled no more. */
  leave(accountRegNo: string): void {
    this.#begunMs.delete(accountRegNo);
  }

  /** What a sweep of this feed has to compare. */
  due(feed: string, accountRegNo: string, { recentAt, deepAt }: SweepState): Reconcile {
    const { reconcileMs } = this.#settings;
    const now = this.#clock.now();
    const missed = (atMs: number, everyMs: number): boolean => atMs > now || atMs < lastTurn(feed, everyMs, now);
    if (missed(deepAt, DEEP_EVERY_MS)) return 'deep';
    return recentAt < (this.#begunMs.get(accountRegNo) ?? this.#startedAtMs) || missed(recentAt, reconcileMs) ? 'recent' : null;
  }

  /** How long until the next sweep. */
  pauseAfter(feed: string, accountRegNo: string, { hasNews, wentOn, hasQuarantined, marks }: Swept): number {
    const now = this.#clock.now();
    if (hasNews) {
      this.#active.set(feed, now);
      if (this.#sinceHint(accountRegNo) > TOGETHER_MS) this.#hintedMs.delete(accountRegNo);
    } else if (now - (this.#active.get(feed) ?? 0) > ACTIVE_FOR_MS) this.#active.delete(feed);
    // Announcements that came meanwhile were left to this sweep.
    if (wentOn) return 0;
    const usual = this.#usualPause(feed, accountRegNo, now);
    return hasQuarantined || marks.hasFailed ? Math.min(usual, QUARANTINE_RETRY_MS) : usual;
  }

  #usualPause(feed: string, accountRegNo: string, now: number): number {
    const { hinted, reconcileMs, pollMs, pollSilentMs, rung } = this.#settings;
    const restsMs = hinted ? reconcileMs : rung?.isSure ? rung.restMs(this.#begunMs.size * FAMILY_NAMES.length, this.#settings) : 0;
    if (restsMs > 0) return nextBeat(lastTurn(feed, restsMs, now) + restsMs) - now;
    if (this.#sinceHint(accountRegNo) <= HINT_COUNTS_FOR_MS) return HEALTHY_MS;
    return this.#active.has(feed) ? pollMs : pollSilentMs;
  }

  #sinceHint(accountRegNo: string): number {
    return this.#clock.now() - (this.#hintedMs.get(accountRegNo) ?? Number.NEGATIVE_INFINITY);
  }
}

/** When it was last the feed's turn, of turns that come every `everyMs`: spread over that time by what the feed is called. */
export function lastTurn(feed: string, everyMs: number, nowMs: number): number {
  const phase = Math.floor(shareOf(feed) * everyMs);
  return Math.floor((nowMs - phase) / everyMs) * everyMs + phase;
}

function nextBeat(atMs: number): number {
  return Math.ceil(atMs / BEAT_MS) * BEAT_MS;
}
