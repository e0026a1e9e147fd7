// One listed document on its way into the outbox: fetched, compared with what was published of it, staged, owed, published.
// Used for every document from every call; the same document twice lands in the same place.

import { createHash } from 'node:crypto';
import type { Clock } from '#runtime/clock.ts';
import { dayOf } from '#runtime/day.ts';
import type { Log } from '#runtime/log.ts';
import type { ReadHead } from '#ubl/head.ts';
import type { FeedClient, Listed } from './feed-client.ts';
import { type Feed, putVersion, readDocuments, setListDigest } from './ledger/documents.ts';
import { insertPublication } from './ledger/publications.ts';
import type { Ledger } from './ledger/schema.ts';
import { lookInto } from './look.ts';
import { outboxName } from './names.ts';
import type { Publisher } from './publish.ts';

export interface IngestParts {
  readonly ledger: Ledger;
  readonly feeds: FeedClient;
  readonly publisher: Publisher;
  /** Whose folders the account has: its own, or those of its partner's children together. */
  readonly homeOf: (accountRegNo: string) => string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Resolves when the document is published, or was before. What was seen before the first start is left alone until it changes, unless `evenSeen`.
 * Throws what the requests throw, and `storage`.
 */
export async function ingest(
  parts: IngestParts,
  feed: Feed,
  listed: Pick<Listed, 'integrationId'> & Partial<Listed>,
  evenSeen = false,
): Promise<void> {
  const { ledger, feeds, publisher, clock, log } = parts;
  const { accountRegNo, family } = feed;
  const home = parts.homeOf(accountRegNo);
  const { integrationId, listSha256 = null } = listed;
  const known = (await readDocuments(ledger.read, accountRegNo, [integrationId])).get(integrationId);
  const unchanged = listSha256 === null || known?.listSha256 === listSha256;
  if (known && unchanged && !(known.state === 'seen' && evenSeen)) return;

  const bytes = await feeds.fetch(feed, integrationId);
  const { head, contentSha256 } = await describe(bytes);
  if (known?.contentSha256 === contentSha256) {
    if (listSha256 !== null) await ledger.write((rows) => setListDigest(rows, accountRegNo, integrationId, listSha256));
    return;
  }
  const version = (known?.version ?? 0) + 1;
  const name = outboxName({
    date: head?.issueDate ?? dayOf(clock.now()),
    family,
    documentId: head?.documentId ?? 'unknown',
    sender: head?.sender ?? 'unknown',
    integrationId,
    version,
  });
  const owed = await publisher.hand(home, bytes, async (rows, staged) => {
    await putVersion(rows, feed, { integrationId, version, contentSha256, listSha256 });
    return [
      await insertPublication(rows, {
        accountRegNo,
        home,
        folder: 'outbox',
        name,
        staged,
        subject: integrationId,
        stage: `version ${version}`,
      }),
    ];
  });
  const file = owed[0]?.name;
  log.info({ event: 'outbox.published', accountRegNo, family, integrationId, documentId: head?.documentId, version, file });
}

/** The document is the service's to judge: one that we cannot read is published all the same, under a poorer name. */
async function describe(bytes: Uint8Array): Promise<{ head: ReadHead | null; contentSha256: string }> {
  try {
    const { head, sha256 } = await lookInto(bytes);
    return { head, contentSha256: sha256 };
  } catch {
    return { head: null, contentSha256: createHash('sha256').update(bytes).digest('hex') };
  }
}
