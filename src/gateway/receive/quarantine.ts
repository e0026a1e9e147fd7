// Documents that cannot be put into the outbox: they must not hold up the others of their feed, and must not be forgotten either. After some
// tries one is set aside with an alarm, so that sweeps can be completed; it is tried again for as long as it takes.
import { toAppError } from '#domain/error.ts';
import { insertMet, type Met, setListDigest } from '#gateway/ledger/documents.ts';
import { deleteQuarantined, forgetQuarantined, noteQuarantined, readQuarantinedOf } from '#gateway/ledger/quarantine.ts';
import type { Feed } from '#gateway/model/feed.ts';
import { type Failed, isLimited } from '#gateway/service/list-work.ts';
import { type IngestParts, ingest } from './ingest.ts';

/** One is set aside when it has failed so often, over so long: a service that is down for a moment is no reason. */
const TRIES_MIN = 5;
const SINCE_MIN_MS = 10 * 60_000;
/** How often those that are set aside are tried again. */
export const QUARANTINE_RETRY_MS = 15 * 60_000;
/** So many failures of one round say enough of the others. */
const FAILURES_MAX = 3;
/** How long the service may say that it has no such document, before that is believed. */
const GONE_AFTER_MS = 24 * 60 * 60_000;

/** Notes those that failed, and sets aside what has failed for long. Returns one of those that have not. */
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
      log.error({ event: 'poll.stuck', accountRegNo, family, integrationId, tries, since: new Date(since).toISOString(), err: error });
    }
    if (!isSetAside) rest ??= { each, error };
  }
  return rest;
}

/** One that was tried later than now was tried by a clock that has been set back since. */
function isDue(triedAtMs: number, nowMs: number): boolean {
  return nowMs - triedAtMs >= QUARANTINE_RETRY_MS || triedAtMs > nowMs;
}

/** Tries those again whose time has come, those first that have waited longest. Returns whether any are left. */
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
