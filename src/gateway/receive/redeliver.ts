// Redelivery: a document that was received goes to the outbox once more, because a person asked for it. A command writes what is wanted, and
// the next sweep of the feed, for which it rings, does it.

import { AppError } from '#domain/error.ts';
import { familyNamed } from '#domain/family.ts';
import type { Topic } from '#engines/queue.ts';
import { isIn } from '#gateway/disk/paths.ts';
import { readAccount } from '#gateway/ledger/accounts.ts';
import { putVersion, readDocument } from '#gateway/ledger/documents.ts';
import { insertPublication, type Publication, publishAgain, readPublished } from '#gateway/ledger/publications.ts';
import { deleteRedelivery, findReceived, insertRedelivery, type Redelivery, readRedeliveries } from '#gateway/ledger/redeliveries.ts';
import { leaveRing } from '#gateway/ledger/rings.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { type Feed, feedId } from '#gateway/model/feed.ts';
import { isLimited } from '#gateway/service/list-work.ts';
import { homeOf, type IngestParts, nameFor } from './ingest.ts';

/** `id`: an integrationId, or its end as names in the outbox have it. Throws `missing`, and `usage` when it names several documents. */
export async function askAgain(ledger: Ledger, id: string, nowMs: number): Promise<Redelivery> {
  const found = await receivedNamed(ledger, id);
  await ledger.write([], async (rows) => {
    await insertRedelivery(rows, found, nowMs);
    await leaveFeedRing(rows, found, 'incoming', feedId(found));
  });
  return found;
}

/** Has the daemon take the mark of one document back. `id` as above. Throws `missing`, and `usage` also for families that have no such mark. */
export async function askUnread(ledger: Ledger, id: string): Promise<Redelivery> {
  const found = await receivedNamed(ledger, id);
  if (!familyNamed(found.family).readFilters) {
    throw new AppError(
      'usage',
      `A document of family ${found.family} cannot be marked unread: the specification has it for invoices and credit notes.`,
    );
  }
  await ledger.write([], (rows) => leaveFeedRing(rows, found, 'unread', `${feedId(found)} ${found.integrationId}`));
  return found;
}

async function leaveFeedRing(rows: Rows, { accountRegNo }: Feed, topic: Topic, id: string): Promise<void> {
  const home = (await readAccount(rows, accountRegNo))?.home ?? accountRegNo;
  await leaveRing(rows, { home, topic, id });
}

/** `id` as above. Throws `missing`, and `usage` when it names several documents. */
export async function receivedNamed(ledger: Ledger, id: string): Promise<Redelivery> {
  const [found, other] = await findReceived(ledger.read, id);
  if (!found)
    throw new AppError('missing', `No document ${id} was received here; names in the outbox end with the last letters of its id.`);
  if (other) throw new AppError('usage', `More than one document ends with ${id}; give its whole integrationId.`);
  return found;
}

/** Does what was asked for of this feed. Throws `rate-limited`; what fails otherwise is tried again with the next sweep. */
export async function redeliver(parts: RedeliverParts, feed: Feed): Promise<void> {
  const { ledger, log } = parts;
  const { accountRegNo, family } = feed;
  for (const wanted of await readRedeliveries(ledger.read, feed)) {
    const { integrationId } = wanted;
    try {
      const file = await publishOnceMore(parts, wanted);
      if (file !== undefined) log.info({ event: 'outbox.redelivered', accountRegNo, family, integrationId, file });
    } catch (error) {
      if (isLimited(error)) throw error;
      const isGone = error instanceof AppError && error.code === 'missing';
      if (isGone) await ledger.write([], (rows) => deleteRedelivery(rows, wanted));
      log.error({
        event: isGone ? 'outbox.not-redelivered' : 'outbox.redelivery-postponed',
        accountRegNo,
        family,
        integrationId,
        err: error,
      });
    }
  }
}

export interface RedeliverParts extends IngestParts {
  readonly data: string;
}

/** Its name in the outbox; undefined when it was done meanwhile. */
async function publishOnceMore(parts: RedeliverParts, wanted: Redelivery): Promise<string | undefined> {
  const { ledger, feeds, publisher, data } = parts;
  const { accountRegNo, integrationId } = wanted;
  const home = homeOf(parts, wanted);
  const bytes = await feeds.fetch(wanted, integrationId);
  const document = parts.fetched(bytes);
  const known = await readDocument(ledger.read, accountRegNo, integrationId);
  const isSame = await document.isSame(known?.content);
  const { head, sha256 } = await document.content();
  const last = await readPublished(ledger.read, accountRegNo, integrationId, stageOf(known?.version ?? 0));
  const isGone = last !== undefined && !isIn(data, last.home, 'outbox', last.name);
  const version = (known?.version ?? 0) + 1;
  const name = nameFor(parts, wanted, { home, integrationId, head, version });

  const decide = async (rows: Rows, staged: string): Promise<(Publication | null)[]> => {
    if (!(await deleteRedelivery(rows, wanted))) return [];
    // The same name where the one before has been taken, the next one where it still lies there.
    if (isGone && isSame) return [await publishAgain(rows, last, staged)];
    const isKnown = known !== undefined;
    const receivedAt = parts.clock.now();
    await putVersion(rows, wanted, {
      integrationId,
      isKnown,
      version,
      content: sha256,
      listSha256: known?.listSha256 ?? null,
      receivedAt,
      head,
    });
    const owed = { accountRegNo, home, folder: 'outbox' as const, name, staged, subject: integrationId, stage: stageOf(version) };
    return [await insertPublication(rows, owed)];
  };
  return (await publisher.hand({ home, accountRegNo }, bytes, decide))[0]?.name;
}

function stageOf(version: number): string {
  return `version ${version}`;
}
