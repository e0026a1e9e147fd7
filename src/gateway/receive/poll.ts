// Polling: when each feed is swept. A ring is a hint, never believed beyond 'look now'; timers make hints unnecessary.
import { AppError, toAppError } from '#domain/error.ts';
import { FAMILY_NAMES, type FamilyName } from '#domain/family.ts';
import type { Queue } from '#engines/queue.ts';
import { noteMoved } from '#gateway/ledger/documents.ts';
import type { SweepState } from '#gateway/ledger/sweeps.ts';
import type { Account, Accounts } from '#gateway/model/account.ts';
import { type Feed, feedId, feedOf } from '#gateway/model/feed.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { shareOf } from '#gateway/model/share.ts';
import type { BellCoverage } from '#gateway/service/bell-coverage.ts';
import { isLimited } from '#gateway/service/list-work.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import { startFetchingAnnounced } from './announced.ts';
import { Backoff } from './backoff.ts';
import { PollSchedule, type PollScheduleSettings } from './poll-schedule.ts';
import { QUARANTINE_RETRY_MS } from './quarantine.ts';
import type { MarkParts, Marks } from './read-marks.ts';
import type { RedeliverParts } from './redeliver.ts';
import { markFeed, type Reconcile, sweepFeed, waitOf } from './sweep.ts';
import type { SweepParts } from './sweep-list.ts';

const SWEEPS_AT_ONCE = 8;
/** A sweep that takes longer counts as hanging: it no longer takes a place from other sweeps, unless too many hang. */
const HANGS_AFTER_MS = 1_000;
const HANGING_MAX = 64;
/** Sweeps of accounts with a hanging sweep, at the same time. */
const HANGING_AT_ONCE = 4;
/** Feeds that are marked together. */
const MARKED_FEEDS_AT_ONCE = 1;
/** Marks of one feed at the same time. They are not urgent, and an embedded core writes those that arrive together in one commit. */
const MARKS_AT_ONCE = { hinted: 32, timed: 4 } as const;
/** First sweeps after a start are spread, so that many accounts do not come at once: so many feeds in a second, a few together, which share messages and commits. */
const SPREAD_PER_SECOND = { hinted: 400, timed: 100 } as const;
/** The administrator is alarmed after so many failures in a row. */
const FAILURES_ALARMING = 10;
/** Webhooks come in groups, and a moment before what they tell of can be read. */
const HINT_DEBOUNCE_MS = 1_500;
/** Documents in a page: small where each new document is announced, large where the feed is polled. */
const PAGE_FIRST = { hinted: 10, timed: 25 } as const;
/** Some hundred documents, which take a second or a few. */
const COMPARED_PAGES = 5;
/** How often feeds are looked for whose timer was lost. */
const REVIEW_EVERY_MS = 60 * 60_000;

interface PollParts extends RedeliverParts, PollScheduleSettings {
  readonly bellCoverage: BellCoverage | null;
  readonly accounts: Pick<Accounts, 'find' | 'all' | 'readersOf'>;
  readonly inHand: HomesInHand;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
}

type Kind = keyof typeof PAGE_FIRST;

/** Answers the bell for feeds, and rings it by the clock. Dispose after the queue was closed; resolves when the sweeps under way have ended. */
export class Poller implements AsyncDisposable {
  readonly #parts: PollParts & SweepParts & RedeliverParts & MarkParts;
  readonly #kind: Kind;
  readonly #schedule: PollSchedule;
  readonly #backoff = new Backoff();
  /** Announcements, marks and sweeps of one feed take turns, so that a complete sweep has met every document that is known of the feed. */
  readonly #inOrder = new KeyedMutex();
  /** By account: the key that it was polled with. A new key ends the wait after refusals. */
  readonly #watched = new Map<string, string>();
  /** Accounts with a hanging sweep that have had no answer since. */
  readonly #hanging = new Set<string>();
  readonly #sweeps = new Set<Promise<void>>();
  readonly #fetchAnnounced: (feed: Feed, integrationId: string) => void;
  readonly #reviews: Disposable;

  constructor(parts: PollParts) {
    const { clock, queue, log } = parts;
    this.#kind = parts.hinted ? 'hinted' : 'timed';
    this.#parts = {
      ...parts,
      pageFirst: PAGE_FIRST[this.#kind],
      marksAtOnce: MARKS_AT_ONCE[this.#kind],
      unfinished: new Map(),
      comparisons: new Map(),
      comparedPages: COMPARED_PAGES,
      notings: new Map(),
      gotFurther: (feed) => this.#backoff.ease(feedId(feed)),
    };
    this.#schedule = new PollSchedule(parts, clock);
    parts.bellCoverage?.onDoubt(() => this.#lookAtAll());
    queue.answer('incoming', SWEEPS_AT_ONCE, (id) => this.#answer(id));
    queue.answer('incoming-slow', HANGING_AT_ONCE, (id) => this.#sweep(id));
    queue.answer('marks', MARKED_FEEDS_AT_ONCE, (id) => this.#markLater(id));
    queue.answer('unread', 1, (id) => this.#markUnread(id));
    this.#fetchAnnounced = startFetchingAnnounced({
      ...parts,
      inOrder: this.#inOrder,
      unfinished: this.#parts.unfinished,
      // The feed went well so far: the sweep comes soon.
      failed: (feed, error) => this.#sweepAfter(feed, error, 1),
    });
    this.#reviews = every(
      clock,
      REVIEW_EVERY_MS,
      () => this.#review(),
      (error) => log.error({ event: 'poll.review-failed', err: error }),
    );
  }

  /** Begins to poll accounts that are served since the last call, or have another key. */
  watch(): void {
    const { accounts, inHand } = this.#parts;
    const served = new Map(accounts.all().flatMap((each) => (inHand.has(each.home) ? [[each.accountRegNo, each]] : [])));
    for (const accountRegNo of this.#watched.keys()) if (!served.has(accountRegNo)) this.#leave(accountRegNo);
    const fresh = [...served.values()].filter(({ accountRegNo, access }) => this.#watched.get(accountRegNo) !== access.key);
    for (const { accountRegNo, access } of fresh) {
      if (!this.#watched.has(accountRegNo)) this.#schedule.begin(accountRegNo);
      this.#watched.set(accountRegNo, access.key);
    }
    // Most of what there is are invoices.
    const feeds = FAMILY_NAMES.flatMap((family) => fresh.map(({ accountRegNo }) => ({ accountRegNo, family })));
    // A service that starts when we do, and is there a moment later, keeps nothing waiting for long.
    for (const feed of feeds) this.#backoff.ease(feedId(feed));
    this.#ringSpread(feeds);
  }

  /** The service has a new document of the feed, or this one: a look at once. */
  readonly ring = (accountRegNo: string, family: FamilyName, integrationId?: string): void => {
    const feed = { accountRegNo, family };
    if (integrationId !== undefined) this.#fetchAnnounced(feed, integrationId);
    else this.#parts.queue.ring('incoming', feedId(feed));
  };

  /** The service has posted that something is new: a look in a moment. */
  hint(accountRegNo: string, family: FamilyName): void {
    const { queue, clock } = this.#parts;
    this.#schedule.hinted(accountRegNo);
    queue.ring('incoming', feedId({ accountRegNo, family }), clock.now() + HINT_DEBOUNCE_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#reviews[Symbol.dispose]();
    await Promise.all(this.#sweeps);
  }

  /** A hanging sweep gives its place to the others, and its account gets separate places until the service answers it again. */
  async #answer(id: string): Promise<void> {
    const { queue, clock } = this.#parts;
    const accountRegNo = feedOf(id)?.accountRegNo ?? '';
    if (this.#hanging.has(accountRegNo)) return queue.ring('incoming-slow', id);
    const swept = this.#sweep(id);
    const late = Promise.withResolvers<void>();
    using _late = clock.after(HANGS_AFTER_MS, () => {
      this.#hanging.add(accountRegNo);
      if (this.#sweeps.size < HANGING_MAX) late.resolve();
    });
    this.#sweeps.add(swept);
    void swept.finally(() => this.#sweeps.delete(swept));
    await Promise.race([swept, late.promise]);
  }

  /** Never throws. */
  async #sweep(id: string): Promise<void> {
    const { accounts, inHand, queue, clock } = this.#parts;
    const feed = feedOf(id);
    const account = feed && accounts.find(feed.accountRegNo);
    if (!account) return this.#forget(id);
    // The sweep may go on after its ring has ended.
    using _held = inHand.hold(account.home);
    try {
      const due = (state: SweepState): Reconcile => this.#schedule.due(feed, state);
      const swept = await this.#inOrder.run(id, () => sweepFeed(this.#parts, feed, rulesOf(account), due));
      this.#backoff.clear(id);
      this.#hanging.delete(feed.accountRegNo);
      queue.ring('incoming', id, clock.now() + this.#schedule.pauseAfter(feed, swept));
      this.#markMore(id, swept.marks);
    } catch (error) {
      this.#sweepAfter(feed, error);
    }
  }

  #sweepAfter(feed: Feed, error: unknown, firstStep?: number): void {
    const { queue, clock, log } = this.#parts;
    const { accountRegNo, family } = feed;
    const id = feedId(feed);
    const askedMs = waitOf(toAppError(error));
    const { waitMs, times } = askedMs === null ? this.#backoff.add(id, firstStep) : { waitMs: askedMs, times: 0 };
    // That the partner may not act for the account is logged once, in token-cache.ts.
    const level = error instanceof AppError && error.code === 'forbidden' ? 'debug' : 'warn';
    log[level]({ event: 'poll.postponed', accountRegNo, family, waitMs, err: error });
    if (times > 0 && times % FAILURES_ALARMING === 0) log.error({ event: 'poll.failing', accountRegNo, family, times, err: error });
    queue.ring('incoming', id, clock.now() + waitMs);
  }

  /** Forgets its feeds: another process may sweep them before the account is served here again. */
  #leave(accountRegNo: string): void {
    this.#watched.delete(accountRegNo);
    this.#hanging.delete(accountRegNo);
    this.#schedule.leave(accountRegNo);
    for (const family of FAMILY_NAMES) this.#forget(feedId({ accountRegNo, family }));
  }

  #forget(id: string): void {
    this.#parts.unfinished.delete(id);
    this.#parts.comparisons.delete(id);
    this.#parts.notings.delete(id);
    this.#backoff.clear(id);
  }

  /** Rings may have been lost: polls each feed as soon as it would be polled without rings. */
  #lookAtAll(): void {
    const { queue, clock, pollSilentMs } = this.#parts;
    const now = clock.now();
    for (const accountRegNo of this.#watched.keys())
      for (const family of FAMILY_NAMES) {
        const id = feedId({ accountRegNo, family });
        queue.ring('incoming', id, now + shareOf(id) * pollSilentMs);
      }
  }

  #ringSpread(feeds: readonly Feed[]): void {
    const { queue, clock } = this.#parts;
    const togetherMs = (SWEEPS_AT_ONCE * 1_000) / SPREAD_PER_SECOND[this.#kind];
    for (const [index, feed] of feeds.entries()) {
      queue.ring('incoming', feedId(feed), clock.now() + Math.floor(index / SWEEPS_AT_ONCE) * togetherMs);
    }
  }

  /** Each ring plans the next one. Where the queue has dropped a ring, only this review finds the feed again. */
  #review(): void {
    this.#ringSpread(this.#schedule.neglected());
  }

  async #markLater(id: string): Promise<void> {
    const { accounts, unfinished, comparisons, queue, clock } = this.#parts;
    const feed = feedOf(id);
    const account = feed && accounts.find(feed.accountRegNo);
    // Not while a reading is unfinished: a mark moves documents in the list that the next sweep goes on reading. That sweep marks at its end.
    if (!account || unfinished.has(id) || comparisons.has(id)) return;
    const marks = await this.#inOrder.run(id, () => markFeed(this.#parts, feed, rulesOf(account)));
    this.#markMore(id, marks);
    if (marks.hasFailed) queue.ring('incoming', id, clock.now() + QUARANTINE_RETRY_MS);
  }

  #markMore(id: string, { moreInMs }: Marks): void {
    const { queue, clock } = this.#parts;
    if (moreInMs !== null) queue.ring('marks', id, clock.now() + moreInMs);
  }

  /** `ACCOUNT FAMILY DOCUMENT`: marks are for other clients of the service; the gateway does not use them. */
  async #markUnread(id: string): Promise<void> {
    const { accounts, ledger, feeds, queue, clock, log } = this.#parts;
    const integrationId = id.split(' ').slice(2).join(' ');
    const feed = feedOf(id);
    if (!feed || !accounts.find(feed.accountRegNo)) return;
    try {
      await this.#inOrder.run(feedId(feed), async () => {
        await ledger.write([`account ${feed.accountRegNo}`], (rows) => noteMoved(rows, feed.accountRegNo, [integrationId]));
        await feeds.unmark(feed, integrationId);
      });
      log.info({ event: 'poll.unread', ...feed, integrationId });
    } catch (error) {
      const waitMs = isLimited(error) ? waitOf(error) : null;
      if (waitMs !== null) queue.ring('unread', id, clock.now() + waitMs);
      else log.error({ event: 'poll.not-unread', ...feed, integrationId, err: error });
    }
  }
}

function rulesOf({ receiving }: Account): { from: string; marks: boolean } {
  return { from: receiving.from ?? 'unread', marks: receiving.marks ?? true };
}
