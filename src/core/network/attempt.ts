// The parts and the outcome that all work on a transmission has in common.

import type { Ledger } from '#core/ledger/schema.ts';
import type { Settlement } from '#core/ledger/transmissions.ts';
import type { AnnounceParts } from '#core/transactions/delivery.ts';
import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import type { ReportedStatus } from '#domain/status.ts';
import type { Clock } from '#runtime/clock.ts';

export interface TransmitParts extends AnnounceParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
}

/** The row from now on, and the message's new status. */
export interface Outcome {
  readonly settlement: Settlement;
  readonly status: ReportedStatus | null;
  /** The code of the message level status that gives this status, when only the access point has reported it. */
  readonly responseCode: string | null;
}

/** The sentence of an error, for the row and the log. */
export function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.message : 'an internal error';
}
