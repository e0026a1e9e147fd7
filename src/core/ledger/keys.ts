// Rows about API keys: only their SHA-256, whose they are, what they are for, and until when.
import { prepared } from '#engines/prepared.ts';
import type { Rows } from './schema.ts';

/** `api`: the account's own programs; `gateway`: the gateway in front of this core; `partner`: a partner for itself. */
const SCOPES = ['api', 'gateway', 'partner'] as const;
export type KeyScope = (typeof SCOPES)[number];

export function isKeyScope(scope: unknown): scope is KeyScope {
  return SCOPES.some((known) => known === scope);
}

export type KeyOwner = { readonly accountRegNo: string } | { readonly partnerRegNo: string };

/** The account or partner that a key belongs to, and what it is for. */
export interface KeyRow {
  readonly regNo: string;
  readonly scope: KeyScope;
}

export async function insertKey(rows: Rows, sha256: string, owner: KeyOwner, scope: KeyScope, nowMs: number): Promise<void> {
  const [account, partner] = 'accountRegNo' in owner ? [owner.accountRegNo, null] : [null, owner.partnerRegNo];
  await rows
    .insertInto('api_keys')
    .values({ sha256, account_reg_no: account, partner_reg_no: partner, scope, created_at: nowMs, expires_at: null })
    .execute();
}

const keyByDigest = prepared(
  (rows: Rows, slot) =>
    rows
      .selectFrom('api_keys')
      .select(['account_reg_no', 'partner_reg_no', 'scope', 'expires_at'])
      .where('sha256', '=', slot<string>('sha256')),
  { keptFrom: ['api_keys'] },
);

/** The key with this digest, unless it has expired. */
export async function findKey(rows: Rows, sha256: string, nowMs: number): Promise<KeyRow | undefined> {
  const [row] = await keyByDigest(rows, { sha256 });
  if (!row || (row.expires_at !== null && row.expires_at <= nowMs)) return undefined;
  const regNo = row.account_reg_no ?? row.partner_reg_no;
  return regNo && isKeyScope(row.scope) ? { regNo, scope: row.scope } : undefined;
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

export async function deleteKeys(rows: Rows, owner: KeyOwner): Promise<void> {
  const [column, regNo] = columnOf(owner);
  await rows.deleteFrom('api_keys').where(column, '=', regNo).execute();
}

function columnOf(owner: KeyOwner) {
  return 'accountRegNo' in owner ? (['account_reg_no', owner.accountRegNo] as const) : (['partner_reg_no', owner.partnerRegNo] as const);
}
