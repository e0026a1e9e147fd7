// Sweeping one list of a feed: read as far as it goes, hand on what is found, record that it is complete (submit-and-poll.md, 'Sweep').

import { insertMet } from '#gateway/ledger/documents.ts';
import { type Completed, completeSweep, type SweepState } from '#gateway/ledger/sweeps.ts';
import type { DocumentState } from '#gateway/ledger/tables/receiving.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { type Failed, isLimited, isUnanswered, type Round, tryEach } from '#gateway/service/list-work.ts';
import { isNameless, type Listed } from './feed-client.ts';
import { type IngestParts, ingest } from './ingest.ts';
import { setAside } from './quarantine.ts';
import { type Extent, type Reading, type ReadingParts, readOn, startReading } from './reading.ts';

const INGESTS_AT_ONCE = 8;
/** A reading that has got no further for so long is begun again: what has come since is above it. */
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
  /** Readings that the budget has interrupted, or that the service was away for, by feed: the next sweep goes on there. */
  readonly unfinished: Map<string, Reading>;
  /** First starts that the budget has interrupted after all that was there had been recorded, by feed: the next sweep goes on there. */
  readonly notings: Map<string, Noting>;
  /** Told when a sweep that could not be ended has come further than the one before it. */
  readonly gotFurther: (feed: Feed) => void;
}

/** Takes what a reading has found, oldest first; `taken` is told of each that need not be handed on again. Throws `rate-limited`. */
export type HandOn = (found: readonly Listed[], taken: (listed: Listed) => void) => Promise<Round<Listed>>;

/**
 * Reads as far as the extent says, hands on what it finds, and records that the sweep is complete, where that says anything new. Resolves with how far the
 * feed is then: with `state` itself where nothing was recorded.
 */
export async function sweepList(parts: SweepParts, feed: Feed, state: SweepState, extent: Extent, handOn: HandOn): Promise<SweepState> {
  const { ledger, unfinished, log } = parts;
  const { accountRegNo, family } = feed;
  const key = feedId(feed);
  const before = unfinished.get(key);
  const reading = before?.extent.name === extent.name ? before : startReading(parts, extent, state);
  // A budget that is spent, or a service that is away, is no reason to begin again: a long list would never be read to its end.
  unfinished.set(key, reading);
  const { failed, stopped, hasRead, hasHandedOn } = await readAndHandOn(parts, feed, reading, handOn);
  const isFurther = hasRead || hasHandedOn;
  // A service that has given no answer at all has said nothing about any document.
  const rest = isFurther ? await setAside(parts, feed, failed) : failed[0];
  const wrong = rest ?? stopped;
  if (wrong) {
    const isAway = isUnanswered(stopped?.error);
    reading.futile = isFurther ? 0 : reading.futile + 1;
    if (!isAway || reading.futile > FUTILE_MAX) unfinished.delete(key);
    if (hasHandedOn || (isAway && hasRead)) parts.gotFurther(feed);
    throw wrong.error;
  }
  unfinished.delete(key);
  if (reading.repeats) log.error({ event: 'poll.offset-ignored', accountRegNo, family, documents: reading.met.size });
  if (hasMetNothingNew(state, reading)) return state;
  return ledger.write([`account ${feed.accountRegNo}`], (rows) => completeSweep(rows, feed, compared(parts, state, reading)));
}

/** Of other readings it is recorded that there was one. */
const IS_ASKED_OFTEN: ReadonlySet<Extent['name']> = new Set(['new', 'recent']);

/** All that was met stands where the last completed sweep has met it: most feeds have nothing new, and are asked again and again. */
function hasMetNothingNew({ dirty }: SweepState, { extent, repeats, knownInRow, met }: Reading): boolean {
  return IS_ASKED_OFTEN.has(extent.name) && !dirty && !repeats && knownInRow === met.size;
}

interface Wrong {
  readonly error: unknown;
}

interface Try {
  readonly failed: readonly Failed<Listed>[];
  /** What kept the list from being read to where it may stop, or the rest from being handed on. */
  readonly stopped: Wrong | null;
  readonly hasRead: boolean;
  readonly hasHandedOn: boolean;
}

/** By turns, until the reading is done or something stops it. What fails stays among the news, and is not tried again here. */
async function readAndHandOn(parts: SweepParts, feed: Feed, reading: Reading, handOn: HandOn): Promise<Try> {
  const { pages, news } = reading;
  const failed: Failed<Listed>[] = [];
  let stopped: Wrong | null = null;
  let hasHandedOn = false;
  while (!stopped) {
    stopped = await readOn(parts, feed, reading).then(() => null, asBroken);
    // It is gone on with in a moment, and the oldest come first. Otherwise what was found is handed on, broken or not.
    if (stopped && isUnanswered(stopped.error) && reading.pages > pages) break;
    const tried = new Set(failed.map(({ each }) => each));
    const found = [...news.values()].filter((each) => !tried.has(each)).reverse();
    const round = await handOn(found, ({ integrationId }) => {
      hasHandedOn = news.delete(integrationId) || hasHandedOn;
    });
    failed.push(...round.failed);
    stopped = round.away ?? stopped;
    if (reading.done) break;
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
