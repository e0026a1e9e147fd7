// The first start of a feed: what is there already is recorded as seen, and what of it the account wants goes to the outbox
// (submit-and-poll.md, 'First start of an account').

import { inGroups } from '#domain/groups.ts';
import { insertMet, readInState, setAllUnread, setUnread } from '#gateway/ledger/documents.ts';
import { putSweep, readSweep, type SweepState } from '#gateway/ledger/sweeps.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { isLimited, tryEach } from '#gateway/service/list-work.ts';
import { type IngestParts, ingest } from './ingest.ts';
import { setAside } from './quarantine.ts';
import { drain } from './read-marks.ts';
import { ALL, changedSince } from './reading.ts';
import { type HandOn, type Noting, publishing, type SweepParts, sweepList } from './sweep-list.ts';

const AT_ONCE = 8;
/** Rows of one commit. */
const ROWS_AT_ONCE = 500;
/** How often the statuses are read that move meanwhile. */
const TRIES_MAX = 5;

/** What the account wants. */
export interface ReceiveRules {
  /** `unread`, `now`, `all` or a day. */
  readonly from: string;
  readonly marks: boolean;
}

/** Resolves with how far the feed is when it has started; at a crash it goes on where nothing is lost. Throws what requests throw. */
export async function startFeed(parts: SweepParts, feed: Feed, state: SweepState, rules: ReceiveRules): Promise<SweepState> {
  if (state.start === 'new' || rules.from !== 'unread') await listAll(parts, feed, state, rules);
  if (rules.from === 'unread') await takeUnread(parts, feed, state, rules.marks);
  await parts.ledger.write([`account ${feed.accountRegNo}`], (rows) => putSweep(rows, feed, { start: 'started' }));
  parts.notings.delete(feedId(feed));
  return readSweep(parts.ledger.read, feed);
}

async function listAll(parts: SweepParts, feed: Feed, state: SweepState, { from }: ReceiveRules): Promise<void> {
  const { ledger, clock } = parts;
  if (from === 'all') {
    await sweepList(parts, feed, state, ALL, publishing(parts, feed));
    return;
  }
  // What the budget has interrupted after that goes on: a long list would spend each minute's requests on being recorded again.
  if (!isRecorded(parts, feed)) await sweepList(parts, feed, state, ALL, recording(parts, feed));
  if (from === 'now') return;
  if (from !== 'unread') {
    await sweepList(parts, feed, state, changedSince(from, clock.now()), publishing(parts, feed, ['seen']));
    return;
  }
  await noteUnread(parts, feed, state);
  await ledger.write([`account ${feed.accountRegNo}`], (rows) => putSweep(rows, feed, { start: 'listed' }));
}

function isRecorded({ unfinished, notings }: SweepParts, feed: Feed): boolean {
  const key = feedId(feed);
  return notings.has(key) || unfinished.get(key)?.extent.name === 'since';
}

function recording({ ledger }: IngestParts, feed: Feed): HandOn {
  return async (listed, taken) => {
    for (const some of inGroups(listed, ROWS_AT_ONCE)) {
      await ledger.write([`account ${feed.accountRegNo}`], (rows) => insertMet(rows, feed, some, 'seen'));
    }
    listed.forEach(taken);
    return { failed: [], away: null };
  };
}

/**
 * Before anything is taken: what is known to have been read need never be published, whatever becomes of the answers. Goes on where
 * the budget has interrupted it; after anything else what is there is recorded again.
 */
async function noteUnread(parts: SweepParts, feed: Feed, state: SweepState): Promise<void> {
  const { ledger, notings } = parts;
  const key = feedId(feed);
  let noting = notings.get(key) ?? startNoting();
  while (noting.tries < TRIES_MAX) {
    notings.set(key, noting);
    const isNoted = await noteOn(parts, feed, state, noting).catch((error: unknown) => {
      if (!isLimited(error)) notings.delete(key);
      throw error;
    });
    if (isNoted) return;
    noting = { ...startNoting(), tries: noting.tries + 1 };
  }
  // A service that tells nothing, or too much at a time, tells of none that it was read.
  await ledger.write([], (rows) => setAllUnread(rows, feed));
}

function startNoting(): Noting {
  return { tries: 0, met: new Set(), overlaps: false, offset: 0 };
}

/** False when the list could not be read from one end to the other: pages overlap by one, and a page that does not has skipped some. */
async function noteOn({ ledger, feeds }: IngestParts, feed: Feed, { pageLimit }: SweepState, noting: Noting): Promise<boolean> {
  const { met } = noting;
  for (;;) {
    const { overlaps, offset } = noting;
    const page = await feeds.statuses(feed, offset, pageLimit);
    if (!page) return false;
    const [first] = page;
    if (!first) return !overlaps;
    if (overlaps && !met.has(first.integrationId)) return false;
    const fresh = page.filter(({ integrationId }) => !met.has(integrationId));
    if (fresh.length === 0 && (page.length > 1 || !overlaps)) return false;
    const unread = fresh.flatMap(({ integrationId, isRead }) => (isRead ? [] : [integrationId]));
    await ledger.write([], (rows) => setUnread(rows, feed.accountRegNo, unread));
    for (const { integrationId } of fresh) met.add(integrationId);
    noting.overlaps = fresh.length > 0;
    noting.offset += fresh.length > 0 ? page.length - 1 : page.length;
  }
}

/**
 * Takes the unread by the endpoint that marks them. If an answer of that is lost, everything that is not known to have been read is published:
 * twice can be repaired, lost cannot. Where nothing may be marked, that is done at once.
 */
async function takeUnread(parts: SweepParts, feed: Feed, { start, pageLimit }: SweepState, marks: boolean): Promise<void> {
  const { ledger } = parts;
  if (!marks || start === 'draining') return publishUnread(parts, feed);
  await ledger.write([`account ${feed.accountRegNo}`], (rows) => putSweep(rows, feed, { start: 'draining' }));
  try {
    await drain(parts, feed, pageLimit, ['seen', 'unread']);
  } catch (error) {
    if (!isLimited(error)) return publishUnread(parts, feed);
    // Nothing was taken by a request that came too early.
    await ledger.write([`account ${feed.accountRegNo}`], (rows) => putSweep(rows, feed, { start: 'listed' }));
    throw error;
  }
}

async function publishUnread(parts: IngestParts, feed: Feed): Promise<void> {
  const unread = await readInState(parts.ledger.read, feed, 'unread');
  const { failed, away } = await tryEach(unread, AT_ONCE, ({ integrationId }) => ingest(parts, feed, { integrationId }, ['unread']));
  const rest = await setAside(parts, feed, failed);
  if (rest ?? away) throw (rest ?? away)?.error;
}
