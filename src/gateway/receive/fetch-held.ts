// Fetching a document into memory, of which all that are fetched share a part. The doorbell tells no length, and most documents are short.
import { toAppError } from '#domain/error.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { Semaphore } from '#runtime/concurrency.ts';
import type { FeedClient, Listed } from './feed-client.ts';

/** Bytes of documents that all sweeps together hold in memory. */
export const HELD_BYTES_MAX = 64 * 1024 * 1024;
/** What a document is taken for whose length is not known, and what it is taken for when it turns out to be longer. */
const SHORT_BYTES = 256 * 1024;
const LONG_BYTES = 8 * 1024 * 1024;

export interface FetchParts {
  readonly feeds: FeedClient;
  /** Bytes of documents that may be held at once. */
  readonly held: Semaphore;
}

interface Held extends Disposable {
  readonly bytes: Buffer;
}

/** Fetches the document as soon as there is room for it, until it is disposed of. A long one whose length was not known is asked for again, with room for a long one. */
export async function fetchHeld(
  parts: FetchParts,
  feed: Feed,
  { integrationId, bytes }: Pick<Listed, 'integrationId'> & Partial<Listed>,
): Promise<Held> {
  if (bytes !== undefined) return fetchWithin(parts, feed, integrationId, bytes);
  try {
    return await fetchWithin(parts, feed, integrationId, SHORT_BYTES, SHORT_BYTES);
  } catch (error) {
    if (toAppError(error).code !== 'too-large') throw error;
    return await fetchWithin(parts, feed, integrationId, LONG_BYTES);
  }
}

async function fetchWithin({ held, feeds }: FetchParts, feed: Feed, id: string, expected: number, bytesMax?: number): Promise<Held> {
  const room = await held.take(expected);
  try {
    const bytes = await feeds.fetch(feed, id, bytesMax);
    return { bytes, [Symbol.dispose]: () => room[Symbol.dispose]() };
  } catch (error) {
    room[Symbol.dispose]();
    throw error;
  }
}
