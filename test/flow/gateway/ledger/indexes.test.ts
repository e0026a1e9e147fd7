// What is looked for with every item is found by an index that holds little else.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { isOn } from '../../../support/engine.ts';
import { planOf } from '../../../support/plans.ts';

const LOOKS: Record<string, string> = {
  items_lane: `select item from items where account_reg_no = ? and state = ? and ended_at is null and sender = ? and receiver = ? and item < ?`,
  items_document: `select item from items where account_reg_no = ? and family = ? and document_id = ? and state = ?`,
  items_waits_for: `select item from items where waits_for = ? and state = ?`,
  // Of the days that `status` looks at, which are the last of the ledger.
  sqlite_autoindex_items_1: `select count(*) filter (where state = ?), count(*) filter (where state = ?) from items where item >= ? and ended_at >= ?`,
  publications_owed: `select * from publications where written_at is null and home in (?) order by home, publication`,
  documents_unmarked: `select integration_id from documents where account_reg_no = ? and family = ? and state = ? and marked_at is null`,
};

// PostgreSQL chooses by how many rows there are.
it.runIf(isOn('SQLite', 'Which index an empty ledger takes')).each(Object.entries(LOOKS))('%s is taken', async (index, query) => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-indexes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ledger = await openGatewayLedger(folder);
  onTestFinished(() => ledger.close());
  expect(await planOf(ledger, query)).toEqual({ indexes: [index], walks: [], sorts: [] });
});
