// What the gateway reports to its metrics. Without metrics nothing is reported, and the work is the same.
import type { NetworkStage, Stage } from '#domain/receipt.ts';
import type { Outcome } from './outcome.ts';

/** Times are milliseconds. */
export interface Measures {
  /** A file was taken into custody. */
  taken(): void;
  /** An item has ended, so long after it was taken. */
  ended(outcome: Pick<Outcome, 'stage' | 'findings'>, afterMs: number): void;
  /** A home got a receipt. */
  receipt(stage: Stage): void;
  /** The network has said what became of a document, so long after the service had accepted it. */
  reported(stage: NetworkStage, afterMs: number): void;
  /** A received document lies in an outbox, so long after the service took it, as far as its id tells. */
  published(afterMs: number): void;
  /** A connection has ended without a login. */
  loginRefused(reason: string): void;
  /** An address may not connect for a time. */
  banned(): void;
}
