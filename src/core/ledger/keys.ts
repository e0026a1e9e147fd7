// Rows about API keys: their SHA-256, the id that tokens name, their owner, scope and end.

import type { Selectable } from 'kysely';
import { prepared } from '#engines/prepared.ts';
import { type AccountRow, accountOf } from './accounts.ts';
import type { Rows, Tables } from './schema.ts';

/** `api`: the account's own programs; `gateway`: the gateway in front of this core; `partner`: a partner for itself. */
const SCOPES = ['api', 'gateway', 'partner'] as const;
export type KeyScope = (typeof SCOPES)[number];

export function isKeyScope(scope: unknown): scope is KeyScope {
  return SCOPES.some((known) => known === scope);
}

export type KeyOwner = { readonly accountRegNo: string } | { readonly partnerRegNo: string };

/** The account or partner that a key belongs to, and what it is for. */
interface KeyRow {
  readonly keyId: string;
  readonly regNo: string;
  readonly scope: KeyScope;
}

interface NewKey {
  readonly keyId: string;
  readonly sha256: string;
  readonly owner: KeyOwner;
  readonly scope: KeyScope;
}

export async function insertKey(rows: Rows, { keyId, sha256, owner, scope }: NewKey, nowMs: number): Promise<void> {
  const [account, partner] = 'accountRegNo' in owner ? [owner.accountRegNo, null] : [null, owner.partnerRegNo];
  await rows
    .insertInto('api_keys')
    .values({ key_id: keyId, sha256, account_reg_no: account, partner_reg_no: partner, scope, created_at: nowMs, expires_at: null })
    .execute();
}

const COLUMNS = ['key_id', 'account_reg_no', 'partner_reg_no', 'scope', 'expires_at'] as const;

const keyByDigest = prepared((rows: Rows, slot) =>
  rows.selectFrom('api_keys').select(COLUMNS).where('sha256', '=', slot<string>('sha256')),
);

const keyById = prepared((rows: Rows, slot) => rows.selectFrom('api_keys').select(COLUMNS).where('key_id', '=', slot<string>('keyId')));

/** The key with this digest, unless it has expired. */
export async function findKey(rows: Rows, sha256: string, nowMs: number): Promise<KeyRow | undefined> {
  return valid(await keyByDigest(rows, { sha256 }), nowMs);
}

/** A key of an account with its account. */
interface AccountKey {
  readonly key: KeyRow;
  readonly account: AccountRow;
}

const accountByDigest = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.account_reg_no', 'api_keys.account_reg_no')
    .selectAll('accounts')
    .select(['api_keys.key_id', 'api_keys.partner_reg_no', 'api_keys.scope', 'api_keys.expires_at'])
    .where('sha256', '=', slot<string>('sha256')),
);

/** The key with this digest, unless it is a partner's or has expired. */
export async function findAccountKey(rows: Rows, sha256: string, nowMs: number): Promise<AccountKey | undefined> {
  const found = await accountByDigest(rows, { sha256 });
  const key = valid(found, nowMs);
  return found[0] && key && { key, account: accountOf(found[0]) };
}

/** The key that a token names, unless it has expired. */
export async function findKeyById(rows: Rows, keyId: string, nowMs: number): Promise<KeyRow | undefined> {
  return valid(await keyById(rows, { keyId }), nowMs);
}

function valid([row]: readonly Pick<Selectable<Tables['api_keys']>, (typeof COLUMNS)[number]>[], nowMs: number): KeyRow | undefined {
  if (!row || (row.expires_at !== null && row.expires_at <= nowMs)) return undefined;
  const regNo = row.account_reg_no ?? row.partner_reg_no;
  return regNo && isKeyScope(row.scope) ? { keyId: row.key_id, regNo, scope: row.scope } : undefined;
}

/** Lets every key of the owner that has no earlier end expire at `atMs`. */
export async function expireKeys(rows: Rows, owner: KeyOwner, atMs: number): Promise<void> {
  const [column, regNo] = columnOf(owner);
  await rows
    .updateTable('api_keys')
    .set({ expires_at: atMs })
    .where(column, '=', regNo)
    .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', atMs)]))
    .execute();
}

/** What is known of the keys of an account, without anything by which they could be told. */
export function selectKeysOf(rows: Rows, accountRegNo: string) {
  return rows
    .selectFrom('api_keys')
    .select(['key_id as keyId', 'scope', 'created_at as createdAt', 'expires_at as expiresAt'])
    .where('account_reg_no', '=', accountRegNo)
    .orderBy('created_at')
    .execute();
}

export async function deleteKeys(rows: Rows, owner: KeyOwner): Promise<void> {
  const [column, regNo] = columnOf(owner);
  await rows.deleteFrom('api_keys').where(column, '=', regNo).execute();
}

function columnOf(owner: KeyOwner) {
  return 'accountRegNo' in owner ? (['account_reg_no', owner.accountRegNo] as const) : (['partner_reg_no', owner.partnerRegNo] as const);
}
