// Who asks: whom a key or token speaks for, confirmed against the ledger at every request.

import { type AccountRow, findAccount } from '#core/ledger/accounts.ts';
import { findKey, findKeyById } from '#core/ledger/keys.ts';
import { findActivePartner, isLinked, type PartnerLimits } from '#core/ledger/partners.ts';
import type { Context } from '#core/model/context.ts';
import { AppError } from '#domain/error.ts';
import { digestOfKey, isOfEnvironment } from './api-keys.ts';
import { credentialsOf, unauthenticated, wrongCredentials } from './credentials.ts';
import { type Identity, verifyToken } from './tokens.ts';

/** Somebody whose credentials are valid. */
export interface Caller extends Identity {
  /** Null for a partner that speaks for itself. */
  readonly account: AccountRow | null;
  /** The partner that asks, for itself or for an account; null where an account asks for itself. */
  readonly partner: ({ readonly partnerRegNo: string } & PartnerLimits) | null;
}

/** Whose number the path of a request holds. */
export type Holder = 'account' | 'partner';

/**
 * Checks a header for a request that names an account or a partner. Whether the named one is there is not looked up before the
 * credentials have proved to be its own, so that all refusals take the same way. Throws `unauthenticated`, `wrong-credentials`.
 */
export async function authenticate(context: Context, header: string | undefined, holder: Holder, regNo: string): Promise<Caller> {
  const credentials = credentialsOf(header);
  const identity = await (credentials.kind === 'key'
    ? identityOfKey(context, credentials.key)
    : identityOfToken(context, credentials.token));
  if ((identity.scope === 'partner') !== (holder === 'partner')) throw wrongCredentials();
  return confirmed(context, identity, regNo);
}

/** The same for a key alone, of an account or a partner: tokens do not renew themselves (decisions A3). */
export async function authenticateByKey(context: Context, header: string | undefined, regNo: string): Promise<Caller> {
  const credentials = credentialsOf(header);
  if (credentials.kind !== 'key') throw wrongCredentials();
  return authenticateKey(context, credentials.key, regNo);
}

/** The same for a key that came in a body. */
export async function authenticateKey(context: Context, key: string | undefined, regNo: string | undefined): Promise<Caller> {
  if (!key || !regNo) throw unauthenticated();
  return confirmed(context, await identityOfKey(context, key), regNo);
}

/** Whom a partner's token for a child speaks for. Throws `wrong-credentials` when the caller may not act for it. */
export async function actingFor({ ledger }: Context, partner: Caller, childRegNo: string): Promise<Identity> {
  const linked = partner.scope === 'partner' && (await isLinked(ledger.read, partner.regNo, childRegNo));
  const child = linked ? await findAccount(ledger.read, childRegNo) : undefined;
  if (!child?.enabled) throw wrongCredentials();
  return { regNo: childRegNo, scope: 'api', keyId: partner.keyId, actor: partner.regNo };
}

/** For a path that names a partner and its child: throws `wrong-credentials` when it is none, `forbidden` when it may not use the API. */
export async function authorizeChild({ ledger }: Context, partnerRegNo: string, childRegNo: string): Promise<void> {
  const child = (await isLinked(ledger.read, partnerRegNo, childRegNo)) ? await findAccount(ledger.read, childRegNo) : undefined;
  if (!child?.enabled) throw wrongCredentials();
  checkApiIntegration({ account: child, scope: 'api' });
}

/** Throws `forbidden`. The gateway's own key is a scope of its own and stays (decisions A3, Features). */
export function checkApiIntegration({ account, scope }: Pick<Caller, 'account' | 'scope'>): void {
  if (scope === 'gateway' || account?.features.apiIntegration) return;
  throw new AppError('forbidden', 'The feature apiIntegration is not enabled on this account.');
}

async function identityOfKey({ ledger, clock, environment }: Context, key: string): Promise<Identity> {
  const found = isOfEnvironment(key, environment) ? await findKey(ledger.read, digestOfKey(key), clock.now()) : undefined;
  if (!found) throw wrongCredentials();
  return { ...found, actor: null };
}

/** A token is worth what the key is worth with which it was got: nothing, once that is revoked or its grace is over. */
async function identityOfToken(context: Context, token: string): Promise<Identity> {
  const identity = await verifyToken(context, token);
  const { keyId, regNo, scope, actor } = identity;
  const key = await findKeyById(context.ledger.read, keyId, context.clock.now());
  const [owner, ownScope] = actor === null ? [regNo, scope] : [actor, 'partner'];
  if (key?.regNo !== owner || key.scope !== ownScope) throw wrongCredentials();
  return identity;
}

/** The account is enabled; a partner is enabled too, and still linked to the account that it acts for. */
async function confirmed({ ledger }: Context, identity: Identity, regNo: string): Promise<Caller> {
  const { read } = ledger;
  if (identity.regNo !== regNo) throw wrongCredentials();
  const partnerRegNo = identity.scope === 'partner' ? regNo : identity.actor;
  const limits = partnerRegNo === null ? null : await findActivePartner(read, partnerRegNo);
  if (limits === undefined) throw wrongCredentials();
  const partner = partnerRegNo !== null && limits ? { partnerRegNo, ...limits } : null;
  if (identity.scope === 'partner') return { ...identity, account: null, partner };
  if (identity.actor !== null && !(await isLinked(read, identity.actor, regNo))) throw wrongCredentials();
  const account = await findAccount(read, regNo);
  if (!account?.enabled) throw wrongCredentials();
  return { ...identity, account, partner };
}
