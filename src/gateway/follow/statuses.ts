// Statuses: what the network does with documents that the service has becomes a receipt in the home of whoever dropped them. A ring is a
// hint; timers make hints unnecessary, as long as anything is on its way.
import type { StatusObject } from '#contract/envelopes.ts';
import { dayOf } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { isFamilyName } from '#domain/family.ts';
import { NETWORK_STAGES, type NetworkStage } from '#domain/receipt.ts';
import type { Queue } from '#engines/queue.ts';
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
import { readItem } from '#gateway/ledger/items.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { type Cause, NETWORK_OUTCOMES } from '#gateway/model/receipt-sentences.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import type { Budget } from '#gateway/service/budget.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';
import { type Failed, inLanes, isLimited } from '#gateway/service/list-work.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
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
/** So many pages that bring nothing new end a round: one may, when the list has moved on. */
const STALE_MAX = 2;
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
  /** Looks that the budget has interrupted, by feed. */
  readonly looks: Map<string, Look>;
  /** The same of rounds. */
  readonly rounds: Map<string, Round>;
}

/** Looks at a feed soon. */
export function ringStatus({ queue, clock }: Pick<StatusParts, 'queue' | 'clock'>, feed: Feed): void {
  queue.ring('status', feedId(feed), clock.now() + DEBOUNCE_MS);
}

/** Answers the bell for statuses, and rings it for all that is on its way. */
export async function startFollowing(parts: StatusParts): Promise<void> {
  const { ledger, queue, clock, log } = parts;
  const asking: Asking = { ...parts, statuses: openStatusClient(parts.client, parts.budget), looks: new Map(), rounds: new Map() };
  /** When everything of a feed was last asked about. */
  const rounded = new Map<string, number>();
  const searches = new Map<string, Search>();

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
    if (!parts.serves(feed.accountRegNo)) return queue.ring('status', id, clock.now() + NOT_SERVED_MS);
    try {
      await search(feed, asking.rounds.get(id));
      const looked = await look(asking, feed);
      const { left, isMore, isWhole, tooDeep } = looked;
      const now = clock.now();
      const isFull = !isWhole && now - (rounded.get(id) ?? Number.NEGATIVE_INFINITY) >= parts.reconcileMs;
      if (isFull || isDue(searches.get(id), tooDeep, now)) await search(feed, await beginRound(parts, feed, isFull ? null : tooDeep));
      const nextSearchMs = tooDeep.length > 0 ? searches.get(id)?.nextMs : undefined;
      if (isMore) ringStatus(parts, feed);
      else if (left.length > 0) {
        queue.ring('status', id, Math.min(clock.now() + pauseAfter(parts, looked), nextSearchMs ?? Number.POSITIVE_INFINITY));
      }
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

function pauseAfter({ clock, hinted, pollMs, pollSilentMs, reconcileMs }: StatusParts, { left, wasInterrupted }: Looked): number {
  // It may have been rung for what such a look had passed already.
  if (hinted) return wasInterrupted ? pollMs : reconcileMs;
  const [newest] = left;
  return newest && clock.now() - newest.acceptedAt < YOUNG_MS ? pollMs : pollSilentMs;
}

/** For what lies deeper than looks go. */
interface Search {
  readonly begunMs: number;
  /** The next one comes so much after its end, unless there is something new to be searched for. */
  readonly waitMs: number;
  readonly nextMs: number;
}

/** Of a burst the looks meet the latest only. */
function isDue(last: Search | undefined, tooDeep: readonly Delivery[], now: number): boolean {
  if (!last || now < last.begunMs) return tooDeep.length > 0;
  return tooDeep.some(({ acceptedAt }) => now >= last.nextMs || acceptedAt >= last.begunMs);
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
  /** The budget had interrupted it before. */
  readonly wasInterrupted: boolean;
}

/**
 * Asks about what of a feed is on its way, the latest first, and publishes what is new. Throws `rate-limited` when the budget does not suffice:
 * what was told until then is published, and the next look goes on from there.
 */
async function look(parts: Asking, feed: Feed): Promise<Looked> {
  const { ledger, clock } = parts;
  await ledger.write((rows) => closeOldDeliveries(rows, feed, clock.now() - FOLLOW_MS), 'soon');
  const open = await readOpenDeliveries(ledger.read, feed, OPEN_MAX);
  const { statuses, met, isCut, limited, wasInterrupted } = await ask(parts, feed, open);
  const news = open.flatMap((delivery) => newsOf(delivery, statuses.get(delivery.integrationId)) ?? []);
  await publishAll(parts, news);
  if (limited) throw limited;
  const ended = new Set(news.flatMap(({ delivery, stage }) => (LAST.has(stage) ? delivery.item : [])));
  const isMore = open.length === OPEN_MAX && ended.size > 0;
  const untold = open.filter(({ integrationId }) => !met.has(integrationId));
  const isWhole = open.length < OPEN_MAX && untold.length === 0;
  return { left: open.filter(({ item }) => !ended.has(item)), isMore, isWhole, tooDeep: isCut ? untold : [], wasInterrupted };
}

/** A stage that the receipts have not told of yet. */
interface News {
  readonly delivery: Delivery;
  readonly stage: NetworkStage;
  readonly cause: Cause;
}

function newsOf(delivery: Delivery, told: StatusObject | undefined): News | null {
  const stage = NETWORK_STAGES.find((each) => each === told?.metadata.status);
  if (stage === undefined || stage === delivery.status) return null;
  const { reason = null, answer = null } = told?.metadata ?? {};
  return { delivery, stage, cause: { reason, answer } };
}

/** Stages the receipt. What it resolves with tells it in one commit: whoever sees it may have the document followed again. */
async function prepare({ ledger, finisher }: StatusParts, { delivery, stage, cause }: News): Promise<() => Promise<void>> {
  const item = await readItem(ledger.read, delivery.item);
  const told = (rows: Rows): Promise<void> => putDeliveryStatus(rows, delivery.item, stage, !LAST.has(stage));
  if (!item?.head) return () => ledger.write(told);
  return finisher.announce(item, NETWORK_OUTCOMES[stage](item.head, delivery.integrationId, cause), told);
}

/** How far a look has come. */
interface Look {
  readonly oldestMs: number;
  pages: number;
  offset: number;
  /** What it was told of. */
  readonly met: Set<string>;
}

interface Told {
  /** What this part of the look was told. */
  readonly statuses: ReadonlyMap<string, StatusObject>;
  readonly met: ReadonlySet<string>;
  /** There may be more of them. */
  readonly isCut: boolean;
  /** The budget was spent before its end. */
  readonly limited: AppError | null;
  readonly wasInterrupted: boolean;
}

/** Asks about those that are open; where a look was interrupted, about those of which it has not been told yet. */
async function ask(parts: Asking, feed: Feed, open: readonly Delivery[]): Promise<Told> {
  const { looks } = parts;
  const id = feedId(feed);
  const interrupted = looks.get(id);
  looks.delete(id);
  const look = interrupted ?? { oldestMs: Math.min(...open.map(({ acceptedAt }) => acceptedAt)), pages: 0, offset: 0, met: new Set() };
  const { met } = look;
  const missing = new Set(open.map(({ integrationId }) => integrationId).filter((each) => !met.has(each)));
  const statuses = new Map<string, StatusObject>();
  let limited: AppError | null = null;
  try {
    for await (const status of open.length > SINGLY_MAX ? askTogether(parts, feed, look, missing) : askSingly(parts, feed, missing)) {
      statuses.set(status.uuid, status);
      met.add(status.uuid);
      missing.delete(status.uuid);
    }
  } catch (error) {
    if (!isLimited(error)) throw error;
    looks.set(id, look);
    limited = error;
  }
  const isCut = look.pages === PAGES_MAX && missing.size > 0;
  return { statuses, met, isCut, limited, wasInterrupted: interrupted !== undefined };
}

async function* askSingly({ statuses }: Asking, feed: Feed, missing: ReadonlySet<string>): AsyncGenerator<StatusObject> {
  for (const integrationId of [...missing]) yield* await statuses.ask(feed, { integrationId, limit: 1 });
}

/** The newest come first: pages are read until all have been met. */
async function* askTogether({ statuses }: Asking, feed: Feed, look: Look, missing: ReadonlySet<string>): AsyncGenerator<StatusObject> {
  const from = dayOf(look.oldestMs - DAY_MS);
  for (; look.pages < PAGES_MAX && missing.size > 0; look.pages++) {
    const told = await statuses.ask(feed, { updatedAtFrom: from, offset: look.offset });
    if (told.length === 0) return;
    look.offset += told.length;
    yield* told;
  }
}

/** How far a round has come. */
interface Round {
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
async function beginRound({ ledger, clock }: StatusParts, feed: Feed, wanted: readonly Delivery[] | null): Promise<Round | undefined> {
  const oldestMs = await readOldestOpen(ledger.read, feed);
  if (oldestMs === undefined) return undefined;
  const unmet = wanted && new Set(wanted.map(({ integrationId }) => integrationId));
  const from = dayOf(oldestMs - DAY_MS);
  return { begunMs: clock.now(), from, unmet, offset: 0, top: undefined, last: [], stale: 0, published: 0 };
}

/**
 * Publishes all that is new, however much, by one pass over the statuses since the oldest: what lies deeper than an ordinary look goes. Throws
 * `rate-limited` when the budget does not suffice: it may be gone on with.
 */
async function goRound(parts: Asking, feed: Feed, round: Round): Promise<void> {
  const { ledger, statuses, rounds } = parts;
  const id = feedId(feed);
  rounds.delete(id);
  // While a round was interrupted, the list may have moved on by any number of pages: what was met before that tells nothing but for the last one.
  const met = new Set(round.last);
  do {
    const told = await statuses.ask(feed, { updatedAtFrom: round.from, offset: round.offset }).catch((error: unknown) => {
      if (isLimited(error)) rounds.set(id, round);
      throw error;
    });
    const byId = new Map(told.map((status) => [status.uuid, status]));
    const [first] = byId.keys();
    // The end, or a service that begins again wherever it is asked to.
    if (first === undefined || first === round.top) return;
    round.top ??= first;
    round.last = [...byId.keys()];
    round.stale = round.last.every((uuid) => met.has(uuid)) ? round.stale + 1 : 0;
    // Behind the end the service shows its last page again.
    if (round.stale === STALE_MAX) return;
    round.offset += told.length;
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
