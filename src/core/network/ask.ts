// Asking the access point what became of a transmission that it has, and what its answer means for the message.
import type { TransmissionRow } from '#core/ledger/transmissions.ts';
import type { Progress } from './access-point.ts';
import { type Outcome, reasonOf, type TransmitParts } from './attempt.ts';
import type { Peppol } from './network.ts';
import { ASK_TOTAL_MS, nextQuestionAt } from './schedule.ts';

/** Never throws. */
export async function askFor(parts: TransmitParts, peppol: Peppol, row: TransmissionRow): Promise<Outcome> {
  try {
    return outcomeOf(parts, peppol, row, await peppol.accessPoint.status(row.instance_id));
  } catch (error) {
    return follow(parts, row, null, reasonOf(error));
  }
}

/** What an access point tells of a transmission that it has. */
export function outcomeOf(parts: TransmitParts, { accessPoint }: Peppol, row: TransmissionRow, { state, reason }: Progress): Outcome {
  if (state === 'working') return follow(parts, row, null, reason);
  if (state === 'unknown') return follow(parts, row, null, 'The access point knows nothing of it.');
  if (state === 'sent' && accessPoint.tellsAnswers) return follow(parts, row, 'sent', null);
  return { settlement: { phase: 'ended', nextAttemptAt: null, reason, ...begunIn(parts, row) }, status: state };
}

/** It is asked about again, unless nobody will ever tell; then the message keeps the status that it has. */
function follow(parts: TransmitParts, row: TransmissionRow, status: 'sent' | null, reason: string | null): Outcome {
  const { clock, random } = parts;
  const now = clock.now();
  const over = now - (row.handed_at ?? now) >= ASK_TOTAL_MS;
  const next = { phase: over ? 'ended' : 'handed', nextAttemptAt: over ? null : nextQuestionAt(row.attempts, now, random) } as const;
  return { settlement: { ...next, reason, ...begunIn(parts, row) }, status };
}

/** An earlier try did get through, though nobody knew. */
function begunIn({ clock }: TransmitParts, row: TransmissionRow): { handedAt?: number; found?: boolean } {
  return row.handed_at === null ? { handedAt: clock.now(), found: true } : {};
}
