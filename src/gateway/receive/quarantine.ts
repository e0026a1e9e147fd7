// Quarantine: documents that cannot be put into the outbox. After several failures a document is set aside with an alarm, so that it does not
// stop the sweeps of its feed, and is retried until it succeeds.
import { isoTime } from '#domain/day.ts';
import { toAppError } from '#domain/error.ts';
import { insertMet, type Met, setListDigest } from '#gateway/ledger/documents.ts';
import { deleteQuarantined, forgetQuarantined, noteQuarantined, readQuarantinedOf } from '#gateway/ledger/quarantine.ts';
import type { Feed } from '#gateway/model/feed.ts';
import { type Failed, isLimited } from '#gateway/service/list-work.ts';
import { type IngestParts, ingest } from './ingest.ts';

/** A document is set aside after so many failures over so long a time, so that a short outage sets none aside. */
const TRIES_MIN = 5;
const SINCE_MIN_MS = 10 * 60_000;
/** How often documents in quarantine are retried. */
export const QUARANTINE_RETRY_MS = 15 * 60_000;
/** A round of retries stops after so many failures. */
const FAILURES_MAX = 3;
/** A document that the service does not have is given up so long after its first failure. */
const GONE_AFTER_MS = 24 * 60 * 60_000;

/** Records failures, and sets aside documents that have failed for long. Returns one of the failures that are not set aside. */
export async function setAside(parts: IngestParts, feed: Feed, failed: readonly Failed<Met>[]): Promise<Failed<Met> | null> {
  const { ledger, clock, log } = parts;
  const { accountRegNo, family } = feed;
  let rest: Failed<Met> | null = null;
  for (const { each, error } of failed) {
    const { message: reason } = toAppError(error);
    const { integrationId } = each;
    const { since, tries } = await ledger.write([], (rows) => noteQuarantined(rows, feed, integrationId, reason, clock.now()));
    const isSetAside = tries >= TRIES_MIN && clock.now() - since >= SINCE_MIN_MS;
    if (isSetAside) {
      await ledger.write([`account ${accountRegNo}`], async (rows) => {
        await insertMet(rows, feed, [each], 'stuck');
        await setListDigest(rows, accountRegNo, integrationId, each.listSha256);
      });
      log.error({ event: 'poll.stuck', accountRegNo, family, integrationId, tries, since: isoTime(since), err: error });
    }
    if (!isSetAside) rest ??= { each, error };
  }
  return rest;
}

/** A retry in the future means that the clock was set back since. */
function isDue(triedAtMs: number, nowMs: number): boolean {
  return nowMs - triedAtMs >= QUARANTINE_RETRY_MS || triedAtMs > nowMs;
}

/** Retries documents that are due, the one that has waited longest first. Returns whether any stay in quarantine. */
export async function retryQuarantined(parts: IngestParts, feed: Feed): Promise<boolean> {
  const { ledger, clock, log } = parts;
  const { accountRegNo, family } = feed;
  const quarantined = await readQuarantinedOf(ledger.read, feed);
  let left = quarantined.length;
  let failures = 0;
  for (const { integrationId, since, triedAt } of quarantined) {
    if (failures >= FAILURES_MAX) break;
    if (!isDue(triedAt, clock.now())) continue;
    try {
      await ingest(parts, feed, { integrationId }, ['stuck', 'published', 'seen', 'unread']);
      await ledger.write([], (rows) => deleteQuarantined(rows, accountRegNo, integrationId));
      left--;
    } catch (error) {
      if (isLimited(error)) throw error;
      const { code, message: reason } = toAppError(error);
      const isGone = code === 'missing' && clock.now() - since > GONE_AFTER_MS;
      await ledger.write([`account ${accountRegNo}`], async (rows) => {
        if (isGone) await forgetQuarantined(rows, accountRegNo, integrationId);
        else await noteQuarantined(rows, feed, integrationId, reason, clock.now());
      });
      log.warn({ event: isGone ? 'poll.gone' : 'poll.still-stuck', accountRegNo, family, integrationId, err: error });
      failures++;
    }
  }
  return left > 0;
}
