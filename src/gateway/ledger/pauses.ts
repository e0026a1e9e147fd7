// Pauses in the ledger: an account, or one family of it, waits after an answer that refused the whole of it.
import type { Rows } from './schema.ts';

/** Until when the account or the family pauses; 0 when neither does. */
export async function readPause(rows: Rows, accountRegNo: string, family: string): Promise<number> {
  const row = await rows
    .selectFrom('pauses')
    .select((e) => e.fn.max('until').as('until'))
    .where('account_reg_no', '=', accountRegNo)
    .where('family', 'in', ['', family])
    .executeTakeFirst();
  return row?.until ?? 0;
}

/** Family '' pauses the whole account. */
export async function putPause(rows: Rows, accountRegNo: string, family: string, until: number, reason: string): Promise<void> {
  await rows
    .insertInto('pauses')
    .values({ account_reg_no: accountRegNo, family, until, reason })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'family']).doUpdateSet({ until, reason }))
    .execute();
}
