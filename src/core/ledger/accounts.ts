// Rows about accounts and the participants that belong to them.
import type { Rows } from './schema.ts';

export interface AccountRow {
  readonly accountRegNo: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly apiIntegration: boolean;
}

export async function insertAccount(rows: Rows, account: { accountRegNo: string; name: string }, nowMs: number): Promise<void> {
  await rows
    .insertInto('accounts')
    .values({ account_reg_no: account.accountRegNo, name: account.name, enabled: 1, api_integration: 1, created_at: nowMs })
    .execute();
}

export async function findAccount(rows: Rows, accountRegNo: string): Promise<AccountRow | undefined> {
  const row = await rows.selectFrom('accounts').selectAll().where('account_reg_no', '=', accountRegNo).executeTakeFirst();
  return row && { accountRegNo, name: row.name, enabled: row.enabled === 1, apiIntegration: row.api_integration === 1 };
}

export async function selectAccounts(rows: Rows): Promise<AccountRow[]> {
  const found = await rows.selectFrom('accounts').selectAll().orderBy('account_reg_no').execute();
  return found.map((row) => ({
    accountRegNo: row.account_reg_no,
    name: row.name,
    enabled: row.enabled === 1,
    apiIntegration: row.api_integration === 1,
  }));
}

export async function setAccountEnabled(rows: Rows, accountRegNo: string, enabled: boolean): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('accounts')
    .set({ enabled: enabled ? 1 : 0 })
    .where('account_reg_no', '=', accountRegNo)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function insertParticipant(rows: Rows, accountRegNo: string, participant: string): Promise<void> {
  await rows.insertInto('participants').values({ participant, account_reg_no: accountRegNo }).execute();
}

/** The account that a participant belongs to. */
export async function accountOfParticipant(rows: Rows, participant: string): Promise<string | undefined> {
  const row = await rows.selectFrom('participants').select('account_reg_no').where('participant', '=', participant).executeTakeFirst();
  return row?.account_reg_no;
}

export async function participantsOf(rows: Rows, accountRegNo: string): Promise<string[]> {
  const found = await rows
    .selectFrom('participants')
    .select('participant')
    .where('account_reg_no', '=', accountRegNo)
    .orderBy('participant')
    .execute();
  return found.map(({ participant }) => participant);
}

export async function hasParticipants(rows: Rows, accountRegNo: string): Promise<boolean> {
  const row = await rows
    .selectFrom('participants')
    .select('participant')
    .where('account_reg_no', '=', accountRegNo)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Removes the account with its participants and its links; its keys and messages must be gone. */
export async function deleteAccount(rows: Rows, accountRegNo: string): Promise<void> {
  await rows.deleteFrom('partner_links').where('account_reg_no', '=', accountRegNo).execute();
  await rows.deleteFrom('participants').where('account_reg_no', '=', accountRegNo).execute();
  await rows.deleteFrom('idempotency_keys').where('account_reg_no', '=', accountRegNo).execute();
  await rows.deleteFrom('accounts').where('account_reg_no', '=', accountRegNo).execute();
}
