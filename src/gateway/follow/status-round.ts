// A round: one pass over all statuses of a feed since its oldest document on the way, for what lies deeper than checks go.
import { dayOf } from '#domain/day.ts';
import { type Delivery, readOldestOpen, readOpenAmong } from '#gateway/ledger/deliveries.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { isLimited } from '#gateway/service/list-work.ts';
import type { Clock } from '#runtime/clock.ts';
import { DAY_MS } from './status-check.ts';
import type { StatusClient } from './status-client.ts';
import { type NewsParts, newsOf, publishAll } from './status-news.ts';

/** So many pages that bring nothing new end a round: one may, when the list has moved on. */
const STALE_MAX = 2;

export interface RoundParts extends NewsParts {
  readonly clock: Clock;
  readonly statuses: StatusClient;
  /** Rounds that the budget has interrupted, by feed. */
  readonly rounds: Map<string, Round>;
}

/** How far a round has come. */
export interface Round {
  readonly begunMs: number;
  readonly from: string;
  /** It ends when all of these have been met; null: it goes through all there is. */
  readonly unmet: Set<string> | null;
  offset: number;
  top: string | undefined;
  /** The page that was read last. */
  last: readonly string[];
  /** Pages that brought nothing new, one after the other. */
  stale: number;
  published: number;
}

/** For all that is on its way, or for what is `wanted` of it; undefined when nothing is. */
export async function beginRound(
  { ledger, clock }: RoundParts,
  feed: Feed,
  wanted: readonly Delivery[] | null,
): Promise<Round | undefined> {
  const oldestMs = await readOldestOpen(ledger.read, feed);
  if (oldestMs === undefined) return undefined;
  const unmet = wanted && new Set(wanted.map(({ integrationId }) => integrationId));
  const from = dayOf(oldestMs - DAY_MS);
  return { begunMs: clock.now(), from, unmet, offset: 0, top: undefined, last: [], stale: 0, published: 0 };
}

/**
 * Publishes all that is new, however much, by one pass over the statuses since the oldest: what lies deeper than an ordinary check goes. Throws
 * `rate-limited` when the budget does not suffice: it may be gone on with.
 */
export async function goRound(parts: RoundParts, feed: Feed, round: Round): Promise<void> {
  const { ledger, statuses, rounds } = parts;
  const id = feedId(feed);
  rounds.delete(id);
  // While a round was interrupted, the list may have moved on by any number of pages: what was met before that tells nothing but for the last one.
  const met = new Set(round.last);
  do {
    const page = await statuses.ask(feed, { updatedAtFrom: round.from, offset: round.offset }).catch((error: unknown) => {
      if (isLimited(error)) rounds.set(id, round);
      throw error;
    });
    const byId = new Map(page.map((status) => [status.uuid, status]));
    const [first] = byId.keys();
    // The end, or a service that begins again wherever it is asked to.
    if (first === undefined || first === round.top) return;
    round.top ??= first;
    round.last = [...byId.keys()];
    round.stale = round.last.every((uuid) => met.has(uuid)) ? round.stale + 1 : 0;
    // Behind the end the service shows its last page again.
    if (round.stale === STALE_MAX) return;
    round.offset += page.length;
    for (const uuid of round.last) {
      met.add(uuid);
      round.unmet?.delete(uuid);
    }
    const open = await readOpenAmong(ledger.read, feed, round.last);
    const news = open.flatMap((delivery) => newsOf(delivery, byId.get(delivery.integrationId)) ?? []);
    await publishAll(parts, news);
    round.published += news.length;
  } while (round.unmet?.size !== 0);
}
