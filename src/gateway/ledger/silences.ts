// Silences in the ledger: for how long what an account sent of one family has been tried in vain, whichever items had their turn.
import type { Kysely } from 'kysely';
import type { Rows } from './schema.ts';

export interface SilenceTables {
  /** One row for each account and family that was ever tried in vain. */
  silences: {
    account_reg_no: string;
    family: string;
    /** In sum, and only ever more: an item counts from what stood here when it was first tried in vain. */
    lasts_ms: number;
    /** When somebody was last tried in vain. */
    at: number;
  };
}

export interface AttemptSilence {
  /** What its account and family had been silent for when nothing was learnt from it; null when something was, or when it broke off. */
  silence_ms: number | null;
}

export async function addSilences({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('silences')
    .addColumn('account_reg_no', 'text', (column) => column.notNull())
    .addColumn('family', 'text', (column) => column.notNull())
    .addColumn('lasts_ms', 'integer', (column) => column.notNull())
    .addColumn('at', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('silences_pk', ['account_reg_no', 'family'])
    .execute();
  await schema.alterTable('attempts').addColumn('silence_ms', 'integer').execute();
}

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
