// What every part of the core is handed: the ledger, time, randomness, the log, and the few settings that decide answers.

import type { SigningKeys } from '#core/access/signing-keys.ts';
import type { Examiner } from '#core/examination/examiner.ts';
import type { Content } from '#core/ledger/messages.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import type { Network } from '#core/network/network.ts';
import type { Outbound } from '#core/outbound/outbound.ts';
import type { KeysInFlight } from '#core/transactions/idempotency.ts';
import type { Arrival } from '#domain/document.ts';
import type { FamilyName } from '#domain/family.ts';
import type { Random } from '#domain/id.ts';
import type { Queue } from '#engines/queue.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Recent } from '#runtime/recent.ts';
import type { Seal } from '#runtime/seal.ts';

export type Environment = 'test' | 'production';

export interface Context {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly environment: Environment;
  readonly signingKeys: SigningKeys;
  /** For secrets that must be read again. */
  readonly seal: Seal;
  readonly examiner: Examiner;
  readonly queue: Queue;
  readonly outbound: Outbound;
  /** Bytes of a request body at the most. */
  readonly bodyMax: number;
  /** Documents that were listed lately, as JSON, by message and version: polls ask for the newest ones again and again. */
  readonly jsonTexts: Recent<string>;
  /** Documents that became incoming lately, by `contentKey`, until they are fetched, most of them in a moment: what is kept for long, V8 collects late. */
  readonly contents: Recent<Content>;
  readonly keysInFlight: KeysInFlight;
  /** Called after the commit of each message that became incoming. Must not throw. */
  readonly incoming: (accountRegNo: string, arrival: Arrival) => void;
  /** Called after the commit of each status of an outgoing message. Must not throw. */
  readonly changed: (accountRegNo: string, family: FamilyName) => void;
  /** Called after the commit of each document that was turned away. Must not throw. */
  readonly turnedAway: (accountRegNo: string) => void;
  /** Where documents go whose receiver is no account of this core. */
  readonly network: Network;
}
