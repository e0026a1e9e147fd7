// Polling: when each feed is swept. A ring is a hint, never believed beyond 'look now'; timers make hints unnecessary.
import { AppError } from '#domain/error.ts';
import { FAMILY_NAMES, isFamilyName } from '#domain/family.ts';
import type { Queue } from '#engines/queue.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Accounts } from './accounts.ts';
import type { IngestParts } from './ingest.ts';
import { type Feed, feedId } from './ledger/documents.ts';
import { type SweepParts, sweepFeed } from './sweep.ts';

const SWEEPS_AT_ONCE = 8;
/** First sweeps after a start are spread, so that many accounts do not come at once. */
const STAGGER_MS = 5;
const AFTER_FAILURE_MS = 30_000;
/** A feed that had something new counts as active for so long. */
const ACTIVE_FOR_MS = 60 * 60_000;

export interface PollParts extends IngestParts {
  readonly accounts: Accounts;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly log: Log;
  /** The service rings us for every new document, so that only the reconcile is left to timers. */
  readonly hinted: boolean;
  /** Between two sweeps of a feed that is not hinted: one that had something new within the last hour, and a silent one. */
  readonly pollMs: number;
  readonly pollSilentMs: number;
  readonly reconcileMs: number;
}

export interface Poller {
  /** Begins to poll accounts that are served since the last call. */
  watch(): void;
}

/** Answers the bell for feeds, and rings it by the clock. */
export function startPolling(parts: PollParts): Poller {
  const { accounts, queue, clock, log } = parts;
  const watched = new Set<string>();
  const sweepParts: SweepParts = { ...parts, unfinished: new Map() };
  /** When each feed was last compared whole, and when it last had something new. */
  const reconciled = new Map<string, number>();
  const active = new Map<string, number>();

  function pauseOf(id: string): number {
    if (parts.hinted) return parts.reconcileMs;
    return clock.now() - (active.get(id) ?? 0) < ACTIVE_FOR_MS ? parts.pollMs : parts.pollSilentMs;
  }

  async function handle(id: string): Promise<void> {
    const feed = feedOf(id);
    if (!feed || !accounts.find(feed.accountRegNo)) return;
    const due = clock.now() - (reconciled.get(id) ?? 0) >= parts.reconcileMs;
    try {
      if (await sweepFeed(sweepParts, feed, due ? 'reconcile' : 'new')) active.set(id, clock.now());
      if (due) reconciled.set(id, clock.now());
      queue.ring('incoming', id, clock.now() + pauseOf(id));
    } catch (error) {
      const waitMs = error instanceof AppError && typeof error.facts.waitMs === 'number' ? error.facts.waitMs : AFTER_FAILURE_MS;
      log.warn({ event: 'poll.postponed', accountRegNo: feed.accountRegNo, family: feed.family, waitMs, err: error });
      queue.ring('incoming', id, clock.now() + waitMs);
    }
  }

  queue.answer('incoming', SWEEPS_AT_ONCE, handle);
  return {
    watch() {
      for (const accountRegNo of watched) if (!accounts.find(accountRegNo)) watched.delete(accountRegNo);
      const fresh = accounts.all().filter(({ accountRegNo }) => !watched.has(accountRegNo));
      for (const [index, { accountRegNo }] of fresh.entries()) {
        watched.add(accountRegNo);
        for (const family of FAMILY_NAMES) queue.ring('incoming', feedId({ accountRegNo, family }), clock.now() + index * STAGGER_MS);
      }
    },
  };
}

function feedOf(id: string): Feed | null {
  const [accountRegNo = '', family = ''] = id.split(' ');
  return isFamilyName(family) ? { accountRegNo, family } : null;
}
