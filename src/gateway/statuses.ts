// Statuses: what the network does with documents that the service has becomes a receipt in the home of whoever dropped them. A ring is a
// hint; timers make hints unnecessary, as long as anything is on its way.
import { parseStatuses, type StatusObject } from '#contract/envelopes.ts';
import { HEADER } from '#contract/headers.ts';
import type { TransactionQuery } from '#contract/routes.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed, isFamilyName } from '#domain/family.ts';
import { NETWORK_STAGES, type NetworkStage } from '#domain/receipt.ts';
import type { Queue } from '#engines/queue.ts';
import type { Clock } from '#runtime/clock.ts';
import { dayOf } from '#runtime/day.ts';
import type { Log } from '#runtime/log.ts';
import type { Budget } from './budget.ts';
import type { CoreClient } from './core-client.ts';
import type { Finisher } from './finish.ts';
import { inLanes } from './lanes.ts';
import {
  closeOldDeliveries,
  type Delivery,
  putDeliveryStatus,
  readOpenDeliveries,
  readOpenFeeds,
  reopenDelivery,
} from './ledger/deliveries.ts';
import { type Feed, feedId } from './ledger/documents.ts';
import { readItem } from './ledger/items.ts';
import type { Ledger, Rows } from './ledger/schema.ts';
import { NETWORK_OUTCOMES } from './outcomes.ts';

const AT_ONCE_MAX = 4;
/** Receipts of one feed that are written at once, so that they share what makes them durable. */
const RECEIPTS_AT_ONCE = 32;
/** Documents that end at the same moment are asked about together. */
const DEBOUNCE_MS = 1_000;
const AFTER_FAILURE_MS = 60_000;
/** Fewer are asked about one by one. */
const SINGLY_MAX = 5;
const OPEN_MAX = 1_000;
const PAGE_LIMIT = 100;
const PAGES_MAX = 20;
/** What was accepted within the last hour is asked about as often as an active feed is polled. */
const YOUNG_MS = 60 * 60_000;
/** Nobody waits longer for an answer of a receiver. */
const FOLLOW_MS = 35 * 24 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
const RETRY_AFTER_DEFAULT_SECONDS = 60;

/** There is no way on from these. */
const LAST: ReadonlySet<NetworkStage> = new Set(['delivered', 'rejected', 'failed']);

export interface StatusParts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly client: Pick<CoreClient, 'statuses'>;
  readonly budget: Budget;
  readonly finisher: Pick<Finisher, 'notify'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly serves: (accountRegNo: string) => boolean;
  /** The service rings for every status that changes, so that timers are left for what a ring may miss. */
  readonly hinted: boolean;
  readonly pollMs: number;
  readonly pollSilentMs: number;
  readonly reconcileMs: number;
}

/** Looks at a feed soon. */
export function ringStatus({ queue, clock }: Pick<StatusParts, 'queue' | 'clock'>, feed: Feed): void {
  queue.ring('status', feedId(feed), clock.now() + DEBOUNCE_MS);
}

/** Answers the bell for statuses, and rings it for all that is on its way. */
export async function startFollowing(parts: StatusParts): Promise<void> {
  const { ledger, queue, clock, log } = parts;

  async function handle(id: string): Promise<void> {
    const feed = feedOf(id);
    if (!feed || !parts.serves(feed.accountRegNo)) return;
    try {
      const { left, isMore } = await look(parts, feed);
      if (isMore) ringStatus(parts, feed);
      else if (left.length > 0) queue.ring('status', id, clock.now() + pauseFor(parts, left));
    } catch (error) {
      const waitMs = error instanceof AppError && typeof error.facts.waitMs === 'number' ? error.facts.waitMs : AFTER_FAILURE_MS;
      log.warn({ event: 'status.postponed', accountRegNo: feed.accountRegNo, family: feed.family, waitMs, err: error });
      queue.ring('status', id, clock.now() + waitMs);
    }
  }

  queue.answer('status', AT_ONCE_MAX, handle);
  for (const { accountRegNo, family } of await readOpenFeeds(ledger.read)) {
    if (isFamilyName(family)) ringStatus(parts, { accountRegNo, family });
  }
}

/** A document that had failed is on its way again: whoever dropped it hears what becomes of it. */
export async function followAgain(
  { ledger }: Pick<StatusParts, 'ledger'>,
  { accountRegNo, integrationId }: { readonly accountRegNo: string; readonly integrationId: string },
): Promise<void> {
  await ledger.write((rows) => reopenDelivery(rows, accountRegNo, integrationId));
}

function pauseFor({ clock, hinted, pollMs, pollSilentMs, reconcileMs }: StatusParts, open: readonly Delivery[]): number {
  if (hinted) return reconcileMs;
  const [newest] = open;
  return newest && clock.now() - newest.acceptedAt < YOUNG_MS ? pollMs : pollSilentMs;
}

/** Asks about all of a feed that is on its way, and publishes what is new. Returns what still is, and whether there is more to be asked about. */
async function look(parts: StatusParts, feed: Feed): Promise<{ left: Delivery[]; isMore: boolean }> {
  const { ledger, clock } = parts;
  await ledger.write((rows) => closeOldDeliveries(rows, feed, clock.now() - FOLLOW_MS), 'soon');
  const open = await readOpenDeliveries(ledger.read, feed, OPEN_MAX);
  const statuses = open.length > SINGLY_MAX ? await askTogether(parts, feed, open) : await askSingly(parts, feed, open);
  const news = open.flatMap((delivery) => newsOf(delivery, statuses.get(delivery.integrationId)) ?? []);
  const failed = await inLanes(news, RECEIPTS_AT_ONCE, (each) => publish(parts, each));
  if (failed[0]) throw failed[0].error;
  const ended = new Set(news.flatMap(({ delivery, stage }) => (LAST.has(stage) ? delivery.item : [])));
  return { left: open.filter(({ item }) => !ended.has(item)), isMore: open.length === OPEN_MAX && ended.size > 0 };
}

/** A stage that the receipts have not told of yet. */
interface News {
  readonly delivery: Delivery;
  readonly stage: NetworkStage;
  readonly reason: string | null;
}

function newsOf(delivery: Delivery, told: StatusObject | undefined): News | null {
  const stage = NETWORK_STAGES.find((each) => each === told?.metadata.status);
  return stage === undefined || stage === delivery.status ? null : { delivery, stage, reason: told?.metadata.reason ?? null };
}

/** In one commit: whoever sees the receipt may have the document followed again. */
async function publish({ ledger, finisher }: StatusParts, { delivery, stage, reason }: News): Promise<void> {
  const item = await readItem(ledger.read, delivery.item);
  const told = (rows: Rows): Promise<void> => putDeliveryStatus(rows, delivery.item, stage, !LAST.has(stage));
  if (!item?.head) return ledger.write(told);
  await finisher.notify(item, NETWORK_OUTCOMES[stage](item.head, delivery.integrationId, reason), told);
}

type Statuses = ReadonlyMap<string, StatusObject>;

async function askSingly(parts: StatusParts, feed: Feed, open: readonly Delivery[]): Promise<Statuses> {
  const found = new Map<string, StatusObject>();
  for (const { integrationId } of open) {
    for (const status of await ask(parts, feed, { integrationId, limit: 1 })) found.set(status.uuid, status);
  }
  return found;
}

/** The newest come first: pages are read until all have been met. */
async function askTogether(parts: StatusParts, feed: Feed, open: readonly Delivery[]): Promise<Statuses> {
  const found = new Map<string, StatusObject>();
  const missing = new Set(open.map(({ integrationId }) => integrationId));
  const from = dayOf(Math.min(...open.map(({ acceptedAt }) => acceptedAt)) - DAY_MS);
  for (let page = 0; page < PAGES_MAX && missing.size > 0; page++) {
    const statuses = await ask(parts, feed, { updatedAtFrom: from, limit: PAGE_LIMIT, offset: page * PAGE_LIMIT });
    if (statuses.length === 0) break;
    for (const status of statuses) {
      found.set(status.uuid, status);
      missing.delete(status.uuid);
    }
  }
  return found;
}

/** Throws `internal` (no usable answer), `rate-limited` (facts.waitMs). */
async function ask({ client, budget }: StatusParts, { accountRegNo, family }: Feed, query: TransactionQuery): Promise<StatusObject[]> {
  const waitMs = await budget.spend(accountRegNo, 'poll');
  if (waitMs > 0) throw new AppError('rate-limited', 'the request budget is spent', { facts: { waitMs } });
  const answer = await client.statuses(accountRegNo, familyNamed(family), 'outgoing', { ...query, includeRead: true });
  if (answer.status === 204) return [];
  if (answer.status === 429) {
    const retryMs = Number(answer.headers.get(HEADER.retryAfter) ?? RETRY_AFTER_DEFAULT_SECONDS) * 1_000;
    budget.exhausted(accountRegNo, retryMs);
    throw new AppError('rate-limited', 'the service said 429', { facts: { waitMs: retryMs } });
  }
  const statuses = answer.status === 200 ? parseStatuses(answer.body) : undefined;
  if (statuses) return statuses;
  // Some services tell statuses of some families only.
  if (answer.status === 404 || answer.status === 501) return [];
  throw new AppError('internal', `the service answered ${answer.status} when it was asked for statuses of ${family}`);
}

function feedOf(id: string): Feed | null {
  const [accountRegNo = '', family = ''] = id.split(' ');
  return isFamilyName(family) ? { accountRegNo, family } : null;
}
