// How far the documents that the service has turned away were reported to each account.
import type { Rows } from './schema.ts';

/** The last that was reported; 0 when none was. */
export async function readReported(rows: Rows, accountRegNo: string): Promise<number> {
  const row = await rows.selectFrom('turned_away_told').select('sequence').where('account_reg_no', '=', accountRegNo).executeTakeFirst();
  return row?.sequence ?? 0;
}

export async function putReported(rows: Rows, accountRegNo: string, sequence: number): Promise<void> {
  await rows
    .insertInto('turned_away_told')
    .values({ account_reg_no: accountRegNo, sequence })
    .onConflict((conflict) => conflict.column('account_reg_no').doUpdateSet({ sequence }))
    .execute();
}
