// Connections that ended without a login, each explained in plain words: what the client is, what it offered, and what would help.

import { LOGIN_FAILURES, type LoginFailure } from '#gateway/sftp/auth/login-failures.ts';
import { disagreement, type ProfileName } from '#gateway/sftp/ssh2/algorithms.ts';
import type { AlgorithmLists, ClientKexInit } from '#gateway/sftp/ssh2/client-kexinit.ts';
import { sourceOf } from '#runtime/networks.ts';

type Reason = 'negotiation' | keyof typeof EXPLANATIONS;

/** The end of a sentence that begins with the client. */
const EXPLANATIONS = {
  ...LOGIN_FAILURES,
  handshake: 'left, or was cut, before the encryption was agreed on; it may not trust the host key',
  'no-login': 'left, or was cut, without trying to log in',
  'gave-way': 'had to give way to a newcomer before it had logged in: sftp.unauthenticatedMax connections were half open',
  'too-many':
    'opens more connections at once than sftp.unauthenticatedPerAddressMax and the line for them, or sftp.arrivalsPerSecond, allow; name its network in sftp.exempt if it may',
} as const;

export interface Reject {
  readonly address: string;
  /** '' when the client has not named one. */
  readonly login: string;
  readonly reason: Reason;
  /** The client's version line. */
  readonly client: string;
  readonly offer: AlgorithmLists | null;
  readonly explanation: string;
}

interface Ending {
  readonly address: string;
  readonly login: string;
  readonly kexInit: ClientKexInit;
  readonly profile: ProfileName;
  /** The last day on which profile legacy was served here, once it is over. */
  readonly legacyEnded: string | null;
  readonly isEncrypted: boolean;
  /** Why its latest try was refused, if it has made one. */
  readonly failure: LoginFailure | undefined;
  /** Another connection has its slot. */
  readonly isEvicted: boolean;
}

/** Undefined for a connection that has sent no version line: a scan, or a monitor that only connects. */
export function explain({ address, login, kexInit, profile, legacyEnded, isEncrypted, failure, isEvicted }: Ending): Reject | undefined {
  const { ident: client, offer } = kexInit;
  if (client === '') return undefined;
  const told = { address, login, client, offer };
  if (isEvicted) return { ...told, reason: 'gave-way', explanation: EXPLANATIONS['gave-way'] };
  const disagreed = offer && !isEncrypted ? disagreement(offer, profile, legacyEnded) : undefined;
  if (disagreed !== undefined) return { ...told, reason: 'negotiation', explanation: disagreed };
  const reason = failure ?? (isEncrypted ? 'no-login' : 'handshake');
  return { ...told, reason, explanation: EXPLANATIONS[reason] };
}

/** A connection that was refused at once, because its network has as many as it may. Those of a network are counted together. */
export function tooMany(address: string): Reject {
  return { address: sourceOf(address), login: '', reason: 'too-many', client: '', offer: null, explanation: EXPLANATIONS['too-many'] };
}
