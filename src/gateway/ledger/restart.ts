// After a restore: what the ledger knows of received documents may be old, so each feed starts as a new one does.
import type { Rows } from './schema.ts';

/**
 * What the service has marked read counts as published then, in whatever version it is there; what is unread is fetched, and published
 * unless it is what the ledger knows already.
 */
export async function restartFeeds(rows: Rows): Promise<void> {
  await rows.updateTable('sweeps').set({ started: 0, complete: 0, dirty: 0 }).execute();
  await rows.updateTable('documents').set({ state: 'seen' }).where('state', '=', 'published').execute();
}
