// Accounts in the ledger: those with a home on this gateway, partners' children among them.

import type { Selectable } from 'kysely';
import type { NamePage } from '#domain/name-page.ts';
import { readNames } from '#engines/names.ts';
import type { AccountRules } from '#gateway/model/account.ts';
import { readKeeping } from '#gateway/model/keeping.ts';
import { readReceiving } from '#gateway/model/receiving.ts';
import type { Rows, Tables } from './schema.ts';

export interface AccountRow extends AccountRules {
  readonly accountRegNo: string;
  /** Null where its partner speaks for it. */
  readonly serviceKey: Uint8Array | null;
  readonly partnerRegNo: string | null;
  readonly home: string;
  readonly disabled: boolean;
  /** Its partner may act for it no more. */
  readonly unlinked: boolean;
}

/** All, or those of these that are there. */
export async function readAccounts(rows: Rows, accountRegNos?: readonly string[]): Promise<AccountRow[]> {
  if (accountRegNos?.length === 0) return [];
  let accounts = rows.selectFrom('accounts').selectAll().orderBy('account_reg_no');
  if (accountRegNos) accounts = accounts.where('account_reg_no', 'in', accountRegNos);
  const found = await accounts.execute();
  const [receiving, keep] = [eachOnce(readReceiving), eachOnce(readKeeping)];
  return found.map((row) => accountOf(row, { receiving, keep }));
}

/** By their numbers, and the logins that see them. */
export async function readAccountNumbers(rows: Rows, page: NamePage): Promise<string[]> {
  const beside = { table: 'login_homes', name: 'home', text: 'login' } as const;
  return readNames(rows, { table: 'accounts', name: 'account_reg_no', beside }, page);
}

interface RuleReaders {
  readonly receiving: (text: string) => AccountRules['receiving'];
  readonly keep: (text: string) => AccountRules['keep'];
}

/** Thousands of accounts have a few rules between them: what is the same is read, and kept, once. */
function eachOnce<Rules>(read: (text: string) => Rules): (text: string) => Rules {
  const known = new Map<string, Rules>();
  return (text) => {
    const rules = known.get(text) ?? read(text);
    known.set(text, rules);
    return rules;
  };
}

export async function readAccount(rows: Rows, accountRegNo: string): Promise<AccountRow | undefined> {
  const row = await rows.selectFrom('accounts').selectAll().where('account_reg_no', '=', accountRegNo).executeTakeFirst();
  return row && accountOf(row, { receiving: readReceiving, keep: readKeeping });
}

export async function readChildren(rows: Rows, partnerRegNo: string): Promise<string[]> {
  const found = await rows.selectFrom('accounts').select('account_reg_no').where('partner_reg_no', '=', partnerRegNo).execute();
  return found.map((row) => row.account_reg_no);
}

interface ChildRow extends Pick<AccountRow, 'accountRegNo' | 'disabled' | 'unlinked'> {
  readonly partnerRegNo: string;
}

/** The accounts for which partners act, or acted: of all, or of these. */
export async function readChildRows(rows: Rows, partnerRegNos?: readonly string[]): Promise<ChildRow[]> {
  if (partnerRegNos?.length === 0) return [];
  const all = rows
    .selectFrom('accounts')
    .select(['account_reg_no', 'partner_reg_no', 'disabled_at', 'unlinked_at'])
    .where('partner_reg_no', 'is not', null)
    .$narrowType<{ partner_reg_no: string }>()
    .orderBy('account_reg_no');
  const found = await (partnerRegNos ? all.where('partner_reg_no', 'in', partnerRegNos) : all).execute();
  return found.map((row) => ({
    accountRegNo: row.account_reg_no,
    partnerRegNo: row.partner_reg_no,
    disabled: row.disabled_at !== null,
    unlinked: row.unlinked_at !== null,
  }));
}

/** Whether an account has this home. */
export async function isHomeOfAccount(rows: Rows, home: string): Promise<boolean> {
  return (await rows.selectFrom('accounts').select('home').where('home', '=', home).executeTakeFirst()) !== undefined;
}

interface NewAccountRow extends Pick<AccountRow, 'accountRegNo' | 'serviceKey' | 'partnerRegNo' | 'home' | 'receiving'> {
  readonly createdAt: number;
}

/** Of an account that is there already only these columns change. */
export async function putAccountRow(
  rows: Rows,
  { accountRegNo, serviceKey, partnerRegNo, home, receiving, createdAt }: NewAccountRow,
  changes: AccountChanges,
): Promise<void> {
  await rows
    .insertInto('accounts')
    .values({
      account_reg_no: accountRegNo,
      service_key: serviceKey,
      partner_reg_no: partnerRegNo,
      home,
      receipts: null,
      disabled_at: null,
      unlinked_at: null,
      created_at: createdAt,
      receiving: JSON.stringify(receiving),
    })
    .onConflict((conflict) => conflict.column('account_reg_no').doUpdateSet(columnsOf(changes)))
    .execute();
}

interface AccountChanges extends Partial<AccountRules & Pick<AccountRow, 'partnerRegNo' | 'home'>> {
  readonly serviceKey?: Uint8Array;
  /** Since when; null: it is not. */
  readonly disabledAt?: number | null;
  readonly unlinkedAt?: number | null;
}

/** Changes the columns that are given. False when there is no such account. */
export async function updateAccount(rows: Rows, accountRegNo: string, changes: AccountChanges): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('accounts')
    .set({ account_reg_no: accountRegNo, ...columnsOf(changes) })
    .where('account_reg_no', '=', accountRegNo)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Columns whose value is undefined are not written. */
function columnsOf({ serviceKey, partnerRegNo, hints, receiving, keep, disabledAt, unlinkedAt, ...others }: AccountChanges) {
  const { home, receipts, validate, unreachable, reconciliation, repair } = others;
  return {
    ...{ home, receipts, validate, unreachable, reconciliation, repair },
    service_key: serviceKey,
    partner_reg_no: partnerRegNo,
    hints: hints === undefined ? hints : Number(hints),
    receiving: receiving && JSON.stringify(receiving),
    keep: keep && JSON.stringify(keep),
    disabled_at: disabledAt,
    unlinked_at: unlinkedAt,
  };
}

/** False when there is no such account. */
export async function deleteAccount(rows: Rows, accountRegNo: string): Promise<boolean> {
  const { numDeletedRows } = await rows.deleteFrom('accounts').where('account_reg_no', '=', accountRegNo).executeTakeFirst();
  return numDeletedRows > 0n;
}

function accountOf(row: Selectable<Tables['accounts']>, rules: RuleReaders): AccountRow {
  return {
    accountRegNo: row.account_reg_no,
    serviceKey: row.service_key,
    partnerRegNo: row.partner_reg_no,
    home: row.home,
    receipts: row.receipts,
    disabled: row.disabled_at !== null,
    hints: row.hints === 1,
    receiving: rules.receiving(row.receiving),
    validate: row.validate,
    unreachable: row.unreachable,
    reconciliation: row.reconciliation,
    repair: row.repair,
    keep: rules.keep(row.keep),
    unlinked: row.unlinked_at !== null,
  };
}
