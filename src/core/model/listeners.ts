// The listeners, in this process, to what the core has committed.
import type { FamilyName } from '#domain/family.ts';

/** Each is called after the commit, and must not throw. */
export interface Listeners {
  /** Of each message that became incoming. */
  readonly incoming: (accountRegNo: string, family: FamilyName, integrationId: string) => void;
  /** Of each status of an outgoing message. */
  readonly changed: (accountRegNo: string, family: FamilyName) => void;
  /** Of each document that was turned away. */
  readonly turnedAway: (accountRegNo: string) => void;
}
