// The seam between the folder `test` and what judges a document as if it had been dropped for real.
import type { ItemHead } from './item.ts';
import type { Outcome } from './outcome.ts';

interface DryRunRequest {
  readonly home: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

export interface DryRunResult {
  /** On whose behalf it would be sent; of what cannot be told whose it is, the home. */
  readonly accountRegNo: string;
  /** Null when it cannot be read. */
  readonly head: ItemHead | null;
  /** Of stage `tested`. */
  readonly outcome: Outcome;
}

export type DryRun = (request: DryRunRequest) => Promise<DryRunResult>;
