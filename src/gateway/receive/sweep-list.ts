// Sweeping one list of a feed: read as far as it goes, hand on what is found, record that it is complete (submit-and-poll.md, 'Sweep').

import { insertMet } from '#gateway/ledger/documents.ts';
import { type Completed, completeSweep, type SweepState } from '#gateway/ledger/sweeps.ts';
import type { DocumentState } from '#gateway/ledger/tables/receiving.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { type Failed, isLimited, isUnanswered, type Round, tryEach } from '#gateway/service/list-work.ts';
import { isNameless, type Listed } from './feed-client.ts';
import { type IngestParts, ingest } from './ingest.ts';
import { setAside } from './quarantine.ts';
import { type Extent, isComparison, type Reading, type ReadingParts, readOn, startReading } from './reading.ts';

const INGESTS_AT_ONCE = 8;
/** A reading that made no progress so many times is started again at the newest document, to find what has come since. */
const FUTILE_MAX = 5;

/** How far the statuses of what was there before have been read. */
export interface Noting {
  /** Readings before this one that did not come from one end to the other. */
  readonly tries: number;
  readonly met: Set<string>;
  /** The next page begins with one that has been met. */
  overlaps: boolean;
  offset: number;
}

export interface SweepParts extends IngestParts, ReadingParts {
  /** By feed: readings that stopped because the budget was spent or the service was away. The next sweep continues them. */
  readonly unfinished: Map<string, Reading>;
  /** By feed: comparisons that have begun. A death is followed by a start, which compares anew. */
  readonly comparisons: Map<string, Reading>;
  /** By feed: first starts that stopped because the budget was spent after all documents had been recorded. The next sweep continues them. */
  readonly notings: Map<string, Noting>;
  /** Then a comparison pauses: what has come meanwhile must not wait until all of a long list has been compared. */
  readonly comparedPages: number;
  /** Called when an incomplete sweep has come further than the one before it. */
  readonly gotFurther: (feed: Feed) => void;
}

/** Hands on the documents of a reading, oldest first; calls `taken` for each that is done. Throws `rate-limited`. */
export type HandOn = (found: readonly Listed[], taken: (listed: Listed) => void) => Promise<Round<Listed>>;

/**
 * Reads the list as far as `extent` says, hands on what it finds, and records the complete sweep if that changes anything. Resolves with the new
 * state of the feed, or with `state` itself when nothing was recorded.
 */
export async function sweepList(parts: SweepParts, feed: Feed, state: SweepState, extent: Extent, handOn: HandOn): Promise<SweepState> {
  const { ledger, log } = parts;
  const { accountRegNo, family } = feed;
  const key = feedId(feed);
  const begun = isComparison(extent) ? parts.comparisons : parts.unfinished;
  const before = begun.get(key);
  const reading = before?.extent.name === extent.name ? before : startReading(parts, extent, state);
  // When the budget is spent or the service is away, continue later instead of starting again: otherwise a long list is never read to its end.
  begun.set(key, reading);
  const { failed, stopped, hasRead, hasHandedOn } = await readAndHandOn(parts, feed, reading, handOn);
  const isFurther = hasRead || hasHandedOn;
  // A service that has given no answer at all has said nothing about any document.
  const rest = isFurther ? await setAside(parts, feed, failed) : failed[0];
  const wrong = rest ?? stopped;
  if (wrong) {
    const isAway = isUnanswered(stopped?.error);
    reading.futile = isFurther ? 0 : reading.futile + 1;
    if (!isAway || reading.futile > FUTILE_MAX) begun.delete(key);
    if (hasHandedOn || (isAway && hasRead)) parts.gotFurther(feed);
    throw wrong.error;
  }
  if (!reading.done) return state;
  begun.delete(key);
  if (reading.repeats) log.error({ event: 'poll.offset-ignored', accountRegNo, family, documents: reading.met.size });
  if (hasMetNothingNew(state, reading)) return state;
  return ledger.write([`account ${feed.accountRegNo}`], (rows) => completeSweep(rows, feed, compared(parts, state, reading)));
}

/** Complete readings of these extents are recorded only when they have changed something. */
const IS_ASKED_OFTEN: ReadonlySet<Extent['name']> = new Set(['new', 'recent']);

/** All documents that were read are known from the last complete sweep, as they are for most feeds most of the time. */
function hasMetNothingNew({ dirty }: SweepState, { extent, repeats, knownInRow, met }: Reading): boolean {
  return IS_ASKED_OFTEN.has(extent.name) && !dirty && !repeats && knownInRow === met.size;
}

interface Wrong {
  readonly error: unknown;
}

interface Try {
  readonly failed: readonly Failed<Listed>[];
  /** Why the list could not be read far enough, or a document not be handed on. */
  readonly stopped: Wrong | null;
  readonly hasRead: boolean;
  readonly hasHandedOn: boolean;
}

/** Reads and hands on by turns until the reading is complete or an error stops it. Documents that fail stay in the list, for the next sweep. */
async function readAndHandOn(parts: SweepParts, feed: Feed, reading: Reading, handOn: HandOn): Promise<Try> {
  const { pages, news, extent } = reading;
  const pausesAt = isComparison(extent) ? pages + parts.comparedPages : Number.POSITIVE_INFINITY;
  const failed: Failed<Listed>[] = [];
  let stopped: Wrong | null = null;
  let hasHandedOn = false;
  while (!stopped) {
    stopped = await readOn(parts, feed, reading).then(() => null, asBroken);
    // After an outage the reading continues soon, and hands on the oldest first. After any other error what was found is handed on.
    if (stopped && isUnanswered(stopped.error) && reading.pages > pages) break;
    const tried = new Set(failed.map(({ each }) => each));
    const found = [...news.values()].filter((each) => !tried.has(each)).reverse();
    const round = await handOn(found, ({ integrationId }) => {
      hasHandedOn = news.delete(integrationId) || hasHandedOn;
    });
    failed.push(...round.failed);
    stopped = round.away ?? stopped;
    if (reading.done || reading.pages >= pausesAt) break;
  }
  return { failed, stopped, hasRead: reading.pages > pages, hasHandedOn };
}

function asBroken(error: unknown): Wrong {
  if (isLimited(error)) throw error;
  return { error };
}

/** What a complete reading says beyond the position. Where the list could not be read on, something may have been passed over. */
function compared({ clock }: IngestParts, state: SweepState, { extent: { name }, repeats }: Reading): Completed {
  const at = clock.now();
  const { recentAt, deepAt } = state;
  if (name === 'new') return { recentAt, deepAt, dirty: repeats || state.dirty };
  return { recentAt: at, deepAt: name === 'recent' ? deepAt : at, dirty: repeats };
}

/** Into the outbox with it; `again`: also what is known in one of these states. */
export function publishing(parts: IngestParts, feed: Feed, again: readonly DocumentState[] = []): HandOn {
  return async (found, taken) => {
    const nameless = found.filter(isNameless);
    if (nameless.length > 0) await passOver(parts, feed, nameless);
    nameless.forEach(taken);
    const withId = found.filter((listed) => !isNameless(listed));
    return tryEach(withId, INGESTS_AT_ONCE, (listed) => ingest(parts, feed, listed, again).then(() => taken(listed)));
  };
}

/** These cannot be fetched; a person must ask the service. */
async function passOver({ ledger, log }: IngestParts, feed: Feed, nameless: readonly Listed[]): Promise<void> {
  await ledger.write([`account ${feed.accountRegNo}`], (rows) => insertMet(rows, feed, nameless, 'stuck'));
  log.error({ event: 'poll.nameless', accountRegNo: feed.accountRegNo, family: feed.family, documents: nameless.length });
}
