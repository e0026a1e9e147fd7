// The stamp of the ledger: the one that lies beside the spool, too (epoch.ts).
import type { Rows } from './schema.ts';

const SPOOL = 'spool';

interface Stamp {
  readonly stamp: string;
  /** What lay beside the spool before, while `stamp` is on its way there; '' for nothing, null when it has arrived. */
  readonly before: string | null;
}

export function readStamp(rows: Rows): Promise<Stamp | undefined> {
  return rows.selectFrom('epochs').select(['stamp', 'before']).where('name', '=', SPOOL).executeTakeFirst();
}

export async function putStamp(rows: Rows, stamp: Stamp): Promise<void> {
  await rows
    .insertInto('epochs')
    .values({ name: SPOOL, ...stamp })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ ...stamp }))
    .execute();
}
