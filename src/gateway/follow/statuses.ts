// Statuses: what the network does with documents that the service has becomes a receipt in the home of their dropper. A ring is a
// hint; timers make hints unnecessary, as long as anything is on its way.
import { AppError } from '#domain/error.ts';
import { type FamilyName, isFamilyName } from '#domain/family.ts';
import type { Queue } from '#engines/queue.ts';
import { type Delivery, readOpenFeeds, reopenDelivery } from '#gateway/ledger/deliveries.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Accounts } from '#gateway/model/account.ts';
import { type Feed, feedId, feedOf } from '#gateway/model/feed.ts';
import type { Homes } from '#gateway/model/homes.ts';
import { nextTurn } from '#gateway/model/share.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import type { Budget } from '#gateway/service/budget.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { type Checked, type CheckParts, check } from './status-check.ts';
import { StatusClient } from './status-client.ts';
import { beginRound, goRound, type Round, type RoundParts } from './status-round.ts';

const AT_ONCE_MAX = 4;
/** Documents that end within one turn of their feed are asked about together. */
const TURN_MS = 1_000;
const AFTER_FAILURE_MS = 60_000;
/** How soon an account is checked again that is not served now. */
const NOT_SERVED_MS = 10 * 60_000;
/** How soon the first search of a feed is followed by another one where the service rings. */
const SEARCH_AGAIN_MS = 5_000;
/** What was accepted within the last hour is asked about as often as an active feed is polled. */
const YOUNG_MS = 60 * 60_000;

export interface StatusParts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly client: Pick<CoreClient, 'statuses'>;
  readonly budget: Budget;
  readonly finisher: Pick<Finisher, 'announce'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly accounts: Pick<Accounts, 'find'>;
  /** The service rings for every status that changes, so that timers are left for what a ring may miss. */
  readonly hinted: boolean;
  readonly pollMs: number;
  readonly pollSilentMs: number;
  readonly reconcileMs: number;
}

/** Has a feed checked soon. */
type StatusRing = (accountRegNo: string, family: FamilyName) => void;

export interface Following {
  readonly ring: StatusRing;
  /** These homes are about to be taken up: `ring`, once they are, has all that is on its way looked at soon, anew. */
  takeUp(homes: Homes): Promise<{ readonly ring: () => void }>;
}

/** Answers the bell for statuses. */
export function startFollowing(parts: StatusParts): Following {
  const { ledger, queue, clock, log } = parts;
  const asking: CheckParts & RoundParts = {
    ...parts,
    statuses: new StatusClient(parts.client, parts.budget),
    checks: new Map(),
    rounds: new Map(),
  };
  /** When everything of a feed was last asked about. */
  const rounded = new Map<string, number>();
  const searches = new Map<string, Search>();

  const ring: StatusRing = (accountRegNo, family) => {
    const id = feedId({ accountRegNo, family });
    queue.ring('status', id, nextTurn(id, TURN_MS, clock.now()));
  };

  /** Goes a round, or the rest of one. */
  async function search(feed: Feed, round: Round | undefined): Promise<void> {
    if (!round) return;
    await goRound(asking, feed, round);
    const id = feedId(feed);
    const { begunMs, unmet, published } = round;
    const waitMs = waitAfterSearch(parts, published === 0 ? searches.get(id) : undefined);
    searches.set(id, { begunMs, waitMs, nextMs: clock.now() + waitMs });
    if (!unmet) rounded.set(id, begunMs);
  }

  async function handle(id: string): Promise<void> {
    const feed = feedOf(id);
    if (!feed) return;
    if (!parts.accounts.find(feed.accountRegNo)) return queue.ring('status', id, clock.now() + NOT_SERVED_MS);
    try {
      await search(feed, asking.rounds.get(id));
      const checked = await check(asking, feed);
      const { left, isMore, isWhole, tooDeep } = checked;
      const now = clock.now();
      const isFull = !isWhole && now - (rounded.get(id) ?? Number.NEGATIVE_INFINITY) >= parts.reconcileMs;
      if (isFull || isDue(searches.get(id), tooDeep, now)) await search(feed, await beginRound(asking, feed, isFull ? null : tooDeep));
      const nextSearchMs = tooDeep.length > 0 ? searches.get(id)?.nextMs : undefined;
      if (isMore) ring(feed.accountRegNo, feed.family);
      else if (left.length > 0) {
        queue.ring('status', id, Math.min(clock.now() + pauseAfter(parts, checked), nextSearchMs ?? Number.POSITIVE_INFINITY));
      }
    } catch (error) {
      const waitMs = error instanceof AppError && typeof error.facts.waitMs === 'number' ? error.facts.waitMs : AFTER_FAILURE_MS;
      log.warn({ event: 'status.postponed', accountRegNo: feed.accountRegNo, family: feed.family, waitMs, err: error });
      queue.ring('status', id, clock.now() + waitMs);
    }
  }

  queue.answer('status', AT_ONCE_MAX, handle);
  return {
    ring,
    async takeUp(homes) {
      const open = await readOpenFeeds(ledger.read, homes);
      return {
        ring() {
          for (const { accountRegNo, family } of open) {
            if (!isFamilyName(family)) continue;
            for (const known of [asking.checks, asking.rounds, rounded, searches]) known.delete(feedId({ accountRegNo, family }));
            ring(accountRegNo, family);
          }
        },
      };
    },
  };
}

/** A document that had failed is on its way again: its dropper hears what becomes of it. */
export async function followAgain(
  { ledger }: Pick<StatusParts, 'ledger'>,
  { accountRegNo, integrationId }: { readonly accountRegNo: string; readonly integrationId: string },
): Promise<void> {
  await ledger.write([], (rows) => reopenDelivery(rows, accountRegNo, integrationId));
}

function pauseAfter({ clock, hinted, pollMs, pollSilentMs, reconcileMs }: StatusParts, { left, wasInterrupted }: Checked): number {
  // It may have been rung for what such a check had passed already.
  if (hinted) return wasInterrupted ? pollMs : reconcileMs;
  const [newest] = left;
  return newest && clock.now() - newest.acceptedAt < YOUNG_MS ? pollMs : pollSilentMs;
}

/** For what lies deeper than checks go. */
interface Search {
  readonly begunMs: number;
  /** The next one comes so much after its end, unless there is something new to be searched for. */
  readonly waitMs: number;
  readonly nextMs: number;
}

/** Of a burst the checks meet the latest only. */
function isDue(last: Search | undefined, tooDeep: readonly Delivery[], now: number): boolean {
  if (!last || now < last.begunMs) return tooDeep.length > 0;
  return tooDeep.some(({ acceptedAt }) => now >= last.nextMs || acceptedAt >= last.begunMs);
}

/** A search in vain may be for what the service never tells of. */
function waitAfterSearch({ hinted, pollMs, reconcileMs }: StatusParts, vain: Search | undefined): number {
  return Math.min(vain ? 2 * vain.waitMs : hinted ? SEARCH_AGAIN_MS : pollMs, reconcileMs);
}
