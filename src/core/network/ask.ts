// Asking the access point what became of a transmission that it has, and what its answer means for the message.

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

/** What an access point tells of a transmission that it has. */
export function outcomeOf(parts: TransmitParts, { accessPoint }: Peppol, row: TransmissionRow, progress: Progress): Outcome {
  const { state, reason, answer } = progress;
  if (answer !== null) return answered(parts, row, answer);
  if (state === 'stored') {
    // It begins with what it is given in the same moment, and never comes back to what it was prevented from beginning.
    const isStuck = row.handed_at !== null && parts.clock.now() - row.handed_at >= STORED_MS_MAX;
    return isStuck ? ended(parts, row, 'failed', NEVER_BEGUN) : follow(parts, row, null, reason);
  }
  if (state === 'working') return follow(parts, row, null, reason);
  if (state === 'unknown') return follow(parts, row, null, 'The access point knows nothing of it.');
  if (state === 'sent' && accessPoint.tellsAnswers) return follow(parts, row, 'sent', null);
  return ended(parts, row, state, reason);
}

/** The document of the answer, which says why, comes on its own way; it is waited for, but not for ever. */
function answered(parts: TransmitParts, row: TransmissionRow, code: string): Outcome {
  const now = parts.clock.now();
  const seenAt = row.answer_seen_at ?? now;
  const over = now - seenAt >= ANSWER_WAIT_MS;
  if (over) return { ...ended(parts, row, statusByCode(code) ?? 'sent', null), answer: code };
  const settlement = { phase: 'handed', nextAttemptAt: seenAt + ANSWER_WAIT_MS, reason: null, answerSeenAt: seenAt } as const;
  return { settlement: { ...settlement, ...begunIn(parts, row) }, status: 'sent', answer: null };
}

function ended(parts: TransmitParts, row: TransmissionRow, status: Outcome['status'], reason: string | null): Outcome {
  return { settlement: { phase: 'ended', nextAttemptAt: null, reason, ...begunIn(parts, row) }, status, answer: null };
}

/** It is asked about again, unless nobody will ever tell; then the message keeps the status that it has. */
function follow(parts: TransmitParts, row: TransmissionRow, status: 'sent' | null, reason: string | null): Outcome {
  const { clock, random } = parts;
  const now = clock.now();
  const over = now - (row.handed_at ?? now) >= QUESTIONS_TOTAL_MS;
  const next = { phase: over ? 'ended' : 'handed', nextAttemptAt: over ? null : now + untilQuestion(row.attempts, random) } as const;
  return { settlement: { ...next, reason, ...begunIn(parts, row) }, status, answer: null };
}

/** An earlier try did get through, though nobody knew. */
function begunIn({ clock }: TransmitParts, row: TransmissionRow): { handedAt?: number; found?: boolean; postedAt?: null } {
  return row.handed_at === null ? { handedAt: clock.now(), found: true, postedAt: null } : {};
}
