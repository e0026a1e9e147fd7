// How far the sweeps of each feed came.
import type { Feed } from './documents.ts';
import type { Rows } from './schema.ts';

/** `new`: nothing done; `draining`: what was there before is recorded, and the unread are being taken; `started`: ordinary sweeps. */
export type Start = 'new' | 'draining' | 'started';

const STARTS: readonly Start[] = ['new', 'draining', 'started'];

export interface SweepState {
  /** Documents up to this sequence count as known. */
  readonly complete: number;
  readonly dirty: boolean;
  readonly start: Start;
  readonly pageLimit: number;
}

export const PAGE_LIMIT_FIRST = 100;

export async function readSweep(rows: Rows, { accountRegNo, family }: Feed): Promise<SweepState> {
  const row = await rows
    .selectFrom('sweeps')
    .selectAll()
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .executeTakeFirst();
  return {
    complete: row?.complete ?? 0,
    dirty: row?.dirty === 1,
    start: STARTS[row?.started ?? 0] ?? 'new',
    pageLimit: row?.page_limit ?? PAGE_LIMIT_FIRST,
  };
}

/** Changes what is named; the rest stays. */
export async function putSweep(rows: Rows, feed: Feed, change: Partial<SweepState>): Promise<void> {
  const now = { ...(await readSweep(rows, feed)), ...change };
  const values = {
    complete: now.complete,
    dirty: now.dirty ? 1 : 0,
    started: STARTS.indexOf(now.start),
    page_limit: now.pageLimit,
  };
  await rows
    .insertInto('sweeps')
    .values({ account_reg_no: feed.accountRegNo, family: feed.family, ...values })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'family']).doUpdateSet(values))
    .execute();
}

/** The sequence of the latest document met of a feed: what a sweep that ends now has completed. */
export async function readLatestSequence(rows: Rows, { accountRegNo, family }: Feed): Promise<number> {
  const row = await rows
    .selectFrom('documents')
    .select((e) => e.fn.max('sequence').as('sequence'))
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .executeTakeFirst();
  return row?.sequence ?? 0;
}
