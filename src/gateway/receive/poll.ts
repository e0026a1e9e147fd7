// Polling: when each feed is swept. A ring is a hint, never believed beyond 'look now'; timers make hints unnecessary.
import type { Arrival } from '#domain/document.ts';
import { AppError, toAppError } from '#domain/error.ts';
import { FAMILY_NAMES, type FamilyName, isFamilyName } from '#domain/family.ts';
import type { Queue } from '#engines/queue.ts';
import { noteMoved } from '#gateway/ledger/documents.ts';
import { readNeglected } from '#gateway/ledger/sweeps.ts';
import type { Account, Accounts } from '#gateway/model/account.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { isLimited } from '#gateway/service/list-work.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import { startFetchingNamed } from './announced.ts';
import { Backoff } from './backoff.ts';
import { watchHints } from './hint-health.ts';
import { openPace, type PaceSettings } from './poll-schedule.ts';
import { STUCK_RETRY_MS } from './quarantine.ts';
import type { MarkParts, Marks } from './read-marks.ts';
import type { RedeliverParts } from './redeliver.ts';
import { markFeed, sweepFeed, waitOf } from './sweep.ts';
import type { SweepParts } from './sweep-list.ts';

const SWEEPS_AT_ONCE = 8;
/** A sweep that takes longer may hang: it goes on beside the others, as long as there are not too many of them. */
const HANGS_AFTER_MS = 1_000;
const LEFT_MAX = 64;
/** Of accounts that have hung and were not answered since. */
const HANGING_AT_ONCE = 4;
/** How long after they came documents are marked, and of how many feeds at once: a burst goes before, and a few share what marking costs. */
const MARKS_AFTER_MS = 5_000;
const MARKED_FEEDS_AT_ONCE = 1;
/** Of one feed. Marks have time; an embedded core puts those that come together into one commit. */
const MARKS_AT_ONCE = { hinted: 32, timed: 4 } as const;
/** First sweeps after a start are spread, so that many accounts do not come at once: so many feeds in a second, a few together, which share messages and commits. */
const SPREAD_PER_SECOND = { hinted: 400, timed: 100 } as const;
/** A feed that fails for so long is somebody's business. */
const FAILURES_ALARMING = 10;
/** Webhooks come in groups, and a moment before what they tell of can be read. */
const HINT_DEBOUNCE_MS = 1_500;
/** A page of a sweep that hears of each document at once, and of one that looks after some time. */
const PAGE_FIRST = { hinted: 10, timed: 25 } as const;
/** How often feeds are looked for that no timer has reached. */
const REVIEW_EVERY_MS = 60 * 60_000;

export interface PollParts extends RedeliverParts, PaceSettings {
  readonly accounts: Pick<Accounts, 'find' | 'all'>;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
}

/** Dispose after the queue was closed; resolves when the sweeps under way have ended. */
export interface Poller extends AsyncDisposable {
  /** Begins to poll accounts that are served since the last call, or have another key. */
  watch(): void;
  /** The service has a new document of the feed, or this one: a look at once. */
  ring(accountRegNo: string, family: FamilyName, arrival?: Arrival): void;
  /** The service has posted that something is new: a look in a moment. */
  hint(accountRegNo: string, family: FamilyName): void;
}

/** Answers the bell for feeds, and rings it by the clock. */
export function startPolling(parts: PollParts): Poller {
  const { accounts, queue, clock, log, ledger } = parts;
  /** The key that each was polled with: one with another key is asked for anew, however long it waits after refusals. */
  const watched = new Map<string, string>();
  const hanging = new Set<string>();
  /** Sweeps under way. */
  const left = new Set<Promise<void>>();
  const kind = parts.hinted ? 'hinted' : 'timed';
  const pageFirst = PAGE_FIRST[kind];
  const togetherMs = (SWEEPS_AT_ONCE * 1_000) / SPREAD_PER_SECOND[kind];
  const backoff = new Backoff();
  const gotFurther = (feed: Feed): void => backoff.ease(feedId(feed));
  const sweepParts: SweepParts & RedeliverParts & MarkParts = {
    ...parts,
    pageFirst,
    marksAtOnce: MARKS_AT_ONCE[kind],
    unfinished: new Map(),
    notings: new Map(),
    gotFurther,
  };
  const health = watchHints(clock);
  const pace = openPace(parts, clock, health);
  /** What is known of a feed when a sweep is complete must all have been met by it: names, marks and sweeps of one feed take turns. */
  const inOrder = new KeyedMutex();

  /** A sweep that comes to no end leaves its place to the others, and its account goes to a lane of its own until it is answered again. */
  async function handle(id: string): Promise<void> {
    const accountRegNo = feedOf(id)?.accountRegNo ?? '';
    if (hanging.has(accountRegNo)) return queue.ring('incoming-slow', id);
    const swept = sweep(id);
    const late = Promise.withResolvers<void>();
    using _late = clock.after(HANGS_AFTER_MS, () => {
      hanging.add(accountRegNo);
      if (left.size < LEFT_MAX) late.resolve();
    });
    left.add(swept);
    void swept.finally(() => left.delete(swept));
    await Promise.race([swept, late.promise]);
  }

  /** Never throws. */
  async function sweep(id: string): Promise<void> {
    const feed = feedOf(id);
    const account = feed && accounts.find(feed.accountRegNo);
    if (!account) return forget(id);
    try {
      const swept = await inOrder.run(id, () => sweepFeed(sweepParts, feed, rulesOf(account), (state) => pace.due(id, state)));
      backoff.clear(id);
      hanging.delete(feed.accountRegNo);
      if (swept.hasNews) health.found(feed.accountRegNo);
      queue.ring('incoming', id, clock.now() + pace.pauseAfter(id, feed.accountRegNo, swept));
      markMore(id, swept.marks);
    } catch (error) {
      queue.ring('incoming', id, clock.now() + postpone(id, feed, error));
    }
  }

  /** For how long. */
  function postpone(id: string, { accountRegNo, family }: Feed, error: unknown): number {
    const toldMs = waitOf(toAppError(error));
    const { waitMs, times } = toldMs === null ? backoff.add(id) : { waitMs: toldMs, times: 0 };
    // That nobody may act for the account has been told, once (token-cache.ts).
    const level = error instanceof AppError && error.code === 'forbidden' ? 'debug' : 'warn';
    log[level]({ event: 'poll.postponed', accountRegNo, family, waitMs, err: error });
    if (times > 0 && times % FAILURES_ALARMING === 0) log.error({ event: 'poll.failing', accountRegNo, family, times, err: error });
    return waitMs;
  }

  function forget(id: string): void {
    sweepParts.unfinished.delete(id);
    sweepParts.notings.delete(id);
    backoff.clear(id);
  }

  function ringSpread(feeds: readonly Feed[]): void {
    for (const [index, feed] of feeds.entries()) {
      queue.ring('incoming', feedId(feed), clock.now() + Math.floor(index / SWEEPS_AT_ONCE) * togetherMs);
    }
  }

  /** The queue may have dropped a ring, and every ring plans the next: nothing else would find such a feed again. */
  async function review(): Promise<void> {
    const neglected = await readNeglected(ledger.read, clock.now() - 2 * parts.reconcileMs);
    ringSpread(neglected.flatMap(({ accountRegNo, family }) => (isFamilyName(family) ? [{ accountRegNo, family }] : [])));
  }

  function servedFeed(id: string): Feed | null {
    const feed = feedOf(id);
    return feed && accounts.find(feed.accountRegNo) ? feed : null;
  }

  async function markLater(id: string): Promise<void> {
    const feed = feedOf(id);
    const account = feed && accounts.find(feed.accountRegNo);
    // What a mark moves, or takes, a sweep that goes on would count as met by it; that marks at its end.
    if (!account || isSwept(id)) return;
    const marks = await inOrder.run(id, () => markFeed(sweepParts, feed, rulesOf(account)));
    markMore(id, marks);
    if (marks.hasFailed) queue.ring('incoming', id, clock.now() + STUCK_RETRY_MS);
  }

  function markMore(id: string, { moreInMs }: Marks): void {
    if (moreInMs !== null) queue.ring('marks', id, clock.now() + moreInMs);
  }

  /** `ACCOUNT FAMILY DOCUMENT`: for whoever else reads the account's documents; nothing here goes by marks. */
  async function unmark(id: string): Promise<void> {
    const integrationId = id.split(' ').slice(2).join(' ');
    const feed = servedFeed(id);
    if (!feed) return;
    try {
      await inOrder.run(feedId(feed), async () => {
        await ledger.write((rows) => noteMoved(rows, feed.accountRegNo, [integrationId]));
        await parts.feeds.unmark(feed, integrationId);
      });
      log.info({ event: 'poll.unread', ...feed, integrationId });
    } catch (error) {
      const waitMs = isLimited(error) ? waitOf(error) : null;
      if (waitMs !== null) queue.ring('unread', id, clock.now() + waitMs);
      else log.error({ event: 'poll.not-unread', ...feed, integrationId, err: error });
    }
  }

  queue.answer('incoming', SWEEPS_AT_ONCE, handle);
  queue.answer('incoming-slow', HANGING_AT_ONCE, sweep);
  queue.answer('marks', MARKED_FEEDS_AT_ONCE, markLater);
  queue.answer('unread', 1, unmark);
  const published = (feed: Feed): void => queue.ring('marks', feedId(feed), clock.now() + MARKS_AFTER_MS);
  const isSwept = (id: string): boolean => sweepParts.unfinished.has(id);
  const fetchNamed = startFetchingNamed({ ...parts, servedFeed, published, inOrder, isSwept });
  const timer = every(clock, REVIEW_EVERY_MS, review, (error) => log.error({ event: 'poll.review-failed', err: error }));
  return {
    watch() {
      for (const accountRegNo of watched.keys()) if (!accounts.find(accountRegNo)) watched.delete(accountRegNo);
      for (const accountRegNo of hanging) if (!watched.has(accountRegNo)) hanging.delete(accountRegNo);
      const fresh = accounts.all().filter(({ accountRegNo, access }) => watched.get(accountRegNo) !== access.key);
      for (const { accountRegNo, access } of fresh) watched.set(accountRegNo, access.key);
      // Most of what there is are invoices.
      const feeds = FAMILY_NAMES.flatMap((family) => fresh.map(({ accountRegNo }) => ({ accountRegNo, family })));
      // A service that starts when we do, and is there a moment later, keeps nothing waiting for long.
      feeds.forEach(gotFurther);
      ringSpread(feeds);
    },
    ring(accountRegNo, family, arrival) {
      const feed = { accountRegNo, family };
      if (arrival) fetchNamed(feed, arrival);
      else queue.ring('incoming', feedId(feed));
    },
    hint(accountRegNo, family) {
      health.hinted(accountRegNo);
      queue.ring('incoming', feedId({ accountRegNo, family }), clock.now() + HINT_DEBOUNCE_MS);
    },
    async [Symbol.asyncDispose]() {
      timer[Symbol.dispose]();
      await Promise.all(left);
    },
  };
}

function rulesOf({ receiving }: Account): { from: string; marks: boolean } {
  return { from: receiving.from ?? 'unread', marks: receiving.marks ?? true };
}

function feedOf(id: string): Feed | null {
  const [accountRegNo = '', family = ''] = id.split(' ');
  return isFamilyName(family) ? { accountRegNo, family } : null;
}
