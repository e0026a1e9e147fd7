// One try to hand a transmission over: asked for, if an earlier try may have got through; looked up, if that is still owed; sent.
//
// The access point sends what it is given as often as it is given it. So nothing is given to it again before it has said that it has nothing of
// it, and before it can have come to know of what was given to it last:
//
//   it took it (200, 422)            handed: it is followed, and never given again
//   it did not take it (400 to 499)  given again, at the next try; what it refuses is given up after some tries
//   nobody knows (any other answer,  asked for, until the access point knows it, or still does not after `settlesWithinMs`; when it cannot be
//   none, or we ended)               asked for so long that it would be given up: followed as if it had it

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
import { exchangeOf } from './identifiers.ts';
import type { Peppol } from './network.ts';

/** What the access point refuses may be its own trouble, which passes within minutes; the sender is told after that. */
const REFUSED_TRIES_MAX = 5;

/** What a try has learned by the time at which it fails. */
interface Learned {
  found: boolean;
  /** When the last hand-over was made of which nobody knows whether it got through. */
  postedAt: number | null;
}

/** Never throws. */
export async function handOver(parts: TransmitParts, peppol: Peppol, row: TransmissionRow): Promise<Outcome> {
  const { ledger, clock, log } = parts;
  const learned: Learned = { found: row.found === 1, postedAt: row.posted_at };
  try {
    const load = await selectLoad(ledger.read, row);
    const exchange = exchangeOf(headOf(load.message));
    // Before anybody says that the receiver is not there: what got through has not failed.
    const before = row.attempts > 1 || row.posted_at !== null ? await askBefore(parts, peppol, row) : null;
    if (before) return before;
    learned.postedAt = null;
    if (!learned.found) await peppol.lookup(exchange);
    learned.found = true;
    const meta = { ...exchange, instanceId: row.instance_id, country: countryOf(load, peppol) };
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

/** What an earlier try has come to; null when the access point certainly has nothing of it, and there is time for another one. */
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
  // One more, whose outcome might not be known either, would have to be followed.
  return row.posted_at !== null && isLate(parts, peppol, row) ? failed(`It was given up: ${reason}`) : null;
}

/**
 * When it is certain that what the access point does not know did not get through. The waits grow with all that has gone by, so that a fault
 * that never ends has it handed over a few times at the most.
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
  return { settlement: { ...settlement, found: true, accessPointId, postedAt: null }, status: sent ? 'sent' : null, answer: null };
}

/** It is asked about from now on, and not handed over any more. */
function followed({ clock, random }: TransmitParts, reason: string | null): Outcome {
  const now = clock.now();
  const settlement = { phase: 'handed', nextAttemptAt: now + untilQuestion(0, random), reason, handedAt: now } as const;
  return { settlement, status: null, answer: null };
}

function failed(reason: string): Outcome {
  return { settlement: { phase: 'ended', nextAttemptAt: null, reason }, status: 'failed', answer: null };
}

function again({ clock, random }: TransmitParts, { attempts }: TransmissionRow, { found, postedAt }: Learned, reason: string): Outcome {
  const nextAttemptAt = clock.now() + jittered(waitAfter(HAND_OVER_WAITS_MS, attempts), random);
  return { settlement: { phase: 'waiting', nextAttemptAt, reason, found, postedAt }, status: null, answer: null };
}

/** Of the account, where its profile tells it. */
function countryOf({ profile }: Load, { country }: Peppol): string {
  return profileOf(profile).country ?? country;
}
