// Reading a list of the service, page by page, down to where it may stop, though it moves meanwhile (submit-and-poll.md, 'Poll', sweep 2, 3, 5).
import type { TransactionQuery } from '#contract/routes.ts';
import { dayOf } from '#domain/day.ts';
import { AppError } from '#domain/error.ts';
import { type KnownDocument, readDocuments } from '#gateway/ledger/documents.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { putSweep, type SweepState } from '#gateway/ledger/sweeps.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { FeedClient, Listed, Page } from './feed-client.ts';

const KNOWN_MAX = 20;
const RESTARTS_MAX = 5;
/** Documents behind the end of what a list has, in any case. */
const FAR_BEHIND = 100_000;
/** What so many pages have shown is handed on before more of them are read: a list may be longer than this process lives. */
const PAGES_AT_ONCE = 5;
const DAY_MS = 24 * 60 * 60_000;

/** What a reading is to look at. */
export interface Extent {
  readonly name: 'new' | 'recent' | 'deep' | 'since' | 'all';
  /** Stops where it meets enough that was known. */
  readonly stopsEarly: boolean;
  /** What is known counts as news, too. */
  readonly evenKnown: boolean;
  readonly query: TransactionQuery;
}

export const NEW: Extent = { name: 'new', stopsEarly: true, evenKnown: false, query: {} };
export const ALL: Extent = { name: 'all', stopsEarly: false, evenKnown: false, query: {} };

/** How far a comparison reaches beyond the one before it. */
const DAYS = { recent: 3, deep: 35 } as const;

/** Of what was changed lately, all is compared, in turns where there is much of it. */
export function isComparison({ name }: Extent): boolean {
  return Object.hasOwn(DAYS, name);
}

/** Whatever was changed in the days before the last comparison, and since: the gateway may have been off for months. */
export function changedLately(name: keyof typeof DAYS, nowMs: number, comparedAtMs: number): Extent {
  const fromMs = Math.max(0, Math.min(nowMs, comparedAtMs) - DAYS[name] * DAY_MS);
  return { name, stopsEarly: false, evenKnown: false, query: changedFrom(dayOf(fromMs), nowMs) };
}

export function changedSince(day: string, nowMs: number): Extent {
  return { name: 'since', stopsEarly: false, evenKnown: true, query: changedFrom(day, nowMs) };
}

/** A day more at the end, for clocks and zones that differ. */
function changedFrom(day: string, nowMs: number): TransactionQuery {
  return { updatedAtFrom: day, updatedAtTo: dayOf(nowMs + DAY_MS) };
}

/** How far a list has been read. */
export interface Reading {
  readonly extent: Extent;
  readonly state: SweepState;
  restarts: number;
  readonly met: Set<string>;
  /** What was met and is new, or not as it was, by integrationId; the newest first. */
  readonly news: Map<string, Listed>;
  /** How many known documents in a row are enough to stop. */
  readonly enough: number;
  /** The largest page that the service takes, as far as is known. */
  limitMax: number;
  limit: number;
  offset: number;
  /** The next page begins with a document that has been met; otherwise the list has moved. */
  overlaps: boolean;
  /** So many that were met last, one below the other, are where the last completed sweep has met them. */
  knownInRow: number;
  /** It need not be read further. */
  done: boolean;
  /** The service shows the same page whatever the offset, or only what it has shown before: what is behind it cannot be read. */
  repeats: boolean;
  /** The page that was read last has brought nothing new. */
  stale: boolean;
  /** Pages that were read, those of earlier tries as well. */
  pages: number;
  /** How often it was tried in vain to get further, one time after the other. */
  futile: number;
}

export interface ReadingParts {
  readonly ledger: Ledger;
  readonly feeds: FeedClient;
  /** A reading that may stop early begins with a page of so many: most find one new document, or none. */
  readonly pageFirst: number;
}

export function startReading({ pageFirst }: Pick<ReadingParts, 'pageFirst'>, extent: Extent, state: SweepState): Reading {
  const limit = extent.stopsEarly ? Math.min(pageFirst, state.pageLimit) : state.pageLimit;
  return {
    extent,
    state,
    restarts: 0,
    met: new Set(),
    news: new Map(),
    enough: Math.max(1, Math.min(KNOWN_MAX, limit - 2)),
    limitMax: state.pageLimit,
    limit,
    offset: 0,
    overlaps: false,
    knownInRow: 0,
    done: false,
    repeats: false,
    stale: false,
    pages: 0,
    futile: 0,
  };
}

/**
 * Reads on: to where it may stop, or only to where what is new has met what is known, so that all of it is there. Throws what requests throw, and `internal` when the
 * list moves too fast; what was found until then stays.
 */
export async function readOn(parts: ReadingParts, feed: Feed, reading: Reading): Promise<void> {
  const { ledger, feeds } = parts;
  let meetsKnown = false;
  for (let pages = 0; pages < PAGES_AT_ONCE && !meetsKnown && !reading.done; pages++) {
    const { offset, limit, met } = reading;
    const page = await feeds.page(feed, { ...reading.extent.query, offset }, limit);
    if (page.limit < limit) {
      reading.limitMax = page.limit;
      await ledger.write([`account ${feed.accountRegNo}`], (rows) => putSweep(rows, feed, { pageLimit: page.limit }));
    }
    reading.pages++;
    const [first] = page.items;
    if (reading.overlaps && !(first && met.has(first.integrationId))) {
      await readAgain(parts, feed, reading);
      continue;
    }
    const fresh = page.items.filter(({ integrationId }) => !met.has(integrationId));
    meetsKnown = await meet(ledger, feed, reading, fresh);
    // The last page shows again where the one before ended; any other that brings nothing new is suspicious.
    const isUsual = fresh.length > 0 || (page.items.length === 1 && reading.overlaps);
    if (first && !isUsual) reading.repeats = await repeatsItself(parts, feed, reading, first);
    reading.stale = fresh.length === 0;
    reading.done = !first || reading.repeats || (reading.extent.stopsEarly && reading.knownInRow >= reading.enough);
    move(reading, page);
  }
}

/** Sorts out what is on a page for the first time. Returns whether any of it is known. */
async function meet(ledger: Ledger, { accountRegNo }: Feed, reading: Reading, fresh: readonly Listed[]): Promise<boolean> {
  const ids = fresh.map(({ integrationId }) => integrationId);
  const known = await readDocuments(ledger.read, accountRegNo, ids);
  for (const item of fresh) {
    reading.met.add(item.integrationId);
    const document = known.get(item.integrationId);
    const isNews = reading.extent.evenKnown || document?.listSha256 !== item.listSha256;
    if (isNews) reading.news.set(item.integrationId, item);
    reading.knownInRow = !isNews && document && isInPlace(document, reading.state) ? reading.knownInRow + 1 : 0;
  }
  return known.size > 0;
}

/**
 * Only what the last completed sweep has met where it stands says that all below has been met, too. What has come or changed since, or was
 * marked, may have been listed anew, above others; also when a sweep that was not completed has handed it on.
 */
function isInPlace({ sequence, movedIn }: KnownDocument, { complete, round }: SweepState): boolean {
  return sequence <= complete && movedIn < round;
}

/** Pages overlap by one; the last document, which is a page of its own then, is passed. */
function move(reading: Reading, { items, limit }: Page): void {
  reading.overlaps = items.length > 1;
  reading.offset += reading.overlaps ? items.length - 1 : items.length;
  reading.limit = Math.min(limit * 2, reading.limitMax);
}

/** The list has grown by as much meanwhile, or it shows the same wherever it is asked to begin, or wherever behind its end. */
async function repeatsItself({ feeds }: ReadingParts, feed: Feed, reading: Reading, first: Listed): Promise<boolean> {
  const { extent, offset, limit, stale } = reading;
  const isShownAt = async (other: number): Promise<boolean> =>
    (await feeds.page(feed, { ...extent.query, offset: other }, limit)).items[0]?.integrationId === first.integrationId;
  return (offset > 0 && (await isShownAt(0))) || (stale && (await isShownAt(offset + FAR_BEHIND)));
}

/** The list moved on between two pages, so that something may have been skipped: from the top. What was found stays found. */
async function readAgain(parts: ReadingParts, feed: Feed, reading: Reading): Promise<void> {
  const { news, restarts, limitMax, extent, state, pages } = reading;
  if (restarts >= RESTARTS_MAX) {
    await parts.ledger.write([`account ${feed.accountRegNo}`], (rows) => putSweep(rows, feed, { dirty: true }));
    throw new AppError('internal', `the list of ${feed.family} documents moved too fast to be read`);
  }
  Object.assign(reading, startReading(parts, extent, { ...state, pageLimit: limitMax }), { state, news, restarts: restarts + 1, pages });
}
