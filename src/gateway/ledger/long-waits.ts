// Items that have waited for long without a receipt that reports it.
import type { Homes } from '#gateway/model/homes.ts';
import { among } from './homes.ts';
import type { Rows } from './schema.ts';

export interface Untold {
  readonly item: string;
  /** What it waits for. */
  readonly reason: string | null;
}

/** Pending items that were received before `beforeMs` and have no receipt `delayed`, oldest first. */
export async function readUntold(rows: Rows, homes: Homes, beforeMs: number, limit: number): Promise<Untold[]> {
  return rows
    .selectFrom('items')
    .select(['item', 'reason'])
    .where('state', '=', 'pending')
    .where('received_at', '<=', beforeMs)
    .where(among(homes))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('publications')
            .select('publication')
            .whereRef('publications.account_reg_no', '=', 'items.account_reg_no')
            .whereRef('publications.subject', '=', 'items.item')
            .where('publications.folder', '=', 'receipts')
            .where('publications.stage', '=', 'delayed'),
        ),
      ),
    )
    .orderBy('item')
    .limit(limit)
    .execute();
}
