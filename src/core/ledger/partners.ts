// Rows about partners and the accounts that they may act for.
import type { Rows } from './schema.ts';

export async function insertPartner(rows: Rows, partner: { partnerRegNo: string; name: string }, nowMs: number): Promise<void> {
  await rows
    .insertInto('partners')
    .values({ partner_reg_no: partner.partnerRegNo, name: partner.name, enabled: 1, created_at: nowMs })
    .execute();
}

export async function partnerExists(rows: Rows, partnerRegNo: string): Promise<boolean> {
  const row = await rows.selectFrom('partners').select('name').where('partner_reg_no', '=', partnerRegNo).executeTakeFirst();
  return row !== undefined;
}

/** Links a partner to a child account; doing it again changes nothing. */
export async function insertLink(rows: Rows, partnerRegNo: string, accountRegNo: string): Promise<void> {
  await rows
    .insertInto('partner_links')
    .values({ partner_reg_no: partnerRegNo, account_reg_no: accountRegNo })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
