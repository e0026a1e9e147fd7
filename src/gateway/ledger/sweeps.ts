// How far the sweeps of each feed came.
import { type ExpressionWrapper, expressionBuilder, type Selectable, type SqlBool } from 'kysely';
import { prepared, preparedChange, type Slot } from '#engines/prepared.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { Rows, Tables } from './schema.ts';
import { ROUND_FIRST } from './tables/receiving.ts';

/**
 * `new`: nothing done; `listed`: what was there before is recorded; `draining`: the unread are being taken; `started`: ordinary sweeps.
 */
type Start = 'new' | 'listed' | 'draining' | 'started';

/** In the order in which they came to be: the index is stored. */
const STARTS: readonly Start[] = ['new', 'draining', 'started', 'listed'];

export interface SweepState {
  /** Documents up to this sequence count as known. */
  readonly complete: number;
  /** Something may have been passed over: the next sweep compares what was changed lately. */
  readonly dirty: boolean;
  readonly start: Start;
  readonly pageLimit: number;
  readonly recentAt: number;
  readonly deepAt: number;
  /** Documents that may have been moved in this round or later are not where the last completed sweep met them. */
  readonly round: number;
}

const PAGE_LIMIT_FIRST = 100;

const sweepOfFeed = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('sweeps')
    .selectAll()
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('family', '=', slot<string>('family')),
);

export async function readSweep(rows: Rows, { accountRegNo, family }: Feed): Promise<SweepState> {
  const [row] = await sweepOfFeed(rows, { accountRegNo, family });
  return stateOf(row);
}

function stateOf(row: Selectable<Tables['sweeps']> | undefined): SweepState {
  return {
    complete: row?.complete ?? 0,
    dirty: row?.dirty === 1,
    start: STARTS[row?.started ?? 0] ?? 'new',
    pageLimit: row?.page_limit ?? PAGE_LIMIT_FIRST,
    recentAt: row?.recent_at ?? 0,
    deepAt: row?.deep_at ?? 0,
    round: row?.round ?? ROUND_FIRST,
  };
}

function isOwed(slot: Slot): ExpressionWrapper<Tables, never, SqlBool> {
  const e = expressionBuilder<Tables>();
  const ofFeed = { account_reg_no: slot<string>('accountRegNo'), family: slot<string>('family') };
  return e.or([
    e.exists(
      e
        .selectFrom('redeliveries')
        .select('integration_id')
        .where((each) => each.and(ofFeed)),
    ),
    e.exists(
      e
        .selectFrom('stuck')
        .select('integration_id')
        .where((each) => each.and(ofFeed)),
    ),
    e.exists(
      e
        .selectFrom('documents')
        .select('integration_id')
        .where((each) => each.and({ ...ofFeed, state: 'published' }))
        .where('marked_at', 'is', null),
    ),
  ]);
}

const owedToFeed = prepared((rows: Rows, slot) => rows.selectNoFrom(isOwed(slot).as('owed')));

/** Whether anything of the feed is to be delivered again, tried again, or marked. */
export async function owesAnything(rows: Rows, { accountRegNo, family }: Feed): Promise<boolean> {
  const [row] = await owedToFeed(rows, { accountRegNo, family });
  return Boolean(row?.owed);
}

const sweepAndOwed = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('sweeps')
    .selectAll()
    .select(isOwed(slot).as('owed'))
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('family', '=', slot<string>('family')),
);

/** Both in one question, for most feeds have nothing new: of one that has no row yet nothing counts as owed. */
export async function readSweepAndOwed(rows: Rows, { accountRegNo, family }: Feed): Promise<{ state: SweepState; owes: boolean }> {
  const [row] = await sweepAndOwed(rows, { accountRegNo, family });
  return { state: stateOf(row), owes: Boolean(row?.owed) };
}

const sweepNow = preparedChange((rows: Rows, slot) => {
  const values = {
    complete: slot<number>('complete'),
    dirty: slot<number>('dirty'),
    started: slot<number>('started'),
    page_limit: slot<number>('pageLimit'),
    recent_at: slot<number>('recentAt'),
    deep_at: slot<number>('deepAt'),
    round: slot<number>('round'),
  };
  return rows
    .insertInto('sweeps')
    .values({ account_reg_no: slot<string>('accountRegNo'), family: slot<string>('family'), ...values })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'family']).doUpdateSet(values));
});

/** Changes the columns that are given. */
export async function putSweep(rows: Rows, { accountRegNo, family }: Feed, change: Partial<SweepState>): Promise<void> {
  const { dirty, start, ...rest } = { ...(await readSweep(rows, { accountRegNo, family })), ...change };
  await sweepNow(rows, { accountRegNo, family, dirty: Number(dirty), started: STARTS.indexOf(start), ...rest });
}

const completedNow = prepared((rows: Rows, slot) =>
  rows
    .insertInto('sweeps')
    .values({
      account_reg_no: slot<string>('accountRegNo'),
      family: slot<string>('family'),
      complete: rows
        .selectFrom('documents')
        .select((e) => e.fn.coalesce(e.fn.max('sequence'), e.lit(0)).as('sequence'))
        .where('account_reg_no', '=', slot<string>('accountRegNo'))
        .where('family', '=', slot<string>('family')),
      dirty: slot<number>('dirty'),
      started: STARTS.indexOf('new'),
      page_limit: PAGE_LIMIT_FIRST,
      recent_at: slot<number>('recentAt'),
      deep_at: slot<number>('deepAt'),
      round: ROUND_FIRST + 1,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_reg_no', 'family']).doUpdateSet((e) => ({
        complete: e.ref('excluded.complete'),
        dirty: e.ref('excluded.dirty'),
        recent_at: e.ref('excluded.recent_at'),
        deep_at: e.ref('excluded.deep_at'),
        round: e('sweeps.round', '+', 1),
      })),
    )
    .returningAll(),
);

/** What a sweep that has ended says of its feed. */
export type Completed = Pick<SweepState, 'dirty' | 'recentAt' | 'deepAt'>;

/** A sweep has ended: all that is known of the feed now has been met by it, where it stands. Resolves with how far the feed is now. */
export async function completeSweep(
  rows: Rows,
  { accountRegNo, family }: Feed,
  { dirty, recentAt, deepAt }: Completed,
): Promise<SweepState> {
  const [row] = await completedNow(rows, { accountRegNo, family, dirty: Number(dirty), recentAt, deepAt });
  return stateOf(row);
}
