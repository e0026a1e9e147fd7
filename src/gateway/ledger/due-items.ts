// Which items are due: what the sweep of submitting takes next.
import { prepared } from '#engines/prepared.ts';
import type { Homes } from '#gateway/model/homes.ts';
import { among } from './homes.ts';
import type { Rows } from './schema.ts';

interface DueRequest {
  readonly now: number;
  readonly after: string;
  readonly limit: number;
}

const anyDue = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('items')
    .select('item')
    .where('state', '=', 'pending')
    .where('next_attempt_at', '<=', slot<number>('now'))
    .where('lease_until', '<=', slot<number>('now'))
    .limit(1),
);

/** Whether `readDue` may have one, of whatever home: to ask takes little where nothing is due, and no names of homes. */
export async function isAnyDue(rows: Rows, now: number): Promise<boolean> {
  return (await anyDue(rows, { now })).length > 0;
}

/** Pending items whose time has come and that are not leased, oldest first, behind `after`. */
export async function readDue(rows: Rows, homes: Homes, { now, after, limit }: DueRequest): Promise<string[]> {
  const found = await rows
    .selectFrom('items')
    .select('item')
    .where('state', '=', 'pending')
    .where('item', '>', after)
    .where('next_attempt_at', '<=', now)
    .where('lease_until', '<=', now)
    .where(among(homes))
    .orderBy('item')
    .limit(limit)
    .execute();
  return found.map((row) => row.item);
}
