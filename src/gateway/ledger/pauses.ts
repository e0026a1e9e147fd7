// Pauses in the ledger: an account, or one family of it, waits after an answer that refused the whole of it.
import { prepared } from '#engines/prepared.ts';
import type { Rows } from './schema.ts';

export interface Pause {
  readonly until: number;
  /** The whole account pauses. */
  readonly whole: boolean;
}

const WHOLE = '';
/** Why an item waits that was not tried because of a pause. */
export const PAUSED = 'the service refuses more than this document; see the log';

const pausesOfAccount = prepared(
  (rows: Rows, slot) =>
    rows
      .selectFrom('pauses')
      .select(['family', 'until'])
      .where('account_reg_no', '=', slot<string>('accountRegNo'))
      .orderBy('until', 'desc'),
  { keptFrom: ['pauses'] },
);

/** The longest pause that the account or the family is in; undefined when there is none. */
export async function readPause(rows: Rows, accountRegNo: string, family: string, now: number): Promise<Pause | undefined> {
  const found = await pausesOfAccount(rows, { accountRegNo });
  const longest = found.find((row) => row.until > now && (row.family === WHOLE || row.family === family));
  return longest && { until: longest.until, whole: longest.family === WHOLE };
}

/** `family` null pauses the whole account. Returns whether it begins only now. */
export async function putPause(
  rows: Rows,
  accountRegNo: string,
  family: string | null,
  { now, until, reason }: { readonly now: number; readonly until: number; readonly reason: string },
): Promise<boolean> {
  const named = family ?? WHOLE;
  const before = await readPause(rows, accountRegNo, named, now);
  await rows
    .insertInto('pauses')
    .values({ account_reg_no: accountRegNo, family: named, since: now, until, reason })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'family']).doUpdateSet({ since: now, until, reason }))
    .execute();
  return before === undefined;
}

/**
 * These accounts have another key: nothing of them waits any more because the one before was refused. Pauses of single families stay.
 */
export async function endPausesOfAccounts(rows: Rows, accountRegNos: readonly string[]): Promise<void> {
  for (const accountRegNo of accountRegNos) {
    const pause = rows.deleteFrom('pauses').where('account_reg_no', '=', accountRegNo).where('family', '=', WHOLE);
    if ((await pause.executeTakeFirst()).numDeletedRows === 0n) continue;
    await rows
      .updateTable('items')
      .set({ next_attempt_at: 0 })
      .where('account_reg_no', '=', accountRegNo)
      .where('state', '=', 'pending')
      .where((e) =>
        e.or([e('reason', '=', PAUSED), e('item', 'in', e.selectFrom('attempts').select('item').where('outcome', '=', 'paused'))]),
      )
      .execute();
  }
}

/** The clock was put back: a pause that has not begun is over. */
export async function endPausesBegunAfter(rows: Rows, now: number): Promise<void> {
  await rows.deleteFrom('pauses').where('since', '>', now).execute();
}
