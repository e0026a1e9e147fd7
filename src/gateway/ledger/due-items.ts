// Which items are due: what the sweep of submitting takes next.
import type { Rows } from './schema.ts';

/** Pending items whose time has come and that are not leased, oldest first, behind `after`. */
export async function readDue(rows: Rows, now: number, after: string, limit: number): Promise<string[]> {
  const found = await rows
    .selectFrom('items')
    .select('item')
    .where('state', '=', 'pending')
    .where('item', '>', after)
    .where('next_attempt_at', '<=', now)
    .where('lease_until', '<=', now)
    .orderBy('item')
    .limit(limit)
    .execute();
  return found.map((row) => row.item);
}
