// Which items are due: what the sweep of submitting takes next.
import type { Homes } from '#gateway/model/homes.ts';
import { among } from './homes.ts';
import type { Rows } from './schema.ts';

interface DueRequest {
  readonly now: number;
  readonly after: string;
  readonly limit: number;
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
