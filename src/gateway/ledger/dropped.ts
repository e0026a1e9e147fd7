// What was dropped into a home since a time: its document numbers one by one, and the items behind them.
import { sql } from 'kysely';
import { firstIdAt } from '#domain/id.ts';
import type { Rows } from './schema.ts';
import { type FoundItem, foundItems } from './searches.ts';

export interface DroppedNumber {
  readonly documentId: string;
  /** Items that have it. */
  readonly count: number;
  /** When the last of them was last told of. */
  readonly changedAt: number;
}

interface NumbersAsked {
  readonly home: string;
  readonly sinceMs: number;
  /** The number behind which to go on; or the only one. */
  readonly after?: string;
  readonly only?: string;
  readonly limit: number;
}

/**
 * In the order of the numbers, each once. Of a limit that is a query PostgreSQL cannot know how much it is, and what is asked for each number it
 * looks up one by one: so it goes along the index even before its tables were ever analysed, where it would sort the whole home for each page.
 */
export async function readDroppedNumbers(rows: Rows, { home, sinceMs, after = '', only, limit }: NumbersAsked): Promise<DroppedNumber[]> {
  const first = firstIdAt(sinceMs);
  let numbers = rows
    .selectFrom('items')
    .select(['document_id', (e) => e.fn.max('item').as('last'), sql<number>`count(*) filter (where item >= ${first})`.as('count')])
    .where('home', '=', home)
    .groupBy('document_id')
    .having((e) => e(e.fn.max('item'), '>=', first))
    .orderBy('document_id')
    .modifyEnd(sql`limit (select ${sql.lit(limit)})`);
  numbers = only === undefined ? numbers.where('document_id', '>', after) : numbers.where('document_id', '=', only);
  const found = await rows
    .selectFrom(numbers.as('numbers'))
    .select([
      sql<string>`numbers.document_id`.as('documentId'),
      'numbers.count',
      (e) =>
        e
          .selectFrom('items')
          .select((i) =>
            i.fn
              .coalesce(
                i
                  .selectFrom('publications')
                  .select((p) => p.fn.max('written_at').as('written_at'))
                  .whereRef('publications.account_reg_no', '=', 'items.account_reg_no')
                  .whereRef('publications.subject', '=', 'items.item'),
                'items.ended_at',
                'items.received_at',
              )
              .as('told_at'),
          )
          .whereRef('items.item', '=', 'numbers.last')
          .as('changedAt'),
    ])
    .orderBy('numbers.document_id')
    .execute();
  return found.map((row) => ({ ...row, count: Number(row.count), changedAt: Number(row.changedAt) }));
}

/** The newest first. */
export function readDroppedOf(rows: Rows, home: string, documentId: string, sinceMs: number, limit: number): Promise<FoundItem[]> {
  return foundItems(rows, sql`items.home = ${home} and items.document_id = ${documentId}`, { sinceMs, limit });
}

/** All of the home since then, the newest first. */
export function readDropped(rows: Rows, home: string, sinceMs: number, limit: number): Promise<FoundItem[]> {
  const some = rows
    .selectFrom('items')
    .select('item')
    .where('home', '=', home)
    .where('item', '>=', firstIdAt(sinceMs))
    .orderBy('item', 'desc')
    .limit(limit);
  return foundItems(rows, sql`items.item in (${some})`, { limit });
}
