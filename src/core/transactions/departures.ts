// The seam to the network: how a document leaves whose receiver is no account of this core.
import type { Rows } from '#core/ledger/schema.ts';
import type { DocumentHead } from '#domain/document.ts';

/** A document that may leave this core. */
export interface Departure {
  /** The receiver is known to take it; otherwise that is asked again. */
  readonly found: boolean;
}

export interface Departures {
  /** Throws `unknown-receiver` when the receiver certainly does not take the document, `invalid`, and `internal` when it must not wait. */
  depart(head: DocumentHead): Promise<Departure>;
  /** Owes the current version of a message to the network, in the transaction that stores it. Returns what to ring for. */
  owe(rows: Rows, integrationId: string, departure: Departure | null, nowMs: number): Promise<string>;
}
