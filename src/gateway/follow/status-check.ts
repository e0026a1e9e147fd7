// A check of what of a feed is on its way: the latest documents first, as many pages of statuses as that takes, within bounds.
import type { StatusObject } from '#contract/envelopes.ts';
import { dayOf } from '#domain/day.ts';
import type { AppError } from '#domain/error.ts';
import { closeOldDeliveries, type Delivery, readOpenDeliveries } from '#gateway/ledger/deliveries.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { isLimited } from '#gateway/service/list-work.ts';
import type { Clock } from '#runtime/clock.ts';
import type { StatusClient } from './status-client.ts';
import { LAST, type NewsParts, newsOf, publishAll } from './status-news.ts';

/** So many are looked for on top, and then one by one; more page by page. */
const FEW_MAX = 5;
const TOP_MAX = 2 * FEW_MAX;
const OPEN_MAX = 1_000;
const PAGES_MAX = 20;
/** An answer of a receiver is awaited no longer. */
const FOLLOW_MS = 35 * 24 * 60 * 60_000;
export const DAY_MS = 24 * 60 * 60_000;

export interface CheckParts extends NewsParts {
  readonly clock: Clock;
  readonly statuses: StatusClient;
  /** Looks that the budget has interrupted, by feed. */
  readonly checks: Map<string, Check>;
}

export interface Checked {
  /** What is still on its way. */
  readonly left: readonly Delivery[];
  /** There is more to be asked about at once. */
  readonly isMore: boolean;
  /** All that is on its way was reported. */
  readonly isWhole: boolean;
  /** What may lie deeper than the pages that were read. */
  readonly tooDeep: readonly Delivery[];
  /** The budget had interrupted it before. */
  readonly wasInterrupted: boolean;
}

/**
 * Asks about what of a feed is on its way, the latest first, and publishes what is new. Throws `rate-limited` when the budget does not suffice:
 * what was reported until then is published, and the next check goes on from there.
 */
export async function check(parts: CheckParts, feed: Feed): Promise<Checked> {
  const { ledger, clock } = parts;
  const beforeMs = clock.now() - FOLLOW_MS;
  const open = await readOpenDeliveries(ledger.read, feed, OPEN_MAX);
  if (open.some(({ acceptedAt }) => acceptedAt < beforeMs)) {
    await ledger.write([], (rows) => closeOldDeliveries(rows, feed, beforeMs));
    return check(parts, feed);
  }
  const { statuses, met, isCut, limited, wasInterrupted } = await ask(parts, feed, open);
  const news = open.flatMap((delivery) => newsOf(delivery, statuses.get(delivery.integrationId)) ?? []);
  await publishAll(parts, news);
  if (limited) throw limited;
  const ended = new Set(news.flatMap(({ delivery, stage }) => (LAST.has(stage) ? delivery.item : [])));
  const isMore = open.length === OPEN_MAX && ended.size > 0;
  const unmet = open.filter(({ integrationId }) => !met.has(integrationId));
  const isWhole = open.length < OPEN_MAX && unmet.length === 0;
  return { left: open.filter(({ item }) => !ended.has(item)), isMore, isWhole, tooDeep: isCut ? unmet : [], wasInterrupted };
}

/** How far a check has come. */
interface Check {
  readonly oldestMs: number;
  pages: number;
  offset: number;
  /** Documents that the service has reported. */
  readonly met: Set<string>;
}

interface Reported {
  /** What the service has reported to this part of the check. */
  readonly statuses: ReadonlyMap<string, StatusObject>;
  readonly met: ReadonlySet<string>;
  /** There may be more of them. */
  readonly isCut: boolean;
  /** The budget was spent before its end. */
  readonly limited: AppError | null;
  readonly wasInterrupted: boolean;
}

/** Asks about those that are open; where a check was interrupted, about those that were not reported yet. */
async function ask(parts: CheckParts, feed: Feed, open: readonly Delivery[]): Promise<Reported> {
  const { checks } = parts;
  const id = feedId(feed);
  const interrupted = checks.get(id);
  checks.delete(id);
  const check = interrupted ?? { oldestMs: Math.min(...open.map(({ acceptedAt }) => acceptedAt)), pages: 0, offset: 0, met: new Set() };
  const { met } = check;
  const missing = new Set(open.map(({ integrationId }) => integrationId).filter((each) => !met.has(each)));
  const statuses = new Map<string, StatusObject>();
  let limited: AppError | null = null;
  try {
    for await (const status of open.length > FEW_MAX ? askTogether(parts, feed, check, missing) : askFew(parts, feed, missing)) {
      statuses.set(status.uuid, status);
      met.add(status.uuid);
      missing.delete(status.uuid);
    }
  } catch (error) {
    if (!isLimited(error)) throw error;
    checks.set(id, check);
    limited = error;
  }
  const isCut = check.pages === PAGES_MAX && missing.size > 0;
  return { statuses, met, isCut, limited, wasInterrupted: interrupted !== undefined };
}

/** Most are the last that were sent, and stand on top; those that are not there are asked about one by one. */
async function* askFew({ statuses }: CheckParts, feed: Feed, missing: ReadonlySet<string>): AsyncGenerator<StatusObject> {
  if (missing.size > 1) yield* await statuses.ask(feed, { limit: TOP_MAX });
  for (const integrationId of [...missing]) yield* await statuses.ask(feed, { integrationId, limit: 1 });
}

/** The newest come first: pages are read until all have been met. */
async function* askTogether(
  { statuses }: CheckParts,
  feed: Feed,
  check: Check,
  missing: ReadonlySet<string>,
): AsyncGenerator<StatusObject> {
  const from = dayOf(check.oldestMs - DAY_MS);
  for (; check.pages < PAGES_MAX && missing.size > 0; check.pages++) {
    const page = await statuses.ask(feed, { updatedAtFrom: from, offset: check.offset });
    if (page.length === 0) return;
    check.offset += page.length;
    yield* page;
  }
}
