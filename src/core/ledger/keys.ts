// Rows about API keys: only their SHA-256, whose they are, what they are for, and until when.
import type { Rows } from './schema.ts';

/** `api`: the account's own programs; `gateway`: the gateway in front of this core; `partner`: a partner for itself. */
export type KeyScope = 'api' | 'gateway' | 'partner';

export type KeyOwner = { readonly accountRegNo: string } | { readonly partnerRegNo: string };

export interface KeyRow {
  readonly accountRegNo: string | null;
  readonly scope: string;
}

export async function insertKey(rows: Rows, sha256: string, owner: KeyOwner, scope: KeyScope, nowMs: number): Promise<void> {
  const [account, partner] = 'accountRegNo' in owner ? [owner.accountRegNo, null] : [null, owner.partnerRegNo];
  await rows
    .insertInto('api_keys')
    .values({ sha256, account_reg_no: account, partner_reg_no: partner, scope, created_at: nowMs, expires_at: null })
    .execute();
}

/** The key with this digest, unless it has expired. */
export async function findKey(rows: Rows, sha256: string, nowMs: number): Promise<KeyRow | undefined> {
  const row = await rows
    .selectFrom('api_keys')
    .select(['account_reg_no', 'scope'])
    .where('sha256', '=', sha256)
    .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', nowMs)]))
    .executeTakeFirst();
  return row && { accountRegNo: row.account_reg_no, scope: row.scope };
}

/** Lets every key of the account that has no earlier end expire at `atMs`. */
export async function expireKeys(rows: Rows, accountRegNo: string, atMs: number): Promise<void> {
  await rows
    .updateTable('api_keys')
    .set({ expires_at: atMs })
    .where('account_reg_no', '=', accountRegNo)
    .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', atMs)]))
    .execute();
}

export async function deleteKeys(rows: Rows, accountRegNo: string): Promise<void> {
  await rows.deleteFrom('api_keys').where('account_reg_no', '=', accountRegNo).execute();
}
