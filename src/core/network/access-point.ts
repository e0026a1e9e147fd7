// The access point: somebody else's program that speaks AS4. It takes envelopes, says what became of them, and hands over what came.
import { isUnreachable } from '#core/outbound/outbound.ts';
import { AppError, type ErrorCode } from '#domain/error.ts';
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
   * `unknown`: the access point has never heard of it. `stored`: it has it and has not begun to send it. `working`: it sends it, or will send it
   * again. `sent`: the receiving access point has acknowledged it. `failed`: given up.
   */
  readonly state: 'unknown' | 'stored' | 'working' | 'sent' | 'failed';
  readonly reason: string | null;
  /** The code of the message level status that the receiver's side has answered with: AP, AB or RE. */
  readonly answer: string | null;
}

/** An access point that has taken an envelope. */
export interface Handed {
  /** Its name for it. */
  readonly accessPointId: string;
  /** The receiving access point has acknowledged it already. */
  readonly sent: boolean;
  /** Why it was not sent yet, when a try has failed. */
  readonly reason: string | null;
}

/** The error of a hand-over after which the access point has nothing of the envelope. `refused`: the same envelope would hardly fare better. */
export function notTaken(message: string, { refused }: { readonly refused: boolean }): AppError {
  return new AppError('internal', message, { facts: { notTaken: true, refused } });
}

export function isNotTaken(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof AppError && error.facts.notTaken === true);
}

export function isRefused(error: unknown): boolean {
  return error instanceof AppError && error.facts.refused === true;
}

/** What becomes of an envelope that the access point hands over. */
export interface Reception {
  readonly reception: 'taken' | 'known';
  /** Of the account that it is for, where its profile tells one. */
  readonly country: string | null;
}

/** Throws an error of these codes for an envelope that will never be taken; any other one is to be tried again. */
export const NEVER_TAKEN: ReadonlySet<ErrorCode> = new Set(['unreadable', 'invalid', 'unknown-receiver', 'too-large']);
export type Receive = (envelope: Uint8Array) => Promise<Reception>;

export interface AccessPoint {
  /** After `sent` its status also tells what the receiver's side has answered. */
  readonly tellsAnswers: boolean;
  /** So long after a hand-over whose outcome is unknown it may still come to know of it, though it says now that it does not. */
  readonly settlesWithinMs: number;
  /**
   * Hands an envelope over. Doing it again may send it again: ask for its status first. Throws an error that `isNotTaken` when the access
   * point has nothing of it, and any other one when nobody knows.
   */
  send(envelope: Uint8Array, meta: TransmissionMeta): Promise<Handed>;
  /** Throws `internal` when nobody can say now. */
  status(instanceId: string): Promise<Progress>;
  /** Begins to hand over what comes, where that is not done by requests to us. */
  receive(handle: Receive): AsyncDisposable;
}
