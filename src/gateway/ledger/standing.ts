// How things stand: what waits, for whom and since when, what became of the files of today, and which accounts the service refuses or does not
// answer. It goes through all items of some days, so it is asked as a scan.
import { firstIdAt } from '#domain/id.ts';
import { END_STATES, type EndState, type ItemState } from '#gateway/model/item.ts';
import { type Pausing, readPausing } from './circuit-breaker.ts';
import type { Ledger } from './schema.ts';

/** No file is tried for longer before a person must look (docs/erp.md), so what ended today was dropped in these days. */
const DAYS_BEFORE_MS = 4 * 86_400_000;

interface Waiting {
  readonly accountRegNo: string;
  readonly state: ItemState;
  readonly count: number;
  /** When the oldest of them was received, and what most of them wait for. */
  readonly sinceMs: number;
  readonly reason: string | null;
}

interface Silent {
  readonly accountRegNo: string;
  readonly family: string;
  /** Items whose last try was not answered, and since when the first of them is tried. */
  readonly count: number;
  readonly sinceMs: number;
}

export interface Standing {
  readonly waiting: readonly Waiting[];
  readonly pausing: readonly Pausing[];
  readonly silent: readonly Silent[];
  /** Dropped since the begin of the day; those that have ended since then, by state; and of the accepted ones those that the network delivered. */
  readonly dropped: number;
  readonly ended: Readonly<Record<EndState, number>>;
  readonly delivered: number;
}

export async function readStanding({ scan }: Pick<Ledger, 'scan'>, dayMs: number, nowMs: number): Promise<Standing> {
  const lately = firstIdAt(dayMs - DAYS_BEFORE_MS);
  const open = scan
    .selectFrom('items')
    .select((e) => ['account_reg_no', 'state', 'reason', e.fn.countAll<number>().as('count'), e.fn.min<number>('received_at').as('since')])
    .where('state', 'in', ['pending', 'held'])
    .groupBy(['account_reg_no', 'state', 'reason'])
    .orderBy('count', 'desc')
    .execute();
  const tried = scan
    .selectFrom('items')
    .innerJoin('attempts', 'attempts.item', 'items.item')
    .select((e) => [
      'account_reg_no',
      'family',
      e.fn.count<number>('items.item').distinct().as('count'),
      e.fn.min<number>('attempts.at').as('since'),
    ])
    .where('state', '=', 'pending')
    .where('family', 'is not', null)
    .where('silence_ms', 'is not', null)
    .where((e) => {
      const later = e.selectFrom('attempts as later').select('later.number').whereRef('later.item', '=', 'items.item');
      return e.not(e.exists(later.whereRef('later.number', '>', 'attempts.number').where('later.silence_ms', 'is', null)));
    })
    .groupBy(['account_reg_no', 'family'])
    .execute();
  // Counted side by side: to group them SQLite would walk over an index of all states.
  const ended = scan
    .selectFrom('items')
    .select((e) => END_STATES.map((state) => e.fn.countAll<number>().filterWhere('state', '=', state).as(state)))
    .where('item', '>=', lately)
    .where('ended_at', '>=', dayMs)
    .executeTakeFirstOrThrow();
  const dropped = scan
    .selectFrom('items')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('item', '>=', firstIdAt(dayMs))
    .executeTakeFirstOrThrow();
  const delivered = scan
    .selectFrom('deliveries')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('item', '>=', lately)
    .where('accepted_at', '>=', dayMs)
    .where('status', '=', 'delivered')
    .executeTakeFirstOrThrow();
  const [waiting, pausing, silent] = await Promise.all([open, readPausing(scan, nowMs), tried]);
  return {
    waiting: joined(waiting.map(({ account_reg_no: accountRegNo, since: sinceMs, ...row }) => ({ ...row, accountRegNo, sinceMs }))),
    pausing,
    silent: silent.map(({ account_reg_no: accountRegNo, family, count, since: sinceMs }) => ({
      accountRegNo,
      family: family ?? '',
      count,
      sinceMs,
    })),
    ended: await ended,
    dropped: (await dropped).count,
    delivered: (await delivered).count,
  };
}

/** One for each account and state, the oldest first. The most frequent reason comes first. */
function joined(rows: readonly Waiting[]): Waiting[] {
  const found = new Map<string, Waiting>();
  for (const row of rows) {
    const key = `${row.accountRegNo} ${row.state}`;
    const before = found.get(key) ?? { ...row, count: 0 };
    found.set(key, { ...before, count: before.count + row.count, sinceMs: Math.min(before.sinceMs, row.sinceMs) });
  }
  return [...found.values()].sort((a, b) => a.sinceMs - b.sinceMs);
}
