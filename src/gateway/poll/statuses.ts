// Statuses: what the network does with documents that the service has becomes a receipt in the home of whoever dropped them. A ring is a
// hint; timers make hints unnecessary, as long as anything is on its way.
import type { StatusObject } from '#contract/envelopes.ts';
import { AppError } from '#domain/error.ts';
import { isFamilyName } from '#domain/family.ts';
import { NETWORK_STAGES, type NetworkStage } from '#domain/receipt.ts';
import type { Queue } from '#engines/queue.ts';
import type { Finisher } from '#gateway/home/finish.ts';
import {
  closeOldDeliveries,
  type Delivery,
  putDeliveryStatus,
  readOldestOpen,
  readOpenAmong,
  readOpenDeliveries,
  readOpenFeeds,
  reopenDelivery,
} from '#gateway/ledger/deliveries.ts';
import { type Feed, feedId } from '#gateway/ledger/documents.ts';
import { readItem } from '#gateway/ledger/items.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import type { Budget } from '#gateway/service/budget.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';
import { NETWORK_OUTCOMES } from '#gateway/submit/outcomes.ts';
import type { Clock } from '#runtime/clock.ts';
import { dayOf } from '#runtime/day.ts';
import type { Log } from '#runtime/log.ts';
import { type Failed, inLanes } from './lanes.ts';
import { openStatusClient, type StatusClient } from './status-client.ts';

const AT_ONCE_MAX = 4;
/** Receipts of one feed that are staged at once: more would have those of documents that are handed over just now wait for the disk. */
const STAGED_AT_ONCE = 8;
/** Receipts that one commit takes. */
const TOLD_TOGETHER = 32;
/** Documents that end at the same moment are asked about together. */
const DEBOUNCE_MS = 1_000;
const AFTER_FAILURE_MS = 60_000;
/** How soon an account is looked at again that is not served now. */
const NOT_SERVED_MS = 10 * 60_000;
/** How soon the first search of a feed is followed by another one where the service rings. */
const SEARCH_AGAIN_MS = 5_000;
/** Fewer are asked about one by one. */
const SINGLY_MAX = 5;
const OPEN_MAX = 1_000;
const PAGES_MAX = 20;
/** What was accepted within the last hour is asked about as often as an active feed is polled. */
const YOUNG_MS = 60 * 60_000;
/** Nobody waits longer for an answer of a receiver. */
const FOLLOW_MS = 35 * 24 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** There is no way on from these. */
const LAST: ReadonlySet<NetworkStage> = new Set(['delivered', 'rejected', 'failed']);

export interface StatusParts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly client: Pick<CoreClient, 'statuses'>;
  readonly budget: Budget;
  readonly finisher: Pick<Finisher, 'announce'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly serves: (accountRegNo: string) => boolean;
  /** The service rings for every status that changes, so that timers are left for what a ring may miss. */
  readonly hinted: boolean;
  readonly pollMs: number;
  readonly pollSilentMs: number;
  readonly reconcileMs: number;
}

interface Asking extends StatusParts {
  readonly statuses: StatusClient;
  /** Rounds that the budget has interrupted, by feed. */
  readonly rounds: Map<string, Round>;
}

/** Looks at a feed soon. */
export function ringStatus({ queue, clock }: Pick<StatusParts, 'queue' | 'clock'>, feed: Feed): void {
  queue.ring('status', feedId(feed), clock.now() + DEBOUNCE_MS);
}

/** Answers the bell for statuses, and rings it for all that is on its way. */
export async function startFollowing(parts: StatusParts): Promise<void> {
  const { ledger, queue, clock, log } = parts;
  const asking: Asking = { ...parts, statuses: openStatusClient(parts.client, parts.budget), rounds: new Map() };
  /** When everything of a feed was last asked about. */
  const rounded = new Map<string, number>();
  const searches = new Map<string, Search>();

  async function handle(id: string): Promise<void> {
    const feed = feedOf(id);
    if (!feed) return;
    if (!parts.serves(feed.accountRegNo)) return queue.ring('status', id, clock.now() + NOT_SERVED_MS);
    try {
      const { left, isMore, isWhole, tooDeep } = await look(asking, feed);
      const now = clock.now();
      const isFull = !isWhole && now - (rounded.get(id) ?? Number.NEGATIVE_INFINITY) >= parts.reconcileMs;
      if (isFull || isDue(searches.get(id), tooDeep, now)) {
        const isVain = (await goRound(asking, feed, isFull ? null : tooDeep)) === 0;
        searches.set(id, { begunMs: now, waitMs: waitAfterSearch(parts, isVain ? searches.get(id) : undefined) });
        if (isFull) rounded.set(id, now);
      }
      const search = tooDeep.length > 0 ? searches.get(id) : undefined;
      if (isMore) ringStatus(parts, feed);
      else if (left.length > 0)
        queue.ring('status', id, Math.min(clock.now() + pauseFor(parts, left), search ? nextAt(search) : Number.POSITIVE_INFINITY));
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

/** For what lies deeper than looks go. */
interface Search {
  readonly begunMs: number;
  /** The next one comes so much later, unless there is something new to be searched for. */
  readonly waitMs: number;
}

const nextAt = ({ begunMs, waitMs }: Search): number => begunMs + waitMs;

/** Of a burst the looks meet the latest only. */
function isDue(last: Search | undefined, tooDeep: readonly Delivery[], now: number): boolean {
  if (!last || now < last.begunMs) return tooDeep.length > 0;
  return tooDeep.some(({ acceptedAt }) => now >= nextAt(last) || acceptedAt >= last.begunMs);
}

/** A search in vain may be for what the service never tells of. */
function waitAfterSearch({ hinted, pollMs, reconcileMs }: StatusParts, vain: Search | undefined): number {
  return Math.min(vain ? 2 * vain.waitMs : hinted ? SEARCH_AGAIN_MS : pollMs, reconcileMs);
}

interface Looked {
  /** What is still on its way. */
  readonly left: readonly Delivery[];
  /** There is more to be asked about at once. */
  readonly isMore: boolean;
  /** All that is on its way was told of. */
  readonly isWhole: boolean;
  /** What may lie deeper than the pages that were read. */
  readonly tooDeep: readonly Delivery[];
}

/** Asks about what of a feed is on its way, the latest first, and publishes what is new. */
async function look(parts: Asking, feed: Feed): Promise<Looked> {
  const { ledger, clock } = parts;
  await ledger.write((rows) => closeOldDeliveries(rows, feed, clock.now() - FOLLOW_MS), 'soon');
  const open = await readOpenDeliveries(ledger.read, feed, OPEN_MAX);
  const { statuses, isCut } = open.length > SINGLY_MAX ? await askTogether(parts, feed, open) : await askSingly(parts, feed, open);
  const news = open.flatMap((delivery) => newsOf(delivery, statuses.get(delivery.integrationId)) ?? []);
  await publishAll(parts, news);
  const ended = new Set(news.flatMap(({ delivery, stage }) => (LAST.has(stage) ? delivery.item : [])));
  const isMore = open.length === OPEN_MAX && ended.size > 0;
  const untold = open.filter(({ integrationId }) => !statuses.has(integrationId));
  const isWhole = open.length < OPEN_MAX && untold.length === 0;
  return { left: open.filter(({ item }) => !ended.has(item)), isMore, isWhole, tooDeep: isCut ? untold : [] };
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

/** Stages the receipt. What it resolves with tells it in one commit: whoever sees it may have the document followed again. */
async function prepare({ ledger, finisher }: StatusParts, { delivery, stage, reason }: News): Promise<() => Promise<void>> {
  const item = await readItem(ledger.read, delivery.item);
  const told = (rows: Rows): Promise<void> => putDeliveryStatus(rows, delivery.item, stage, !LAST.has(stage));
  if (!item?.head) return () => ledger.write(told);
  return finisher.announce(item, NETWORK_OUTCOMES[stage](item.head, delivery.integrationId, reason), told);
}

interface Told {
  readonly statuses: ReadonlyMap<string, StatusObject>;
  /** There may be more of them. */
  readonly isCut: boolean;
}

async function askSingly({ statuses }: Asking, feed: Feed, open: readonly Delivery[]): Promise<Told> {
  const found = new Map<string, StatusObject>();
  for (const { integrationId } of open) {
    for (const status of await statuses.ask(feed, { integrationId, limit: 1 })) found.set(status.uuid, status);
  }
  return { statuses: found, isCut: false };
}

/** The newest come first: pages are read until all have been met. */
async function askTogether({ statuses }: Asking, feed: Feed, open: readonly Delivery[]): Promise<Told> {
  const found = new Map<string, StatusObject>();
  const missing = new Set(open.map(({ integrationId }) => integrationId));
  const from = dayOf(Math.min(...open.map(({ acceptedAt }) => acceptedAt)) - DAY_MS);
  for (let page = 0, offset = 0; page < PAGES_MAX && missing.size > 0; page++) {
    const told = await statuses.ask(feed, { updatedAtFrom: from, offset });
    if (told.length === 0) return { statuses: found, isCut: false };
    offset += told.length;
    for (const status of told) {
      found.set(status.uuid, status);
      missing.delete(status.uuid);
    }
  }
  return { statuses: found, isCut: missing.size > 0 };
}

/** How far a round has come. */
interface Round {
  readonly from: string;
  offset: number;
  top: string | undefined;
}

/**
 * All that is on its way, however much, by one pass over the statuses since the oldest: what lies deeper than an ordinary look goes. It ends
 * when all that are `wanted` have been met. A budget that is spent interrupts it. Resolves with how much was new.
 */
async function goRound(parts: Asking, feed: Feed, wanted: readonly Delivery[] | null): Promise<number> {
  const { ledger, statuses, rounds } = parts;
  const id = feedId(feed);
  const oldest = await readOldestOpen(ledger.read, feed);
  if (oldest === undefined) return 0;
  const unmet = wanted && new Set(wanted.map(({ integrationId }) => integrationId));
  let published = 0;
  const round: Round = rounds.get(id) ?? { from: dayOf(oldest - DAY_MS), offset: 0, top: undefined };
  rounds.set(id, round);
  for (;;) {
    const told = await statuses.ask(feed, { updatedAtFrom: round.from, offset: round.offset });
    const [first] = told;
    // The end, or a service that begins again wherever it is asked to.
    if (!first || first.uuid === round.top) break;
    round.top ??= first.uuid;
    const byId = new Map(told.map((status) => [status.uuid, status]));
    const open = await readOpenAmong(ledger.read, feed, [...byId.keys()]);
    const news = open.flatMap((delivery) => newsOf(delivery, byId.get(delivery.integrationId)) ?? []);
    await publishAll(parts, news);
    published += news.length;
    round.offset += told.length;
    for (const { uuid } of told) unmet?.delete(uuid);
    if (unmet?.size === 0) break;
  }
  rounds.delete(id);
  return published;
}

/** One that fails stops none of the others. */
async function publishAll(parts: StatusParts, news: readonly News[]): Promise<void> {
  const failures: Failed<unknown>[] = [];
  for (let at = 0; at < news.length; at += TOLD_TOGETHER) {
    const staged: (() => Promise<void>)[] = [];
    const page = news.slice(at, at + TOLD_TOGETHER);
    const prepared = await inLanes(page, STAGED_AT_ONCE, async (each) => staged.push(await prepare(parts, each)));
    const told = await inLanes(staged, TOLD_TOGETHER, (tell) => tell());
    failures.push(...prepared.failed, ...told.failed);
  }
  if (failures[0]) throw failures[0].error;
}

function feedOf(id: string): Feed | null {
  const [accountRegNo = '', family = ''] = id.split(' ');
  return isFamilyName(family) ? { accountRegNo, family } : null;
}
