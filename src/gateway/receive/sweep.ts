// One sweep of a feed: the plain list from the newest down to what was known when the last sweep was completed. Marks never decide
// what is fetched (submit-and-poll.md, 'Poll').
import type { AppError } from '#domain/error.ts';
import { owesAnything, readSweep, readSweepAndOwed, type SweepState } from '#gateway/ledger/sweeps.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { isLimited } from '#gateway/service/list-work.ts';
import { type ReceiveRules, startFeed } from './initial-sync.ts';
import { retryQuarantined } from './quarantine.ts';
import { type MarkParts, type Marks, markPublished, NO_MARKS } from './read-marks.ts';
import { changedLately, type Extent, NEW } from './reading.ts';
import { type RedeliverParts, redeliver } from './redeliver.ts';
import { publishing, type SweepParts, sweepList } from './sweep-list.ts';

/** Whether all that was changed lately is to be compared, and how far back. */
export type Reconcile = 'recent' | 'deep' | null;

export interface Swept {
  readonly hasNews: boolean;
  /** It went on where an earlier one was interrupted: what has come since that began stands above it, and is not met yet. */
  readonly wentOn: boolean;
  /** All that was changed lately was compared. */
  readonly hasCompared: boolean;
  /** There are documents that could not be published, to be tried again. */
  readonly hasQuarantined: boolean;
  readonly marks: Marks;
}

/**
 * Sweeps the feed, tries again what is quarantined, and marks what has been published. Throws what its requests throw; then it is not complete,
 * and nothing is lost by that.
 */
export async function sweepFeed(
  parts: SweepParts & RedeliverParts & MarkParts,
  feed: Feed,
  rules: ReceiveRules,
  due: (state: SweepState) => Reconcile,
): Promise<Swept> {
  const { ledger } = parts;
  const { state, owes } = await readSweepAndOwed(ledger.read, feed);
  const hasStarted = state.start === 'started';
  const wentOn = hasBegun(parts, feed) || state.start === 'listed' || state.start === 'draining';
  const extent = hasStarted ? compares(parts, feed, state, due) : null;
  const after = hasStarted ? await sweepOn(parts, feed, state, extent) : await startFeed(parts, feed, state, rules);
  const pauses = parts.comparisons.has(feedId(feed));
  const hasNews = after.complete > state.complete;
  // A mark moves documents in the list that is being compared.
  if (pauses) return { hasNews, wentOn: true, hasCompared: false, hasQuarantined: false, marks: NO_MARKS };
  const swept = { hasNews, wentOn, hasCompared: !hasStarted || extent !== null };
  // Of most feeds nothing new was met, and nothing is owed: what was asked first holds.
  const owesNow = after === state ? owes : await owesAnything(ledger.read, feed);
  if (!owesNow) return { ...swept, hasQuarantined: false, marks: NO_MARKS };
  await redeliver(parts, feed);
  const hasQuarantined = await retryQuarantined(parts, feed);
  return { ...swept, hasQuarantined, marks: await markFeed(parts, feed, rules, after) };
}

/** What is to be compared: that of which the comparison has begun, or what is due. */
function compares({ comparisons, clock }: SweepParts, feed: Feed, state: SweepState, due: (state: SweepState) => Reconcile): Extent | null {
  const begun = comparisons.get(feedId(feed));
  if (begun) return begun.extent;
  const reconcile = due(state) ?? (state.dirty ? 'recent' : null);
  return reconcile && changedLately(reconcile, clock.now(), state.recentAt);
}

/** A comparison meets what is new when it begins; what has come since is looked for before each of its other turns. */
async function sweepOn(parts: SweepParts, feed: Feed, state: SweepState, compared: Extent | null): Promise<SweepState> {
  const handOn = publishing(parts, feed);
  const looks = compared === null || parts.comparisons.has(feedId(feed));
  const now = looks ? await sweepList(parts, feed, state, NEW, handOn) : state;
  return compared ? sweepList(parts, feed, now, compared, handOn) : now;
}

function hasBegun({ unfinished, comparisons, notings }: SweepParts, feed: Feed): boolean {
  const id = feedId(feed);
  return unfinished.has(id) || comparisons.has(id) || notings.has(id);
}

/** Marks what has been published, where the account wants marks, and as far as the budget allows. `state`: as it is now, where that is known. */
export async function markFeed(parts: MarkParts, feed: Feed, { marks }: Pick<ReceiveRules, 'marks'>, state?: SweepState): Promise<Marks> {
  if (!marks) return NO_MARKS;
  try {
    return await markPublished(parts, feed, state ?? (await readSweep(parts.ledger.read, feed)));
  } catch (error) {
    const moreInMs = isLimited(error) ? waitOf(error) : null;
    if (moreInMs !== null) return { moreInMs, hasFailed: false };
    parts.log.warn({ event: 'poll.unmarked', accountRegNo: feed.accountRegNo, family: feed.family, err: error });
    return { moreInMs, hasFailed: true };
  }
}

/** How long to wait, as the service or the budget says. */
export function waitOf({ facts }: AppError): number | null {
  return typeof facts.waitMs === 'number' ? facts.waitMs : null;
}
