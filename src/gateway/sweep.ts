// One sweep of a feed: the plain list from the newest down to what was known when the last sweep was completed. Marks never decide
// what is fetched (submit-and-poll.md, 'Poll').

import type { TransactionQuery } from '#contract/routes.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';
import { dayOf } from '#runtime/day.ts';
import type { Listed, Page } from './feed-client.ts';
import { type IngestParts, ingest } from './ingest.ts';
import { type Feed, feedId, insertSeen, readDocuments, readSeen, readUnmarked, setMarked } from './ledger/documents.ts';
import type { Ledger } from './ledger/schema.ts';
import { putSweep, readLatestSequence, readSweep, type SweepState } from './ledger/sweeps.ts';

/** An ordinary sweep begins with a short page: most find one new document, or none. */
const PAGE_LIMIT_SHORT = 10;
const KNOWN_MAX = 20;
const RESTARTS_MAX = 5;
const INGESTS_AT_ONCE = 8;
const MARKS_AT_ONCE = 8;
const MARKS_MAX = 1_000;
const DAY_MS = 24 * 60 * 60_000;
const RECONCILE_DAYS = 3;

export type Reach =
  /** Stops where it meets enough that was known. */
  | 'new'
  /** Everything that was changed in the last days, whatever is known of it. */
  | 'reconcile'
  /** The whole list. */
  | 'all';

/** How far a list has been read. */
interface Reading {
  readonly reach: Reach;
  readonly state: SweepState;
  readonly restarts: number;
  readonly met: Set<string>;
  readonly news: Listed[];
  limit: number;
  offset: number;
  /** The next page begins with a document that has been met; otherwise the list has moved. */
  overlaps: boolean;
  /** Met documents that were known when the last sweep was completed. */
  knownBefore: number;
  /** It need not be read further. */
  done: boolean;
}

export interface SweepParts extends IngestParts {
  /** Readings that the budget has interrupted, by feed: the next sweep goes on there. */
  readonly unfinished: Map<string, Reading>;
}

/**
 * Sweeps the feed and marks what has been published; resolves with whether there was anything new. Throws what its requests throw; then
 * it is not complete, and nothing is lost by that.
 */
export async function sweepFeed(parts: SweepParts, feed: Feed, reach: 'new' | 'reconcile'): Promise<boolean> {
  const state = await readSweep(parts.ledger.read, feed);
  if (state.start !== 'started') await startFeed(parts, feed, state);
  else await sweep(parts, feed, state, state.dirty ? 'reconcile' : reach, (listed) => ingest(parts, feed, listed));
  await markPublished(parts, feed);
  return (await readSweep(parts.ledger.read, feed)).complete > state.complete;
}

/** Lists as far as `reach` says, hands every document on, oldest first, and records that the sweep is complete. */
async function sweep(
  parts: SweepParts,
  feed: Feed,
  state: SweepState,
  reach: Reach,
  each: (listed: Listed) => Promise<void>,
): Promise<void> {
  const { ledger, unfinished } = parts;
  const key = feedId(feed);
  const before = unfinished.get(key);
  const reading = before?.reach === reach ? before : startReading(reach, state);
  unfinished.set(key, reading);
  try {
    await readOn(parts, feed, reading);
    const failed = await inParallel(reading.news.toReversed(), INGESTS_AT_ONCE, each);
    if (failed) throw failed.error;
  } catch (error) {
    // A budget that is spent is no reason to begin again: a long list would never be read to its end.
    if (!(error instanceof AppError && error.code === 'rate-limited')) unfinished.delete(key);
    throw error;
  }
  await ledger.write(async (rows) => {
    const clean = reach === 'new' ? {} : { dirty: false };
    await putSweep(rows, feed, { complete: await readLatestSequence(rows, feed), ...clean });
  });
  unfinished.delete(key);
}

function startReading(reach: Reach, state: SweepState, restarts = 0): Reading {
  const limit = reach === 'new' ? Math.min(PAGE_LIMIT_SHORT, state.pageLimit) : state.pageLimit;
  return { reach, state, restarts, met: new Set(), news: [], limit, offset: 0, overlaps: false, knownBefore: 0, done: false };
}

/** Reads the list on to where it may stop. What it finds new or changed is collected in `news`, newest first. */
async function readOn({ ledger, feeds, clock }: SweepParts, feed: Feed, reading: Reading): Promise<void> {
  const { state, reach } = reading;
  const query = reach === 'reconcile' ? recently(clock.now()) : {};
  while (!reading.done) {
    const { offset, limit, met, news } = reading;
    const page: Page = await feeds.page(feed, { ...query, offset }, limit);
    const [first] = page.items;
    if (reading.overlaps && !(first && met.has(first.integrationId))) {
      await readAgain(ledger, feed, reading);
      continue;
    }
    if (page.limit < limit) await ledger.write((rows) => putSweep(rows, feed, { pageLimit: page.limit }));

    const fresh = page.items.filter(({ integrationId }) => !met.has(integrationId));
    const ids = fresh.map(({ integrationId }) => integrationId);
    const known = await readDocuments(ledger.read, feed.accountRegNo, ids);
    for (const item of fresh) {
      const document = known.get(item.integrationId);
      met.add(item.integrationId);
      if (document && document.sequence <= state.complete) reading.knownBefore++;
      if (document?.listSha256 !== item.listSha256) news.push(item);
    }
    reading.done = !first || (reach === 'new' && reading.knownBefore >= Math.max(1, Math.min(KNOWN_MAX, page.limit - 2)));
    // Pages overlap by one; a page without anything new is passed whole.
    reading.overlaps = fresh.length > 0;
    reading.offset += fresh.length === 0 ? page.items.length : page.items.length - 1;
    reading.limit = Math.min(page.limit < limit ? page.limit : limit * 2, state.pageLimit);
  }
}

/** The list moved on between two pages, so that something may have been skipped: from the top. */
async function readAgain(ledger: Ledger, feed: Feed, reading: Reading): Promise<void> {
  if (reading.restarts >= RESTARTS_MAX) {
    await ledger.write((rows) => putSweep(rows, feed, { dirty: true }));
    throw new AppError('internal', `the list of ${feed.family} documents moved too fast to be read`);
  }
  Object.assign(reading, startReading(reading.reach, reading.state, reading.restarts + 1));
}

/**
 * The first start of a feed: what is there already is recorded as seen; then the unread are taken and published. If an answer of that may have
 * been lost, everything seen is published: twice can be repaired, lost cannot.
 */
async function startFeed(parts: SweepParts, feed: Feed, state: SweepState): Promise<void> {
  const { ledger } = parts;
  const publishSeen = async (): Promise<void> => {
    for (const integrationId of await readSeen(ledger.read, feed)) await ingest(parts, feed, { integrationId }, true);
  };
  if (state.start === 'new') {
    await sweep(parts, feed, state, 'all', ({ integrationId, listSha256 }) =>
      ledger.write((rows) => insertSeen(rows, feed, integrationId, listSha256)),
    );
    await ledger.write((rows) => putSweep(rows, feed, { start: 'draining' }));
    await drain(parts, feed, state).catch(async (error: unknown) => {
      // Nothing was taken by a request that was not answered because it came too early: begin again, with what is there by then.
      if (!(error instanceof AppError && error.code === 'rate-limited')) return publishSeen();
      await ledger.write((rows) => putSweep(rows, feed, { start: 'new' }));
      throw error;
    });
  } else {
    await publishSeen();
  }
  await ledger.write(async (rows) => putSweep(rows, feed, { start: 'started', complete: await readLatestSequence(rows, feed) }));
}

/** Takes unread documents, which marks them, until there are none; each goes to the outbox first. */
async function drain(parts: IngestParts, feed: Feed, { pageLimit }: SweepState): Promise<void> {
  for (let page = await parts.feeds.drain(feed, pageLimit); page.length > 0; page = await parts.feeds.drain(feed, pageLimit)) {
    const failed = await inParallel([...page].reverse(), INGESTS_AT_ONCE, (listed) => ingest(parts, feed, listed, true));
    // Not as it is: these documents have been taken, even if fetching one was refused for the time being.
    if (failed) throw new AppError('internal', 'documents were taken that could not be published yet', { cause: failed.error });
    await parts.ledger.write((rows) =>
      setMarked(
        rows,
        feed.accountRegNo,
        page.map((listed) => listed.integrationId),
        parts.clock.now(),
      ),
    );
  }
}

/** Marks read at the service what lies in the outbox. */
async function markPublished(parts: IngestParts, feed: Feed): Promise<void> {
  const { ledger, feeds, clock } = parts;
  const unmarked = await readUnmarked(ledger.read, feed, MARKS_MAX);
  if (unmarked.length === 0) return;
  if (!familyNamed(feed.family).readFilters) {
    await drain(parts, feed, await readSweep(ledger.read, feed));
    await ledger.write((rows) => setMarked(rows, feed.accountRegNo, unmarked, clock.now()));
    return;
  }
  const marked: string[] = [];
  const failed = await inParallel(unmarked, MARKS_AT_ONCE, async (integrationId) => {
    await feeds.mark(feed, integrationId);
    marked.push(integrationId);
  });
  await ledger.write((rows) => setMarked(rows, feed.accountRegNo, marked, clock.now()));
  if (failed) throw failed.error;
}

function recently(now: number): TransactionQuery {
  const day = (offset: number): string => dayOf(now + offset * DAY_MS);
  return { updatedAtFrom: day(-RECONCILE_DAYS), updatedAtTo: day(1) };
}

/** Runs all, a few at once, begun in order; one that fails does not stop the others. Returns the first failure. */
async function inParallel<Each>(
  all: readonly Each[],
  atOnce: number,
  work: (each: Each) => Promise<void>,
): Promise<{ error: unknown } | null> {
  let failed: { error: unknown } | null = null;
  const left = all.values();
  const lane = async (): Promise<void> => {
    for (const each of left) {
      try {
        await work(each);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return failed;
}
