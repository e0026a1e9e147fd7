// Documents that our own core has named: they are fetched straight, without a look at the list. A name is a hint, and what it leads to
// counts as met out of order: the list is compared as often as before, and a sweep finds what was missed here.
import type { Arrival } from '#domain/document.ts';
import { toAppError } from '#domain/error.ts';
import type { Queue } from '#engines/queue.ts';
import { readSweep } from '#gateway/ledger/sweeps.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { inLanes, isLimited } from '#gateway/service/list-work.ts';
import type { KeyedMutex } from '#runtime/concurrency.ts';
import { type IngestParts, ingest } from './ingest.ts';

const FEEDS_AT_ONCE = 16;
const DOCUMENTS_AT_ONCE = 8;
/** Of one feed; what is named beyond that is left to a sweep. */
const NAMES_MAX = 1_000;
/** When a sweep looks for what could not be fetched. */
const AFTER_FAILURE_MS = 30_000;

export interface NamedParts extends IngestParts {
  readonly queue: Queue;
  /** The feed that an id of the queue stands for, when its account is served. */
  readonly servedFeed: (id: string) => Feed | null;
  /** By the id of a feed: what concerns it runs when nothing else does. */
  readonly inOrder: KeyedMutex;
  /** A sweep of the feed has been interrupted: what came since is left to the next one. */
  readonly isSwept: (id: string) => boolean;
  /** Documents of the feed have been published. */
  readonly published: (feed: Feed) => void;
}

/** Answers the bell for named documents. The function that is returned takes the news of one, and rings it. */
export function startFetchingNamed(parts: NamedParts): (feed: Feed, arrival: Arrival) => void {
  const { queue, ledger, clock, log } = parts;
  /** By feed, and by the integration id. */
  const named = new Map<string, Map<string, Arrival>>();

  const handle = (id: string): Promise<void> => parts.inOrder.run(id, () => fetchNamed(id));

  async function fetchNamed(id: string): Promise<void> {
    const arrivals = [...(named.get(id)?.values() ?? [])];
    named.delete(id);
    const feed = parts.servedFeed(id);
    if (!feed) return;
    const { start } = await readSweep(ledger.read, feed);
    if (start !== 'started' || parts.isSwept(id)) return queue.ring('incoming', id);
    await fetchAll(feed, arrivals).catch((error: unknown) => sweepAfter(id, feed, error));
    parts.published(feed);
  }

  /** Whatever is known of them: a name that comes again tells of another version. Throws what one of them failed with. */
  async function fetchAll(feed: Feed, arrivals: readonly Arrival[]): Promise<void> {
    const { failed } = await inLanes(arrivals, DOCUMENTS_AT_ONCE, (arrival) => {
      const { integrationId, bytes } = arrival;
      return ingest(parts, feed, { integrationId, bytes, arrival }, ['published', 'seen', 'unread', 'stuck']);
    });
    if (failed[0]) throw failed[0].error;
  }

  function sweepAfter(id: string, { accountRegNo, family }: Feed, error: unknown): void {
    const { waitMs } = toAppError(error).facts;
    const afterMs = isLimited(error) && typeof waitMs === 'number' ? waitMs : AFTER_FAILURE_MS;
    log.warn({ event: 'poll.named-failed', accountRegNo, family, waitMs: afterMs, err: error });
    queue.ring('incoming', id, clock.now() + afterMs);
  }

  queue.answer('named', FEEDS_AT_ONCE, handle);
  return (feed, arrival) => {
    const id = feedId(feed);
    const arrivals = named.get(id) ?? new Map();
    named.set(id, arrivals);
    if (arrivals.size < NAMES_MAX) arrivals.set(arrival.integrationId, arrival);
    else queue.ring('incoming', id, clock.now() + AFTER_FAILURE_MS);
    queue.ring('named', id);
  };
}
