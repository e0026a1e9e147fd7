// What the work on a transmission has in common: what it is handed, and what it comes to.

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

/** The row as it is from now on, and the status that the message gets by it. */
export interface Outcome {
  readonly settlement: Settlement;
  readonly status: ReportedStatus | null;
  /** The code of the message level status that gives it, of which the access point alone has told. */
  readonly answer: string | null;
}

/** The sentence of an error, for the row and the log. */
export function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.message : 'an internal error';
}
