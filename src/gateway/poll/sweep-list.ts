// Sweeping one list of a feed: read as far as it goes, hand on what is found, record that it is complete (submit-and-poll.md, 'Sweep').

import { type Feed, feedId, insertMet } from '#gateway/ledger/documents.ts';
import type { DocumentState } from '#gateway/ledger/schema.ts';
import { putSweep, readLatestSequence, type SweepState } from '#gateway/ledger/sweeps.ts';
import { isNameless, type Listed } from './feed-client.ts';
import { type IngestParts, ingest } from './ingest.ts';
import { type Failed, inLanes, isLimited } from './lanes.ts';
import { type Extent, type Reading, type ReadingParts, readOn, startReading } from './reading.ts';
import { setAside } from './stuck.ts';

const INGESTS_AT_ONCE = 8;

export interface SweepParts extends IngestParts, ReadingParts {
  /** Readings that the budget has interrupted, by feed: the next sweep goes on there. */
  readonly unfinished: Map<string, Reading>;
}

/** Takes what a reading has found, oldest first, and returns what failed. Throws `rate-limited`. */
export type HandOn = (found: readonly Listed[]) => Promise<Failed<Listed>[]>;

/** Reads as far as the extent says, hands on what it finds, and records that the sweep is complete. */
export async function sweepList(parts: SweepParts, feed: Feed, state: SweepState, extent: Extent, handOn: HandOn): Promise<void> {
  const { ledger, unfinished, log } = parts;
  const { accountRegNo, family } = feed;
  const key = feedId(feed);
  const before = unfinished.get(key);
  const reading = before?.extent.name === extent.name ? before : startReading(parts, extent, state);
  // A budget that is spent is no reason to begin again: a long list would never be read to its end.
  unfinished.set(key, reading);
  const broken = await readOn(parts, feed, reading).then(() => null, asBroken);
  // What was found is handed on even if the list could not be read to where it may stop.
  const failed = await handOn([...reading.news.values()].reverse());
  unfinished.delete(key);
  const rest = await setAside(parts, feed, failed);
  if (rest) throw rest.error;
  if (broken) throw broken.error;

  if (reading.repeats) log.error({ event: 'poll.offset-ignored', accountRegNo, family, documents: reading.met.size });
  await ledger.write(async (rows) => putSweep(rows, feed, { complete: await readLatestSequence(rows, feed), ...compared(parts, reading) }));
}

function asBroken(error: unknown): { error: unknown } {
  if (isLimited(error)) throw error;
  return { error };
}

/** What a complete reading says beyond the position. Where the list could not be read on, something may have been passed over. */
function compared({ clock }: IngestParts, { extent: { name }, repeats }: Reading): Partial<SweepState> {
  const at = clock.now();
  if (name === 'new') return repeats ? { dirty: true } : {};
  return { dirty: repeats, recentAt: at, ...(name !== 'recent' && { deepAt: at }) };
}

/** Into the outbox with it; `again`: also what is known in one of these states. */
export function publishing(parts: IngestParts, feed: Feed, again: readonly DocumentState[] = []): HandOn {
  return async (found) => {
    const nameless = found.filter(isNameless);
    if (nameless.length > 0) await passOver(parts, feed, nameless);
    const named = found.filter((listed) => !isNameless(listed));
    return inLanes(named, INGESTS_AT_ONCE, (listed) => ingest(parts, feed, listed, again));
  };
}

/** Nobody can ask for these; a person must ask the service. */
async function passOver({ ledger, log }: IngestParts, feed: Feed, nameless: readonly Listed[]): Promise<void> {
  await ledger.write((rows) => insertMet(rows, feed, nameless, 'stuck'));
  log.error({ event: 'poll.nameless', accountRegNo: feed.accountRegNo, family: feed.family, documents: nameless.length });
}
