// One try to hand a transmission over: asks for its status, if an earlier try may have got through; looks the receiver up, if that is still
// owed; sends it.
//
// The access point sends an envelope as often as it gets it. So an envelope is posted again only after the access point has said that it has
// nothing of it, and long enough after the last hand-over:
//
//   taken (200, 422)                 handed: its status is followed, and it is never posted again
//   not taken (400 to 499)           posted again at the next try; given up after some tries when the access point refuses it
//   unknown (any other response,     asked for, until the access point knows it, or still does not after `settlesWithinMs`; when no status can
//   none, or we ended)               be had for so long that it would be given up: followed as if it had been taken

import { profileOf } from '#core/ledger/accounts.ts';
import { headOf } from '#core/ledger/messages.ts';
import { type Load, selectLoad, type TransmissionRow } from '#core/ledger/transmissions.ts';
import { xmlOf } from '#core/model/document.ts';
import { AppError } from '#domain/error.ts';
import { HAND_OVER_WAITS_MS, jittered, untilQuestion, waitAfter } from '#domain/retry.ts';
import { type Handed, isNotTaken, isRefused } from './access-point.ts';
import { outcomeOf } from './ask.ts';
import { type Outcome, reasonOf, type TransmitParts } from './attempt.ts';
import { writeEnvelope } from './envelope.ts';
import { routingOf } from './identifiers.ts';
import type { Peppol } from './network.ts';

/** A refusal may be trouble of the access point's own, which passes within minutes: the sender is told after so many tries. */
const REFUSED_TRIES_MAX = 5;

/** What a failing try has learned before. */
interface Learned {
  found: boolean;
  /** When the last hand-over of unknown outcome was made. */
  postedAt: number | null;
}

/** Never throws. */
export async function handOver(parts: TransmitParts, peppol: Peppol, row: TransmissionRow): Promise<Outcome> {
  const { ledger, clock, log } = parts;
  const learned: Learned = { found: row.found === 1, postedAt: row.posted_at };
  try {
    const load = await selectLoad(ledger.read, row);
    const routing = routingOf(headOf(load.message));
    // Before the look-up, which may say that there is no such receiver: a transmission that got through has not failed.
    const before = row.attempts > 1 || row.posted_at !== null ? await askBefore(parts, peppol, row) : null;
    if (before) return before;
    learned.postedAt = null;
    if (!learned.found) await peppol.lookup(routing);
    learned.found = true;
    const meta = { ...routing, instanceId: row.instance_id, country: countryOf(load, peppol) };
    const envelope = writeEnvelope({ ...meta, createdAtMs: row.created_at }, xmlOf(load.content));
    const handed = await peppol.accessPoint.send(envelope, meta).catch((error: unknown) => {
      if (!isNotTaken(error)) learned.postedAt = clock.now();
      throw error;
    });
    return taken(parts, handed);
  } catch (error) {
    if (!(error instanceof AppError)) log.error({ event: 'network.try-failed', instanceId: row.instance_id, err: error });
    return afterFailure(parts, peppol, row, learned, error);
  }
}

/** The outcome of an earlier try; null when the access point certainly has nothing of it, and there is time for another try. */
async function askBefore(parts: TransmitParts, peppol: Peppol, row: TransmissionRow): Promise<Outcome | null> {
  const progress = await peppol.accessPoint.status(row.instance_id);
  if (progress.state !== 'unknown') return outcomeOf(parts, peppol, { ...row, attempts: 0 }, progress);
  const reason = row.last_reason ?? 'The access point does not know it yet.';
  const settledAt = settledAtOf(peppol, row);
  if (parts.clock.now() < settledAt) {
    const next = again(parts, row, { found: row.found === 1, postedAt: row.posted_at }, reason);
    const nextAttemptAt = Math.min(next.settlement.nextAttemptAt ?? settledAt, settledAt);
    return { ...next, settlement: { ...next.settlement, nextAttemptAt } };
  }
  // Another try of unknown outcome would have to be followed beyond the time to give up.
  return row.posted_at !== null && isLate(parts, peppol, row) ? failed(`It was given up: ${reason}`) : null;
}

/**
 * When a hand-over that the access point does not know has certainly not got through. The waits grow with the time that has passed, so that
 * an endless fault leads to few hand-overs.
 */
function settledAtOf({ accessPoint }: Peppol, { created_at: createdAt, posted_at: postedAt }: TransmissionRow): number {
  if (postedAt === null || accessPoint.settlesWithinMs === 0) return 0;
  return postedAt + Math.max(accessPoint.settlesWithinMs, postedAt - createdAt);
}

function afterFailure(parts: TransmitParts, peppol: Peppol, row: TransmissionRow, learned: Learned, error: unknown): Outcome {
  const reason = reasonOf(error);
  const certain = error instanceof AppError && (error.code === 'unknown-receiver' || error.code === 'invalid');
  if (certain || (isRefused(error) && row.attempts >= REFUSED_TRIES_MAX)) return failed(reason);
  if (!isLate(parts, peppol, row)) return again(parts, row, learned, reason);
  return learned.postedAt === null ? failed(`It was given up: ${reason}`) : followed(parts, reason);
}

function isLate({ clock }: TransmitParts, { giveUp }: Peppol, { created_at: createdAt }: TransmissionRow): boolean {
  return clock.now() - createdAt >= giveUp;
}

function taken(parts: TransmitParts, { accessPointId, sent, reason }: Handed): Outcome {
  const { settlement } = followed(parts, sent ? null : reason);
  return { settlement: { ...settlement, found: true, accessPointId, postedAt: null }, status: sent ? 'sent' : null, responseCode: null };
}

/** Its status is asked for from now on, and it is not handed over any more. */
function followed({ clock, random }: TransmitParts, reason: string | null): Outcome {
  const now = clock.now();
  const settlement = { state: 'handed', nextAttemptAt: now + untilQuestion(0, random), reason, handedAt: now } as const;
  return { settlement, status: null, responseCode: null };
}

function failed(reason: string): Outcome {
  return { settlement: { state: 'ended', nextAttemptAt: null, reason }, status: 'failed', responseCode: null };
}

function again({ clock, random }: TransmitParts, { attempts }: TransmissionRow, { found, postedAt }: Learned, reason: string): Outcome {
  const nextAttemptAt = clock.now() + jittered(waitAfter(HAND_OVER_WAITS_MS, attempts), random);
  return { settlement: { state: 'waiting', nextAttemptAt, reason, found, postedAt }, status: null, responseCode: null };
}

/** The country in the account's profile, or the operator's. */
function countryOf({ profile }: Load, { country }: Peppol): string {
  return profileOf(profile).country ?? country;
}
