// The access point: somebody else's program that speaks AS4. It takes envelopes, says what became of them, and hands over what came.
import type { Exchange } from './identifiers.ts';

/** About a transmission, for whoever looks without opening its envelope. */
export interface TransmissionMeta extends Exchange {
  readonly instanceId: string;
  readonly country: string;
}

/** Characters of a name or a sentence of the access point's that are kept: they stand in rows, receipts and answers. */
export const TOLD_CHARACTERS_MAX = 1_000;

export interface Progress {
  /**
   * `unknown`: the access point has never heard of it. `working`: it has it. `sent`: the receiving access point has acknowledged it.
   * `delivered`, `rejected`: the receiver's side has answered. `failed`: given up.
   */
  readonly state: 'unknown' | 'working' | 'sent' | 'delivered' | 'rejected' | 'failed';
  readonly reason: string | null;
}

/** What becomes of an envelope that the access point hands over. */
export type Reception = 'taken' | 'known';

/** Throws `unreadable`, `invalid` and `unknown-receiver` for an envelope that will never be taken; anything else is to be tried again. */
export type Receive = (envelope: Uint8Array) => Promise<Reception>;

export interface AccessPoint {
  /** After `sent` its status also tells what the receiver's side has answered. */
  readonly tellsAnswers: boolean;
  /**
   * Hands an envelope over, and resolves with the access point's name for it. Doing it again for the same instanceId hands nothing over
   * twice. Throws `internal` when nobody knows whether it was taken, or it was not taken now.
   */
  send(envelope: Uint8Array, meta: TransmissionMeta): Promise<string>;
  /** Throws `internal` when nobody can say now. */
  status(instanceId: string): Promise<Progress>;
  /** Begins to hand over what comes, where that is not done by requests to us. */
  receive(handle: Receive): AsyncDisposable;
}
