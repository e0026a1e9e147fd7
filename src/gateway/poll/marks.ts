// Marking read at the service what lies in the outbox: after publishing, and after everything else that wants the budget. Marks decide nothing
// here but what a gateway takes that has lost its ledger.
import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';
import { type Feed, readUnmarked, setMarked } from '#gateway/ledger/documents.ts';
import type { DocumentState } from '#gateway/ledger/schema.ts';
import { putSweep, type SweepState } from '#gateway/ledger/sweeps.ts';
import type { Listed } from './feed-client.ts';
import { type IngestParts, ingest } from './ingest.ts';
import { inLanes } from './lanes.ts';

const INGESTS_AT_ONCE = 8;
/** Marks have time. */
const MARKS_AT_ONCE = 4;

/** Marks what has been published. Throws `rate-limited`; what fails otherwise is tried again with the next sweep. */
export async function markPublished(parts: IngestParts, feed: Feed, state: SweepState): Promise<void> {
  const unmarked = await readUnmarked(parts.ledger.read, feed);
  if (unmarked.length === 0) return;
  if (familyNamed(feed.family).readFilters) await markEach(parts, feed, unmarked);
  else await drainBetweenSweeps(parts, feed, state, unmarked);
}

async function markEach({ ledger, feeds, clock, log }: IngestParts, feed: Feed, unmarked: readonly string[]): Promise<void> {
  const { accountRegNo, family } = feed;
  const marked: string[] = [];
  try {
    const { failed } = await inLanes(unmarked, MARKS_AT_ONCE, async (integrationId) => {
      await feeds.mark(feed, integrationId);
      marked.push(integrationId);
    });
    if (failed[0]) log.warn({ event: 'poll.unmarked', accountRegNo, family, documents: failed.length, err: failed[0].error });
  } finally {
    await ledger.write((rows) => setMarked(rows, accountRegNo, marked, clock.now()));
  }
}

/**
 * Families whose documents cannot be marked one by one: all that are unread are taken, each through the outbox first. While an answer is
 * on its way the feed is dirty: if it is lost, the next sweep compares what was changed lately.
 */
async function drainBetweenSweeps(parts: IngestParts, feed: Feed, state: SweepState, unmarked: readonly string[]): Promise<void> {
  const { ledger, clock } = parts;
  await ledger.write((rows) => putSweep(rows, feed, { dirty: true }));
  await drain(parts, feed, state.pageLimit);
  await ledger.write(async (rows) => {
    await setMarked(rows, feed.accountRegNo, unmarked, clock.now());
    // Every answer has come, and all that it took is published: nothing was passed over that was not before.
    await putSweep(rows, feed, { dirty: state.dirty });
  });
}

/**
 * Takes unread documents, which marks them, until there are none; each goes to the outbox first, with `again` also when it is known in one
 * of these states. Throws `rate-limited` only while nothing has been taken that is not published.
 */
export async function drain(parts: IngestParts, feed: Feed, limit: number, again: readonly DocumentState[] = []): Promise<void> {
  const { ledger, feeds, clock } = parts;
  for (let page = await feeds.drain(feed, limit); page.length > 0; page = await feeds.drain(feed, limit)) {
    await publishTaken(parts, feed, page.toReversed(), again);
    const ids = page.map(({ integrationId }) => integrationId);
    await ledger.write((rows) => setMarked(rows, feed.accountRegNo, ids, clock.now()));
  }
}

async function publishTaken(parts: IngestParts, feed: Feed, taken: readonly Listed[], again: readonly DocumentState[]): Promise<void> {
  const notYet = (cause: unknown): AppError => new AppError('internal', 'documents were taken that could not be published yet', { cause });
  const { failed } = await inLanes(taken, INGESTS_AT_ONCE, (listed) => ingest(parts, feed, listed, again)).catch((error: unknown) => {
    throw notYet(error);
  });
  if (failed[0]) throw notYet(failed[0].error);
}
