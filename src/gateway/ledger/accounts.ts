// Accounts and logins in the ledger. Every change moves the revision, by which a running daemon notices.
import { type LoginRules, readRules } from '#gateway/model/login-rules.ts';
import { type ReceivingRules, readReceiving } from '#gateway/model/receiving.ts';
import type { Rows } from './schema.ts';

export interface AccountRow {
  readonly accountRegNo: string;
  /** Null where its partner speaks for it. */
  readonly serviceKey: Uint8Array | null;
  readonly partnerRegNo: string | null;
  readonly home: string;
  readonly receipts: 'json' | 'text' | null;
  readonly disabled: boolean;
  readonly hints: boolean;
  readonly receiving: ReceivingRules;
  readonly validate: 'local' | 'core' | null;
  /** Its partner may act for it no more. */
  readonly unlinked: boolean;
}

export interface PartnerRow {
  readonly partnerRegNo: string;
  readonly serviceKey: Uint8Array;
  /** One home for all its children. */
  readonly consolidated: boolean;
  /** The login that sees its children's folders, or its one home. */
  readonly login: string | null;
}

export interface LoginRow {
  readonly login: string;
  readonly passwordHash: string | null;
  readonly disabled: boolean;
  readonly publicKeys: string[];
  readonly homes: { home: string; folder: string }[];
  readonly rules: LoginRules;
}

export async function readRevision(rows: Rows): Promise<number> {
  const row = await rows.selectFrom('revisions').select('revision').where('name', '=', 'accounts').executeTakeFirst();
  return row?.revision ?? 0;
}

export async function moveRevision(rows: Rows): Promise<void> {
  await rows
    .insertInto('revisions')
    .values({ name: 'accounts', revision: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((e) => ({ revision: e('revisions.revision', '+', 1) })))
    .execute();
}

/** Whether its partner may act for it no more, and nobody else does. */
export async function isUnlinked(rows: Rows, accountRegNo: string): Promise<boolean> {
  const row = await rows.selectFrom('accounts').select('unlinked_at').where('account_reg_no', '=', accountRegNo).executeTakeFirst();
  return row !== undefined && row.unlinked_at !== null;
}

export async function readAccounts(rows: Rows): Promise<AccountRow[]> {
  const found = await rows.selectFrom('accounts').selectAll().orderBy('account_reg_no').execute();
  return found.map((row) => ({
    accountRegNo: row.account_reg_no,
    serviceKey: row.service_key,
    partnerRegNo: row.partner_reg_no,
    home: row.home,
    receipts: row.receipts,
    disabled: row.disabled_at !== null,
    hints: row.hints === 1,
    receiving: readReceiving(row.receiving),
    validate: row.validate,
    unlinked: row.unlinked_at !== null,
  }));
}

export async function readPartners(rows: Rows): Promise<PartnerRow[]> {
  const found = await rows.selectFrom('partners').selectAll().orderBy('partner_reg_no').execute();
  return found.map((row) => ({
    partnerRegNo: row.partner_reg_no,
    serviceKey: row.service_key,
    consolidated: row.consolidated === 1,
    login: row.login,
  }));
}

export async function readLogins(rows: Rows): Promise<LoginRow[]> {
  const [logins, keys, homes] = await Promise.all([
    rows.selectFrom('logins').selectAll().orderBy('login').execute(),
    rows.selectFrom('login_keys').selectAll().orderBy('public_key').execute(),
    rows.selectFrom('login_homes').selectAll().orderBy('folder').execute(),
  ]);
  const keysOf = Map.groupBy(keys, (key) => key.login);
  const homesOf = Map.groupBy(homes, (home) => home.login);
  return logins.map((row) => ({
    login: row.login,
    passwordHash: row.password_hash,
    disabled: row.disabled_at !== null,
    publicKeys: (keysOf.get(row.login) ?? []).map((key) => key.public_key),
    homes: (homesOf.get(row.login) ?? []).map(({ home, folder }) => ({ home, folder })),
    rules: readRules(row.rules),
  }));
}
