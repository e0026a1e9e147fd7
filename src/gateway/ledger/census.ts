// How many of everything there are: for those who watch over the gateway. It goes through whole indexes, so it is asked as a scan, and seldom.
import { sql } from 'kysely';
import type { Ledger } from './schema.ts';

export interface Census {
  /** All items that the ledger holds, counted by themselves. */
  readonly dropped: number;
  readonly items: ReadonlyMap<string, number>;
  /** By state, when the oldest of those was received that have not ended. */
  readonly oldest: ReadonlyMap<string, number>;
  /** Files that are owed to homes. */
  readonly owed: number;
  /** Documents of which the network may report more. */
  readonly followed: number;
  /** Received documents that could not be put into an outbox so far. */
  readonly stuck: number;
  /** Accounts, and families of accounts, that wait because the service refused more than one document. */
  readonly paused: number;
}

export async function takeCensus({ scan }: Pick<Ledger, 'scan'>, nowMs: number): Promise<Census> {
  // One statement sees one moment: the sides of the balance are of the same.
  const counted = sql<{ readonly state: string | null; readonly count: number }>`
    select state, count(*) as count from items group by state union all select null, count(item) from items`.execute(scan);
  const oldest = scan
    .selectFrom('items')
    .select((e) => ['state', e.fn.min<number>('received_at').as('received_at')])
    .where('state', 'in', ['pending', 'held'])
    .groupBy('state')
    .execute();
  const others = scan
    .selectNoFrom((e) => {
      const count = e.fn.countAll<number>().as('count');
      return [
        e.selectFrom('publications').select(count).where('written_at', 'is', null).as('owed'),
        e.selectFrom('deliveries').select(count).where('open', '=', 1).as('followed'),
        e.selectFrom('stuck').select(count).where('tries', '>', 0).as('stuck'),
        e.selectFrom('pauses').select(count).where('until', '>', nowMs).as('paused'),
      ];
    })
    .executeTakeFirstOrThrow();
  const [{ rows }, waiting, { owed, followed, stuck, paused }] = await Promise.all([counted, oldest, others]);
  return {
    dropped: rows.find(({ state }) => state === null)?.count ?? 0,
    items: new Map(rows.flatMap(({ state, count }) => (state === null ? [] : [[state, count] as const]))),
    oldest: new Map(waiting.map(({ state, received_at }) => [state, received_at])),
    owed: owed ?? 0,
    followed: followed ?? 0,
    stuck: stuck ?? 0,
    paused: paused ?? 0,
  };
}
