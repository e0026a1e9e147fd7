// Marking read at the service what lies in the outbox: after publishing, and after everything else that wants the budget. Marks decide nothing
// here but what a gateway takes that has lost its ledger.
import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';
import { noteMoved, readUnmarked, setMarked, UNMARKED_MAX } from '#gateway/ledger/documents.ts';
import { deleteQuarantined, noteFetching, readQuarantinedOf } from '#gateway/ledger/quarantine.ts';
import { putSweep, type SweepState } from '#gateway/ledger/sweeps.ts';
import type { DocumentState } from '#gateway/ledger/tables/receiving.ts';
import type { Feed } from '#gateway/model/feed.ts';
import { tryEach } from '#gateway/service/list-work.ts';
import type { Listed } from './feed-client.ts';
import { type IngestParts, ingest } from './ingest.ts';

const INGESTS_AT_ONCE = 8;

export interface MarkParts extends IngestParts {
  /** Of one feed. */
  readonly marksAtOnce: number;
}

export interface Marks {
  /** How long until there is more to mark than was marked at a time, or than the budget allowed; null: nothing waits for that. */
  readonly moreInMs: number | null;
  /** Some could not be set: another sweep should not be far away. */
  readonly hasFailed: boolean;
}

export const NO_MARKS: Marks = { moreInMs: null, hasFailed: false };

/** Marks what has been published, so much of it at a time. Throws what the requests throw that cannot be made for one document alone. */
export async function markPublished(parts: MarkParts, feed: Feed, state: SweepState): Promise<Marks> {
  const unmarked = await readUnmarked(parts.ledger.read, feed);
  if (unmarked.length === 0) return NO_MARKS;
  // A list that cannot be read to its end may hide documents; taking what is unread brings them.
  const isOneByOne = familyNamed(feed.family).readFilters && !state.dirty;
  const failed = isOneByOne ? await markEach(parts, feed, unmarked) : await drainBetweenSweeps(parts, feed, state, unmarked);
  // Where most of them fail, the others can wait.
  const isMore = unmarked.length === UNMARKED_MAX && failed < unmarked.length / 2;
  return { moreInMs: isMore ? 0 : null, hasFailed: failed > 0 };
}

/** Returns how many are not marked. */
async function markEach({ ledger, feeds, clock, log, marksAtOnce }: MarkParts, feed: Feed, unmarked: readonly string[]): Promise<number> {
  const { accountRegNo, family } = feed;
  const marked: string[] = [];
  /** Whether these were marked is not known. */
  const asked = new Set<string>();
  try {
    const { failed } = await tryEach(unmarked, marksAtOnce, async (integrationId) => {
      asked.add(integrationId);
      await feeds.mark(feed, integrationId);
      asked.delete(integrationId);
      marked.push(integrationId);
    });
    const left = unmarked.length - marked.length;
    if (failed[0]) log.warn({ event: 'poll.unmarked', accountRegNo, family, documents: left, err: failed[0].error });
    return left;
  } finally {
    // A death before this is followed by a start, which compares whatever was changed lately.
    await ledger.write([`account ${feed.accountRegNo}`], async (rows) => {
      await setMarked(rows, accountRegNo, marked, clock.now());
      await noteMoved(rows, accountRegNo, [...asked]);
    });
  }
}

/**
 * Where documents cannot be marked one by one: all that are unread are taken, each through the outbox first. While an answer is
 * on its way the feed is dirty: if it is lost, the next sweep compares what was changed lately. Returns how many are not marked: none.
 */
async function drainBetweenSweeps(parts: IngestParts, feed: Feed, state: SweepState, unmarked: readonly string[]): Promise<number> {
  const { ledger, clock } = parts;
  await ledger.write([`account ${feed.accountRegNo}`], (rows) => putSweep(rows, feed, { dirty: true }));
  await drain(parts, feed, state.pageLimit);
  await ledger.write([`account ${feed.accountRegNo}`], async (rows) => {
    await setMarked(rows, feed.accountRegNo, unmarked, clock.now());
    // Every answer has come, and all that it took is published: nothing was passed over that was not before.
    await putSweep(rows, feed, { dirty: state.dirty });
  });
  return 0;
}

/**
 * Takes unread documents, which marks them, until there are none that were not taken before; each goes to the outbox first, with `again`
 * also when it is known in one of these states. Throws `rate-limited` only while nothing has been taken that is not published.
 */
export async function drain(parts: IngestParts, feed: Feed, limit: number, again: readonly DocumentState[] = []): Promise<void> {
  const { feeds } = parts;
  const taken = new Set<string>();
  for (let page = await feeds.drain(feed, limit); page.length > 0; page = await feeds.drain(feed, limit)) {
    await publishTaken(parts, feed, page.toReversed(), again);
    // Marks of the service that do not stick: it would hand out the same for ever.
    if (page.every(({ integrationId }) => taken.has(integrationId))) return;
    for (const { integrationId } of page) taken.add(integrationId);
  }
}

/** What was handed out is handed out once, and may be listed where no page can be read: what is not published now is tried again as what is quarantined. */
async function publishTaken(parts: IngestParts, feed: Feed, taken: readonly Listed[], again: readonly DocumentState[]): Promise<void> {
  const { ledger, clock } = parts;
  const notYet = (cause: unknown): AppError => new AppError('internal', 'documents were taken that could not be published yet', { cause });
  const noted = await noteTaken(parts, feed, taken);
  const published: string[] = [];
  const publish = async (listed: Listed): Promise<void> => {
    await ingest(parts, feed, listed, again);
    published.push(listed.integrationId);
  };
  try {
    const { failed } = await tryEach(taken, INGESTS_AT_ONCE, publish).catch((error: unknown) => {
      throw notYet(error);
    });
    if (failed[0]) throw notYet(failed[0].error);
  } finally {
    await ledger.write([`account ${feed.accountRegNo}`], async (rows) => {
      for (const integrationId of published) if (noted.has(integrationId)) await deleteQuarantined(rows, feed.accountRegNo, integrationId);
      await setMarked(rows, feed.accountRegNo, published, clock.now());
    });
  }
}

/** Returns those that were not quarantined before: of the others a version may be missing that is not the one which was taken. */
async function noteTaken({ ledger, clock }: IngestParts, feed: Feed, taken: readonly Listed[]): Promise<ReadonlySet<string>> {
  return ledger.write([`account ${feed.accountRegNo}`], async (rows) => {
    const quarantined = new Set((await readQuarantinedOf(rows, feed)).map(({ integrationId }) => integrationId));
    const noted = taken.flatMap(({ integrationId }) => (quarantined.has(integrationId) ? [] : [integrationId]));
    for (const integrationId of noted) await noteFetching(rows, feed, integrationId, clock.now());
    return new Set(noted);
  });
}
