// Silences in the ledger: for how long what an account sent of one family has been tried in vain, whichever items had their turn.
import type { Rows } from './schema.ts';

export interface VainTry {
  readonly item: string;
  readonly number: number;
  readonly accountRegNo: string;
  readonly family: string;
  readonly now: number;
  /** No more than this counts since the one before. */
  readonly gapMsMax: number;
}

/** One more attempt from which nothing was learnt. Returns what the silence has come to. */
export async function prolongSilence(rows: Rows, { item, number, accountRegNo, family, now, gapMsMax }: VainTry): Promise<number> {
  const before = await rows
    .selectFrom('silences')
    .select(['lasts_ms', 'at'])
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .executeTakeFirst();
  const gap = Math.min(Math.max(now - (before?.at ?? now), 0), gapMsMax);
  const lastsMs = (before?.lasts_ms ?? 0) + gap;
  await rows
    .insertInto('silences')
    .values({ account_reg_no: accountRegNo, family, lasts_ms: lastsMs, at: now })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'family']).doUpdateSet({ lasts_ms: lastsMs, at: now }))
    .execute();
  await rows.updateTable('attempts').set({ silence_ms: lastsMs }).where('item', '=', item).where('number', '=', number).execute();
  return lastsMs;
}

/** At start: what waits since an attempt from which nothing was learnt is tried at once, for a start is often the end of the trouble. */
export async function endSilentWaits(rows: Rows): Promise<void> {
  await rows
    .updateTable('items')
    .set({ next_attempt_at: 0 })
    .where('state', '=', 'pending')
    .where('next_attempt_at', '>', 0)
    .where((e) => {
      const last = e.selectFrom('attempts').select('silence_ms').whereRef('attempts.item', '=', 'items.item');
      return e(last.orderBy('number', 'desc').limit(1), 'is not', null);
    })
    .execute();
}
