// Asks the access point for the status of a transmission that it has, and derives the message's status from it.

import { statusByCode } from '#core/examination/responses.ts';
import type { TransmissionRow } from '#core/ledger/transmissions.ts';
import { ANSWER_WAIT_MS, QUESTIONS_TOTAL_MS, STORED_MS_MAX, untilQuestion } from '#domain/retry.ts';
import type { Progress } from './access-point.ts';
import { type Outcome, reasonOf, type TransmitParts } from './attempt.ts';
import type { Peppol } from './network.ts';

/** Never throws. */
export async function askFor(parts: TransmitParts, peppol: Peppol, row: TransmissionRow): Promise<Outcome> {
  try {
    return outcomeOf(parts, peppol, row, await peppol.accessPoint.status(row.instance_id));
  } catch (error) {
    return follow(parts, row, null, reasonOf(error));
  }
}

const NEVER_BEGUN =
  'The access point has stored it and never begun to send it, as it does when it is ended in between. To send it under another name: dropgate transmission retry.';

/** The outcome of the status that an access point reports. */
export function outcomeOf(parts: TransmitParts, { accessPoint }: Peppol, row: TransmissionRow, progress: Progress): Outcome {
  const { state, reason, responseCode } = progress;
  if (responseCode !== null) return responded(parts, row, responseCode);
  if (state === 'stored') {
    // An access point begins to send at once, and does not resume a transmission that it was prevented from beginning.
    const isStuck = row.handed_at !== null && parts.clock.now() - row.handed_at >= STORED_MS_MAX;
    return isStuck ? ended(parts, row, 'failed', NEVER_BEGUN) : follow(parts, row, null, reason);
  }
  if (state === 'working') return follow(parts, row, null, reason);
  if (state === 'unknown') return follow(parts, row, null, 'The access point knows nothing of it.');
  if (state === 'sent' && accessPoint.reportsResponses) return follow(parts, row, 'sent', null);
  return ended(parts, row, state, reason);
}

/** The document of the response, which gives the reason, comes in an envelope of its own: it is waited for, within limits. */
function responded(parts: TransmitParts, row: TransmissionRow, code: string): Outcome {
  const now = parts.clock.now();
  const seenAt = row.answer_seen_at ?? now;
  const over = now - seenAt >= ANSWER_WAIT_MS;
  if (over) return { ...ended(parts, row, statusByCode(code) ?? 'sent', null), responseCode: code };
  const settlement = { state: 'handed', nextAttemptAt: seenAt + ANSWER_WAIT_MS, reason: null, answerSeenAt: seenAt } as const;
  return { settlement: { ...settlement, ...begunIn(parts, row) }, status: 'sent', responseCode: null };
}

function ended(parts: TransmitParts, row: TransmissionRow, status: Outcome['status'], reason: string | null): Outcome {
  return { settlement: { state: 'ended', nextAttemptAt: null, reason, ...begunIn(parts, row) }, status, responseCode: null };
}

/** Asks again later, or, after `QUESTIONS_TOTAL_MS`, never: then the message keeps the status that it has. */
function follow(parts: TransmitParts, row: TransmissionRow, status: 'sent' | null, reason: string | null): Outcome {
  const { clock, random } = parts;
  const now = clock.now();
  const over = now - (row.handed_at ?? now) >= QUESTIONS_TOTAL_MS;
  const next = { state: over ? 'ended' : 'handed', nextAttemptAt: over ? null : now + untilQuestion(row.attempts, random) } as const;
  return { settlement: { ...next, reason, ...begunIn(parts, row) }, status, responseCode: null };
}

/** An earlier try, whose outcome was unknown, did get through. */
function begunIn({ clock }: TransmitParts, row: TransmissionRow): { handedAt?: number; found?: boolean; postedAt?: null } {
  return row.handed_at === null ? { handedAt: clock.now(), found: true, postedAt: null } : {};
}
