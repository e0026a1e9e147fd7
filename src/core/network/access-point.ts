// The seam to the access point, a program of its own that speaks AS4: it takes envelopes, reports their status, and hands over envelopes
// that it receives.
import { AppError, type ErrorCode } from '#domain/error.ts';
import { isUnreachable } from '#runtime/outbound/outbound.ts';
import type { Routing } from './identifiers.ts';

/** The facts of a transmission, without opening its envelope. */
export interface TransmissionMeta extends Routing {
  readonly instanceId: string;
  readonly country: string;
}

/** Characters of the access point's names and sentences that are kept in rows, receipts and responses. */
export const REPORTED_CHARACTERS_MAX = 1_000;

export interface Progress {
  /**
   * `unknown`: the access point has never heard of it. `stored`: it has it and has not begun to send it. `working`: it sends it, or will send it
   * again. `sent`: the receiving access point has acknowledged it. `failed`: given up.
   */
  readonly state: 'unknown' | 'stored' | 'working' | 'sent' | 'failed';
  readonly reason: string | null;
  /** The code of the message level status that the receiver's side has sent: AP, AB or RE. */
  readonly responseCode: string | null;
}

/** An access point that has taken an envelope. */
export interface Handed {
  /** Its id of the envelope. */
  readonly accessPointId: string;
  /** The receiving access point has acknowledged it already. */
  readonly sent: boolean;
  /** Why it was not sent yet, when a try has failed. */
  readonly reason: string | null;
}

/** The error of a hand-over after which the access point has nothing of the envelope. `refused`: sending it again would hardly help. */
export function notTaken(message: string, { refused }: { readonly refused: boolean }): AppError {
  return new AppError('internal', message, { facts: { notTaken: true, refused } });
}

export function isNotTaken(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof AppError && error.facts.notTaken === true);
}

export function isRefused(error: unknown): boolean {
  return error instanceof AppError && error.facts.refused === true;
}

/** The result of an envelope that the access point hands over. */
export interface Reception {
  readonly reception: 'taken' | 'known';
  /** Of the account that it is for, where its profile tells one. */
  readonly country: string | null;
}

/** Codes of errors for envelopes that will never be taken; after any other error the access point is to try again. */
export const NEVER_TAKEN: ReadonlySet<ErrorCode> = new Set(['unreadable', 'invalid', 'unknown-receiver', 'too-large']);
export type Receive = (envelope: Uint8Array) => Promise<Reception>;

export interface AccessPoint {
  /** After `sent` its status also has the response code of the receiver's side. */
  readonly reportsResponses: boolean;
  /** For so long after a hand-over of unknown outcome, a status `unknown` may still turn into another. */
  readonly settlesWithinMs: number;
  /**
   * Hands an envelope over. Doing it again may send it again: ask for its status first. Throws an error that `isNotTaken` when the access
   * point has nothing of it, and any other error when the outcome is unknown.
   */
  send(envelope: Uint8Array, meta: TransmissionMeta): Promise<Handed>;
  /** Throws `internal` when the status cannot be had now. */
  status(instanceId: string): Promise<Progress>;
  /** Begins to hand over the envelopes that come, unless the access point posts them to us. */
  receive(handle: Receive): AsyncDisposable;
}
