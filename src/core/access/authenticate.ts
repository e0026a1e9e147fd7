// Authenticates a caller by key or token, against the ledger at every request.

import { type AccountRow, findAccount } from '#core/ledger/accounts.ts';
import { findAccountKey, findKey, findKeyById } from '#core/ledger/keys.ts';
import { findActivePartner, isLinked, type PartnerLimits } from '#core/ledger/partners.ts';
import type { Ledger, Rows } from '#core/ledger/schema.ts';
import { AppError } from '#domain/error.ts';
import { digestOfKey, isOfEnvironment } from './api-keys.ts';
import { credentialsOf, unauthenticated, wrongCredentials } from './credentials.ts';
import { type Identity, type TokenParts, verifyToken } from './tokens.ts';

export interface AuthenticationParts extends TokenParts {
  readonly ledger: Ledger;
}

/** A caller with valid credentials. */
export interface Caller extends Identity {
  /** Null for a partner that acts for itself. */
  readonly account: AccountRow | null;
  /** The partner that acts, for itself or for an account; null where an account acts for itself. */
  readonly partner: ({ readonly partnerRegNo: string } & PartnerLimits) | null;
}

/** The owner of the registration number in a request's path. */
type PathOwner = 'account' | 'partner';

/**
 * Checks a header for a request whose path names an account or a partner. The account is not looked up before the credentials have proved
 * to be its own, so that all refusals take the same way. Throws `unauthenticated`, `wrong-credentials`.
 */
export async function authenticate(
  parts: AuthenticationParts,
  header: string | undefined,
  owner: PathOwner,
  regNo: string,
): Promise<Caller> {
  const credentials = credentialsOf(header);
  if (credentials.kind === 'key' && owner === 'account') return accountWithKey(parts, credentials.key, regNo);
  const identity = await (credentials.kind === 'key' ? identityOfKey(parts, credentials.key) : identityOfToken(parts, credentials.token));
  if ((identity.scope === 'partner') !== (owner === 'partner')) throw wrongCredentials();
  return confirmed(parts.ledger.read, identity, regNo);
}

type KeyParts = Omit<AuthenticationParts, 'signingKeys'>;

/** The same for a key alone, of an account or a partner: tokens do not renew themselves (decisions A3). */
export async function authenticateByKey(parts: KeyParts, header: string | undefined, regNo: string): Promise<Caller> {
  const credentials = credentialsOf(header);
  if (credentials.kind !== 'key') throw wrongCredentials();
  return authenticateKey(parts, credentials.key, regNo);
}

/** The same for a key that came in a body. */
export async function authenticateKey(parts: KeyParts, key: string | undefined, regNo: string | undefined): Promise<Caller> {
  if (!key || !regNo) throw unauthenticated();
  return confirmed(parts.ledger.read, await identityOfKey(parts, key), regNo);
}

/** The identity of a partner's token for a child. Throws `wrong-credentials` when the caller may not act for it. */
export async function actingFor(rows: Rows, partner: Caller, childRegNo: string): Promise<Identity> {
  const linked = partner.scope === 'partner' && (await isLinked(rows, partner.regNo, childRegNo));
  const child = linked ? await findAccount(rows, childRegNo) : undefined;
  if (!child?.enabled) throw wrongCredentials();
  return { regNo: childRegNo, scope: 'api', keyId: partner.keyId, actor: partner.regNo };
}

/** For a path that names a partner and its child: throws `wrong-credentials` when it is none, `forbidden` when it may not use the API. */
export async function authorizeChild(rows: Rows, partnerRegNo: string, childRegNo: string): Promise<void> {
  const child = (await isLinked(rows, partnerRegNo, childRegNo)) ? await findAccount(rows, childRegNo) : undefined;
  if (!child?.enabled) throw wrongCredentials();
  checkApiIntegration({ account: child, scope: 'api' });
}

/** Throws `forbidden`. The gateway's own key is a scope of its own and stays (decisions A3, Features). */
export function checkApiIntegration({ account, scope }: Pick<Caller, 'account' | 'scope'>): void {
  if (scope === 'gateway' || account?.features.apiIntegration) return;
  throw new AppError('forbidden', 'The feature apiIntegration is not enabled on this account.');
}

/** The most frequent caller: an account by a key of its own. */
async function accountWithKey({ ledger, clock, environment }: KeyParts, apiKey: string, regNo: string): Promise<Caller> {
  const found = isOfEnvironment(apiKey, environment) ? await findAccountKey(ledger.read, digestOfKey(apiKey), clock.now()) : undefined;
  if (found?.key.regNo !== regNo || !found.account.enabled) throw wrongCredentials();
  return { ...found.key, actor: null, account: found.account, partner: null };
}

async function identityOfKey({ ledger, clock, environment }: KeyParts, key: string): Promise<Identity> {
  const found = isOfEnvironment(key, environment) ? await findKey(ledger.read, digestOfKey(key), clock.now()) : undefined;
  if (!found) throw wrongCredentials();
  return { ...found, actor: null };
}

/** A token is valid as long as the key is with which it was obtained. */
async function identityOfToken(parts: AuthenticationParts, token: string): Promise<Identity> {
  const identity = await verifyToken(parts, token);
  const { keyId, regNo, scope, actor } = identity;
  const key = await findKeyById(parts.ledger.read, keyId, parts.clock.now());
  const [owner, ownScope] = actor === null ? [regNo, scope] : [actor, 'partner'];
  if (key?.regNo !== owner || key.scope !== ownScope) throw wrongCredentials();
  return identity;
}

/** The account is enabled; a partner is enabled too, and still linked to the account that it acts for. */
async function confirmed(rows: Rows, identity: Identity, regNo: string): Promise<Caller> {
  if (identity.regNo !== regNo) throw wrongCredentials();
  const partnerRegNo = identity.scope === 'partner' ? regNo : identity.actor;
  const limits = partnerRegNo === null ? null : await findActivePartner(rows, partnerRegNo);
  if (limits === undefined) throw wrongCredentials();
  const partner = partnerRegNo !== null && limits ? { partnerRegNo, ...limits } : null;
  if (identity.scope === 'partner') return { ...identity, account: null, partner };
  if (identity.actor !== null && !(await isLinked(rows, identity.actor, regNo))) throw wrongCredentials();
  const account = await findAccount(rows, regNo);
  if (!account?.enabled) throw wrongCredentials();
  return { ...identity, account, partner };
}
