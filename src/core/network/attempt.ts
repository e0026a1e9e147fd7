// What the work on a transmission has in common: what it is handed, and what it comes to.

import type { Settlement } from '#core/ledger/transmissions.ts';
import type { Context } from '#core/model/context.ts';
import type { Told } from '#core/transactions/delivery.ts';
import { AppError } from '#domain/error.ts';

export type TransmitParts = Pick<Context, 'ledger' | 'clock' | 'random' | 'log' | 'queue' | 'changed'>;

/** The row as it is from now on, and the status that the message gets by it. */
export interface Outcome {
  readonly settlement: Settlement;
  readonly status: Told | null;
  /** The code of the message level status that gives it, of which the access point alone has told. */
  readonly answer: string | null;
}

/** The sentence of an error, for the row and the log. */
export function reasonOf(error: unknown): string {
  return error instanceof AppError ? error.message : 'an internal error';
}
