// What is looked for with every item is found by an index that holds little else.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readLatestAccepted } from '#gateway/ledger/accepted-versions.ts';
import { readUnmarked } from '#gateway/ledger/documents.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { readBlocker, readNeighbours, readWaiting, releaseTurns } from '#gateway/ledger/pair-order.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { findItems } from '#gateway/ledger/searches.ts';
import { isOn } from '../../../support/engine.ts';
import { planOf } from '../../../support/plans.ts';
import { saidIn } from '../../../support/queries.ts';
import { fillLedger } from '../../../support/world/ledger-rows.ts';

const LOOKS: Record<string, string> = {
  items_lane: `select item from items where account_reg_no = ? and state = ? and ended_at is null and sender = ? and receiver = ? and item < ?`,
  items_document: `select item from items where account_reg_no = ? and family = ? and document_id = ? and state = ?`,
  items_waits_for: `select item from items where waits_for = ? and state = ?`,
  // Of the days that `status` looks at, which are the last of the ledger.
  sqlite_autoindex_items_1: `select count(*) filter (where state = ?), count(*) filter (where state = ?) from items where item >= ? and ended_at >= ?`,
  items_ending: `select item from items where substr(items.item, 26) in (?) and substr(items.item, 19) in (?)`,
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

const ITEM = { item: '1'.padStart(26, '0'), accountRegNo: 'account-1' };
const HEAD = { family: 'Invoice', documentId: 'document-1', sender: 'account-1', receiver: 'receiver-1' } as const;
const TURN = { item: ITEM, head: HEAD, now: 1, underWay: false, answered: new Set<string>() };

interface Work {
  readonly ask: (rows: Rows) => Promise<unknown>;
  /** Of `items` and `documents`, in the order in which they are asked. */
  readonly indexes: readonly string[];
}

const WORK: Record<string, Work> = {
  'what stands beside an item': { ask: (rows) => readNeighbours(rows, TURN), indexes: ['items_document', 'items_lane'] },
  'what an item waits for': {
    ask: (rows) => readBlocker(rows, TURN, { hasOthers: true, lane: [] }),
    indexes: ['items_document', 'items_document'],
  },
  'what waits for an item': { ask: (rows) => readWaiting(rows, ITEM.item), indexes: ['items_waits_for'] },
  'what waited for it': { ask: (rows) => releaseTurns(rows, ITEM.item), indexes: ['items_waits_for'] },
  'what was accepted before': { ask: (rows) => readLatestAccepted(rows, ITEM.accountRegNo, HEAD), indexes: ['items_document'] },
  'which item a receipt with some letters is of': {
    ask: (rows) => findItems(rows, 'GHJKMNPQ'),
    indexes: ['items_ending'],
  },
  'what is to be marked as read': {
    ask: (rows) => readUnmarked(rows, { accountRegNo: 'account-1', family: 'Invoice' }),
    indexes: ['documents_unmarked'],
  },
};

// Statistics may be of a quiet night, or of a day on which the service was away.
const LARGE = [
  { what: 'of which all have ended', count: 20_000, open: 0 },
  { what: 'of which many wait', count: 20_000, open: 2_000 },
];

describe.runIf(isOn('PostgreSQL', 'Which index a large ledger takes')).each(LARGE)('of $count rows, $what,', (filled) => {
  const folder = mkdtempSync(join(tmpdir(), 'dropgate-indexes-'));
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await openGatewayLedger(folder);
    await fillLedger(ledger, filled);
  });
  afterAll(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });

  it.each(Object.entries(WORK))('%s is found by its index', async (_, { ask, indexes }) => {
    const plans = [];
    const statements = await ledger.write([], (rows) => saidIn(() => ask(rows)));
    for (const statement of statements) plans.push(await planOf(ledger, statement, true));
    const ofLarge = (names: readonly string[]): string[] => names.filter((name) => /\b(?:items|documents)/.test(name));
    expect(ofLarge(plans.flatMap((plan) => plan.indexes))).toEqual(indexes);
    expect(ofLarge(plans.flatMap(({ walks, sorts }) => [...walks, ...sorts]))).toEqual([]);
  });
});
