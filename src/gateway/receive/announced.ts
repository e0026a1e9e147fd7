// Documents that our own core has announced by their ids: they are fetched straight, without a look at the list. An announcement is a hint, and
// its document counts as met out of order: the list is compared as often as before, and a sweep finds what was missed here.
import type { Queue } from '#engines/queue.ts';
import { readDocuments } from '#gateway/ledger/documents.ts';
import { readSweep } from '#gateway/ledger/sweeps.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { tryEach } from '#gateway/service/list-work.ts';
import type { KeyedMutex } from '#runtime/concurrency.ts';
import { type IngestParts, ingest } from './ingest.ts';

const FEEDS_AT_ONCE = 16;
const DOCUMENTS_AT_ONCE = 8;
/** Of one feed; what is announced beyond that is left to a sweep. */
const IDS_MAX = 1_000;
/** How long after they came documents are marked: a burst goes before. */
const MARKS_AFTER_MS = 5_000;
/** When a sweep looks for these. */
const BEYOND_AFTER_MS = 30_000;

interface AnnouncedParts extends IngestParts {
  readonly queue: Queue;
  /** By the id of a feed: what concerns it runs when nothing else does. */
  readonly inOrder: KeyedMutex;
  /** Feeds of which a sweep has been interrupted: what came since is left to the next one. */
  readonly unfinished: { has(id: string): boolean };
  /** Has a sweep look for what could not be fetched. */
  readonly failed: (feed: Feed, error: unknown) => void;
}

/** Answers the bell for announced documents. The function that is returned announces one, and rings. */
export function startFetchingAnnounced(parts: AnnouncedParts): (feed: Feed, integrationId: string) => void {
  const { accounts, queue, ledger, unfinished, clock } = parts;
  const announced = new Map<string, { readonly feed: Feed; readonly ids: Set<string> }>();

  const handle = (id: string): Promise<void> => parts.inOrder.run(id, () => fetchAnnounced(id));

  async function fetchAnnounced(id: string): Promise<void> {
    const feed = announced.get(id)?.feed;
    if (!feed) return;
    // Where it cannot be read, the bell rings again for what has been announced.
    const { start } = await readSweep(ledger.read, feed);
    const ids = announced.get(id)?.ids ?? [];
    announced.delete(id);
    if (!accounts.find(feed.accountRegNo)) return;
    if (start !== 'started' || unfinished.has(id)) return queue.ring('incoming', id);
    await fetchAll(feed, [...ids]).catch((error: unknown) => parts.failed(feed, error));
    queue.ring('marks', id, clock.now() + MARKS_AFTER_MS);
  }

  /** Whatever is known of them: a name that comes again tells of another version. Throws what one of them failed with. */
  async function fetchAll(feed: Feed, integrationIds: readonly string[]): Promise<void> {
    const known = await readDocuments(ledger.read, feed.accountRegNo, integrationIds);
    const { failed } = await tryEach(integrationIds, DOCUMENTS_AT_ONCE, (integrationId) =>
      ingest(parts, feed, { integrationId, known: known.get(integrationId) ?? null }, ['published', 'seen', 'unread', 'stuck']),
    );
    if (failed[0]) throw failed[0].error;
  }

  queue.answer('announced', FEEDS_AT_ONCE, handle);
  return (feed, integrationId) => {
    const id = feedId(feed);
    const { ids } = announced.get(id) ?? { ids: new Set<string>() };
    announced.set(id, { feed, ids });
    if (ids.size < IDS_MAX) ids.add(integrationId);
    else queue.ring('incoming', id, clock.now() + BEYOND_AFTER_MS);
    queue.ring('announced', id);
  };
}
