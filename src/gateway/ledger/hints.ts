// Rows about hints: which account's service calls our listener, and the digest of what it says to prove itself.
import type { Rows } from './schema.ts';

interface HintRow {
  readonly accountRegNo: string;
  /** SHA-256 of 256 random bits, hex: enough to check them by. */
  readonly secretSha256: string;
  /** The subscription at the service; null while it is not known to be in order. */
  readonly webhookId: string | null;
}

export async function readHint(rows: Rows, accountRegNo: string): Promise<HintRow | undefined> {
  const row = await rows.selectFrom('hints').selectAll().where('account_reg_no', '=', accountRegNo).executeTakeFirst();
  return row && { accountRegNo, secretSha256: row.secret_sha256, webhookId: row.webhook_id };
}

/** Accounts that have a row. */
export async function readHinted(rows: Rows): Promise<string[]> {
  const found = await rows.selectFrom('hints').select('account_reg_no').orderBy('account_reg_no').execute();
  return found.map((row) => row.account_reg_no);
}

/** Puts a new secret in force; the subscription is not in order until it has it, too. */
export async function putHint(rows: Rows, accountRegNo: string, secretSha256: string): Promise<void> {
  const changed = { secret_sha256: secretSha256, webhook_id: null };
  await rows
    .insertInto('hints')
    .values({ account_reg_no: accountRegNo, ...changed })
    .onConflict((conflict) => conflict.column('account_reg_no').doUpdateSet(changed))
    .execute();
}

export async function markHint(rows: Rows, accountRegNo: string, webhookId: string): Promise<void> {
  await rows.updateTable('hints').set({ webhook_id: webhookId }).where('account_reg_no', '=', accountRegNo).execute();
}

export async function deleteHint(rows: Rows, accountRegNo: string): Promise<void> {
  await rows.deleteFrom('hints').where('account_reg_no', '=', accountRegNo).execute();
}
