// After a restore: what the ledger knows of received documents may be old, so each feed starts as a new one does.

import type { Homes } from '#gateway/model/homes.ts';
import { changedReceiving, readReceiving } from '#gateway/model/receiving.ts';
import { among, ofAccountAmong } from './homes.ts';
import { moveRevision } from './revisions.ts';
import type { Rows } from './schema.ts';

/**
 * What the service has marked read counts as published then, in whatever version it is there; what is unread is fetched, and published
 * unless it is what the ledger knows already. From where an account once wanted to start matters no more: it would be published again.
 */
export async function restartFeeds(rows: Rows, homes: Homes): Promise<void> {
  await rows.updateTable('sweeps').set({ started: 0, complete: 0, dirty: 0 }).where(ofAccountAmong(homes)).execute();
  await rows.updateTable('documents').set({ state: 'seen' }).where('state', '=', 'published').where(ofAccountAmong(homes)).execute();
  const accounts = await rows.selectFrom('accounts').select(['account_reg_no', 'receiving']).where(among(homes)).execute();
  for (const { account_reg_no, receiving } of accounts) {
    const rules = JSON.stringify(changedReceiving(readReceiving(receiving), { from: null }));
    await rows.updateTable('accounts').set({ receiving: rules }).where('account_reg_no', '=', account_reg_no).execute();
  }
  await moveRevision(rows);
}
