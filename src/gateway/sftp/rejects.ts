// Connections that came to nothing, each told in plain words: what the client is, what it offered, and what would help.
import { disagreement, type ProfileName } from './algorithms.ts';
import type { Greeting, Offer } from './offer.ts';

/** What a client did to get in, and why that was not enough. */
export type LoginFailure = 'unknown-login' | 'wrong-password' | 'unknown-key' | 'wrong-signature' | 'sha1-signature' | 'method';
export type Reason = LoginFailure | 'negotiation' | 'handshake' | 'no-login' | 'too-many-sessions';

/** The end of a sentence that begins with the client. */
const EXPLANATIONS: Readonly<Record<Exclude<Reason, 'negotiation'>, string>> = {
  'unknown-login': 'names a login that is not here, or disabled',
  'wrong-password': 'gives a wrong password',
  'unknown-key': 'has no key that the login is known by; add one with: dropgate login add-key',
  'wrong-signature': 'shows a key that it cannot sign with',
  'sha1-signature': 'signs with SHA-1: use an Ed25519 key or a newer client, or allow it with profile legacy',
  method: 'offers a way to log in that this server does not know',
  handshake: 'left, or was cut, before the encryption was agreed on; it may not trust the host key',
  'no-login': 'left, or was cut, without trying to log in',
  'too-many-sessions': 'has as many sessions open as sftp.sessionsPerLoginMax allows',
};

export interface Reject {
  readonly address: string;
  /** '' when the client has not named one. */
  readonly login: string;
  readonly reason: Reason;
  /** What the client greets with. */
  readonly client: string;
  readonly offer: Offer | null;
  readonly explanation: string;
}

export interface Course {
  readonly address: string;
  readonly login: string;
  readonly greeting: Greeting;
  readonly profile: ProfileName;
  readonly isEncrypted: boolean;
  /** Why its latest try was refused, if it has made one. */
  readonly failure: LoginFailure | 'too-many-sessions' | undefined;
}

/** Undefined for a connection that has not even greeted: a scan, or a monitor's knock. */
export function explain({ address, login, greeting, profile, isEncrypted, failure }: Course): Reject | undefined {
  const { ident: client, offer } = greeting;
  if (client === '') return undefined;
  const told = { address, login, client, offer };
  const disagreed = offer && !isEncrypted ? disagreement(offer, profile) : undefined;
  if (disagreed !== undefined) return { ...told, reason: 'negotiation', explanation: disagreed };
  const reason = failure ?? (isEncrypted ? 'no-login' : 'handshake');
  return { ...told, reason, explanation: EXPLANATIONS[reason] };
}
