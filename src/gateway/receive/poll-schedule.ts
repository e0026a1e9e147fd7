// When a feed is looked at again, and when it is compared with what was published: each has turns of its own, so that thousands of accounts
// do not come at once.

import { FAMILY_NAMES } from '#domain/family.ts';
import type { SweepState } from '#gateway/ledger/sweeps.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { lastTurn, nextTurn } from '#gateway/model/share.ts';
import type { BellCoverage } from '#gateway/service/bell-coverage.ts';
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
  readonly bellCoverage: Pick<BellCoverage, 'isSure' | 'restMs'> | null;
}

/** An account that is polled. */
interface Polled {
  /** Since when. */
  readonly sinceMs: number;
  /** When its feeds were last compared, in the order of the families: a feed of which nothing new was met says so nowhere else. */
  readonly comparedMs: number[];
}

export class PollSchedule {
  readonly #settings: PollScheduleSettings;
  readonly #clock: Clock;
  readonly #polled = new Map<string, Polled>();
  /** When feeds had something new, within the last hour. */
  readonly #active = new Map<string, number>();
  /** By account, when the last hint came; none where a document has come without one since. */
  readonly #hintedMs = new Map<string, number>();

  constructor(settings: PollScheduleSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** A hint came: while the webhooks of an account prove healthy, it is polled less often. */
  hinted(accountRegNo: string): void {
    this.#hintedMs.set(accountRegNo, this.#clock.now());
  }

  /** The account is polled from now on: what was changed lately is compared first. */
  begin(accountRegNo: string): void {
    this.#polled.set(accountRegNo, { sinceMs: this.#clock.now(), comparedMs: FAMILY_NAMES.map(() => 0) });
  }

  /** It is polled no more. */
  leave(accountRegNo: string): void {
    this.#polled.delete(accountRegNo);
  }

  /** What a sweep of this feed has to compare. */
  due(feed: Feed, { deepAt }: Pick<SweepState, 'deepAt'>): Reconcile {
    const now = this.#clock.now();
    const missed = (atMs: number, everyMs: number): boolean => atMs > now || atMs < lastTurn(feedId(feed), everyMs, now);
    if (missed(deepAt, DEEP_EVERY_MS)) return 'deep';
    return missed(this.#comparedMs(feed), this.#settings.reconcileMs) ? 'recent' : null;
  }

  /** Feeds that no timer has reached for long. */
  neglected(): Feed[] {
    const beforeMs = this.#clock.now() - 2 * this.#settings.reconcileMs;
    return [...this.#polled].flatMap(([accountRegNo, { sinceMs }]) =>
      FAMILY_NAMES.map((family) => ({ accountRegNo, family })).filter((feed) => Math.max(sinceMs, this.#comparedMs(feed)) < beforeMs),
    );
  }

  /** 0 before it was compared. */
  #comparedMs({ accountRegNo, family }: Feed): number {
    return this.#polled.get(accountRegNo)?.comparedMs[FAMILY_NAMES.indexOf(family)] ?? 0;
  }

  /** Notes what a sweep has found. How long until the next one. */
  pauseAfter(feed: Feed, { hasNews, wentOn, hasCompared, hasQuarantined, marks }: Swept): number {
    const { accountRegNo, family } = feed;
    const id = feedId(feed);
    const now = this.#clock.now();
    const polled = this.#polled.get(accountRegNo);
    if (polled && hasCompared) polled.comparedMs[FAMILY_NAMES.indexOf(family)] = now;
    if (hasNews) {
      this.#active.set(id, now);
      if (this.#sinceHint(accountRegNo) > TOGETHER_MS) this.#hintedMs.delete(accountRegNo);
    } else if (now - (this.#active.get(id) ?? 0) > ACTIVE_FOR_MS) this.#active.delete(id);
    // Announcements that came meanwhile were left to this sweep.
    if (wentOn) return 0;
    const usual = this.#usualPause(id, accountRegNo, now);
    return hasQuarantined || marks.hasFailed ? Math.min(usual, QUARANTINE_RETRY_MS) : usual;
  }

  #usualPause(id: string, accountRegNo: string, now: number): number {
    const { hinted, reconcileMs, pollMs, pollSilentMs, bellCoverage } = this.#settings;
    const restsMs = hinted
      ? reconcileMs
      : bellCoverage?.isSure
        ? bellCoverage.restMs(this.#polled.size * FAMILY_NAMES.length, this.#settings)
        : 0;
    if (restsMs > 0) return nextBeat(nextTurn(id, restsMs, now)) - now;
    if (this.#sinceHint(accountRegNo) <= HINT_COUNTS_FOR_MS) return HEALTHY_MS;
    return this.#active.has(id) ? pollMs : pollSilentMs;
  }

  #sinceHint(accountRegNo: string): number {
    return this.#clock.now() - (this.#hintedMs.get(accountRegNo) ?? Number.NEGATIVE_INFINITY);
  }
}

function nextBeat(atMs: number): number {
  return Math.ceil(atMs / BEAT_MS) * BEAT_MS;
}
