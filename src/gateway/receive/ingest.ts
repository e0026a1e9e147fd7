// One listed document on its way into the outbox: fetched, compared with what was published of it, staged, owed, published.
// Used for every document from every call; the same document twice lands in the same place.

import { dayOf } from '#domain/day.ts';
import type { DocumentHead } from '#domain/document.ts';
import { uuidMadeAt } from '#domain/id.ts';
import { pipelined } from '#engines/pipelined.ts';
import type { Archive } from '#gateway/archive/archive.ts';
import { type KnownDocument, putVersion, readDocument, setListDigest } from '#gateway/ledger/documents.ts';
import type { PartyBook } from '#gateway/ledger/parties.ts';
import { insertPublication } from '#gateway/ledger/publications.ts';
import { deleteQuarantined, noteFetching } from '#gateway/ledger/quarantine.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { DocumentState } from '#gateway/ledger/tables/receiving.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { Feed } from '#gateway/model/feed.ts';
import { type OutboxDocument, outboxName } from '#gateway/model/file-names.ts';
import { receivedNaming } from '#gateway/model/layout.ts';
import type { Measures } from '#gateway/model/measures.ts';
import type { Publisher } from '#gateway/publish/publish.ts';
import type { Content } from '#gateway/reader/inspect.ts';
import type { Reading } from '#gateway/reader/reading.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { uuidOf } from '#runtime/uuid.ts';
import type { ReadHead } from '#ubl/head.ts';
import type { Listed } from './feed-client.ts';
import { type FetchParts, fetchHeld } from './fetch-held.ts';

export interface IngestParts extends FetchParts {
  readonly ledger: Ledger;
  readonly publisher: Pick<Publisher, 'hand'>;
  readonly accounts: Pick<Accounts, 'find' | 'readersOf'>;
  readonly archive: Pick<Archive, 'keep'>;
  readonly parties: Pick<PartyBook, 'note'>;
  readonly fetched: Reading['fetched'];
  readonly measures?: Pick<Measures, 'published'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A document of a list, or one of which only the identity is known. */
type Wanted = Pick<Listed, 'integrationId'> &
  Partial<Listed> & {
    /** What is known of it, where the caller has read that; null when nothing is. */
    readonly known?: KnownDocument | null;
  };

/**
 * Resolves when the document is published, or was before. What is known and looks as it did is left alone, unless it is in one of the states
 * of `again`. So is one whose id another family has, which is logged: it would be taken for a version of that document, and each for one of the
 * other with every sweep. Throws what the requests throw, and `storage`.
 */
export async function ingest(parts: IngestParts, feed: Feed, wanted: Wanted, again: readonly DocumentState[] = []): Promise<void> {
  const { ledger, log } = parts;
  const { accountRegNo, family } = feed;
  const { integrationId, listSha256 = null } = wanted;
  const known = wanted.known === undefined ? await readDocument(ledger.read, accountRegNo, integrationId) : (wanted.known ?? undefined);
  if (known && known.family !== family) {
    const remedy = `the service gave this id to a document of ${known.family}, too: fetch this one there, and have it given an id of its own`;
    log.error({ event: 'poll.id-shared', accountRegNo, family, integrationId, remedy });
    return;
  }
  const thereSinceMs = thereSince(integrationId, known, parts.clock.now());
  const unchanged = listSha256 === null || known?.listSha256 === listSha256;
  if (known && unchanged && !again.includes(known.state)) return;

  // Before it is fetched: a death in between must not leave its version before to be marked.
  if (known && known.version > 0) await ledger.write([], (rows) => noteFetching(rows, feed, integrationId, parts.clock.now()));
  using held = await fetchHeld(parts, feed, wanted);
  const { bytes } = held;
  const document = parts.fetched(bytes);
  if (await document.isSame(known?.content)) {
    await ledger.write([`account ${accountRegNo}`], async (rows) => {
      await pipelined(
        listSha256 === null ? undefined : setListDigest(rows, accountRegNo, integrationId, listSha256),
        deleteQuarantined(rows, accountRegNo, integrationId),
      );
    });
    return;
  }
  await publishVersion(parts, feed, {
    integrationId,
    listSha256: listSha256 ?? known?.listSha256 ?? null,
    bytes,
    known,
    thereSinceMs,
    ...(await document.content()),
  });
}

/**
 * Since when there has been something to fetch: our core, and others whose ids tell the time, have made the id when they took the document. A later
 * version, and a document that was there before the account's first start, is there since it is looked at.
 */
function thereSince(integrationId: string, known: KnownDocument | undefined, nowMs: number): number {
  const isFirst = known === undefined || (known.version === 0 && known.state === 'stuck');
  return isFirst ? Math.min(uuidMadeAt(integrationId) ?? nowMs, nowMs) : nowMs;
}

interface Fetched extends Content<ReadHead | null> {
  readonly integrationId: string;
  readonly listSha256: string | null;
  readonly bytes: Buffer;
  readonly known: KnownDocument | undefined;
  readonly thereSinceMs: number;
}

async function publishVersion(parts: IngestParts, feed: Feed, fetched: Fetched): Promise<void> {
  const { publisher, archive, log } = parts;
  const { accountRegNo, family } = feed;
  const { integrationId, listSha256, bytes, known, head, sha256 } = fetched;
  const home = homeOf(parts, feed);
  const version = (known?.version ?? 0) + 1;
  const receivedAt = parts.clock.now();
  const name = nameFor(parts, feed, { home, integrationId, head, version });
  await archive.keep(accountRegNo, name, bytes);
  const owed = await publisher.hand({ home, accountRegNo }, bytes, async (rows, staged) => {
    // Another ingest of the document was quicker.
    const now = await readDocument(rows, accountRegNo, integrationId);
    if ((now?.version ?? 0) >= version) return [];
    const stage = `version ${version}`;
    const [publication] = await pipelined(
      insertPublication(rows, { accountRegNo, home, folder: 'outbox', name, staged, subject: integrationId, stage }),
      putVersion(rows, feed, {
        integrationId,
        isKnown: now !== undefined,
        version,
        content: sha256,
        listSha256,
        receivedAt,
        head,
      }),
      deleteQuarantined(rows, accountRegNo, integrationId),
    );
    return [publication];
  });
  if (head) parts.parties.note(head);
  const file = owed[0]?.name;
  if (file === undefined) return;
  parts.measures?.published(parts.clock.now() - fetched.thereSinceMs);
  log.info({ event: 'outbox.published', accountRegNo, family, integrationId, documentId: head?.documentId, version, file });
}

/** Whose folders the account of the feed has: its own, or those of its partner's children together. */
export function homeOf({ accounts }: { readonly accounts: Pick<Accounts, 'find'> }, { accountRegNo }: Feed): string {
  return accounts.find(accountRegNo)?.home ?? accountRegNo;
}

interface Named {
  readonly home: string;
  readonly integrationId: string;
  readonly head: DocumentHead | null;
  readonly version: number;
}

export function nameFor(
  { accounts, clock }: Pick<IngestParts, 'accounts' | 'clock'>,
  { accountRegNo, family }: Feed,
  { home, integrationId, head, version }: Named,
): string {
  const document: OutboxDocument = {
    account: home === accountRegNo ? null : accountRegNo,
    date: head?.issueDate ?? dayOf(clock.now()),
    family,
    documentId: head?.documentId ?? 'unknown',
    sender: head?.sender ?? 'unknown',
    integrationId,
    version,
  };
  const agreed = receivedNaming(accounts.readersOf(home));
  return agreed ? agreed({ ...document, accountRegNo }, uuidOf) : outboxName(document);
}
