// Transmissions as they are listed: page by page each once, in order; and found along an index, whichever engine plans it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCoreLedger } from '#core/ledger/open.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import { type ListedTransmission, selectTransmissions, type TransmissionSearch } from '#core/ledger/transmission-list.ts';
import { TRANSMISSION_STATES } from '#core/model/transmission.ts';
import { asked, planOf } from '../../../support/plans.ts';
import { fillTransmissions } from '../../../support/world/ledger-rows.ts';

const MANY = 20_000;
const LAST_MS = Date.parse('2026-03-01T05:00:00Z');
const LIMIT = 50;
const TO_LOOK_AFTER = ['waiting', 'handed', 'failed', 'silent'] as const;

const folder = mkdtempSync(join(tmpdir(), 'dropgate-transmission-list-'));
let ledger: Ledger;
beforeAll(async () => {
  ledger = await openCoreLedger(join(folder, 'core.db'));
  await fillTransmissions(ledger, { count: MANY, stepMs: 1, untilMs: LAST_MS });
});
afterAll(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

const list = (search: TransmissionSearch): Promise<ListedTransmission[]> => selectTransmissions(ledger.read, search);

/** As the page goes on: behind the last one that it has shown. */
async function walked(search: Omit<TransmissionSearch, 'limit' | 'behind'>): Promise<ListedTransmission[]> {
  const all: ListedTransmission[] = [];
  for (;;) {
    const page = await list({ ...search, behind: all.at(-1), limit: LIMIT });
    all.push(...page);
    if (page.length < LIMIT) return all;
  }
}

it('each state has its transmissions, and a page those of all states that are asked for, the latest first', async () => {
  const all = await list({ states: TRANSMISSION_STATES, accountRegNo: null, limit: MANY });
  const counts = Map.groupBy(all, ({ state }) => state);
  expect(Object.fromEntries([...counts].map(([state, listed]) => [state, listed.length]))).toEqual({
    waiting: 20,
    handed: 200,
    failed: 20,
    silent: 20,
    replaced: 20,
    done: MANY - 280,
  });
  const places = all.map(({ createdAt, instanceId }) => `${createdAt} ${instanceId}`);
  expect(places).toEqual(places.toSorted().reverse());
  for (const accountRegNo of [null, 'account-9']) {
    const mine = all.filter((each) => accountRegNo === null || each.accountRegNo === accountRegNo);
    expect(await walked({ states: TO_LOOK_AFTER, accountRegNo })).toEqual(
      mine.filter(({ state }) => TO_LOOK_AFTER.some((each) => each === state)),
    );
  }
});

const STATES: Record<string, TransmissionSearch['states']> = {
  'what is to be looked after': TO_LOOK_AFTER,
  'what was delivered': ['done'],
  'what failed': ['failed'],
};
const WHOSE = { 'of all accounts': null, 'of an account': 'account-9' };
const WHERE = { 'the latest': undefined, 'the next ones': { createdAt: LAST_MS - 9, instanceId: 'transmitted-5' } };
const SEARCHES = Object.entries(STATES).flatMap(([what, states]) =>
  Object.entries(WHOSE).flatMap(([whose, accountRegNo]) =>
    Object.entries(WHERE).map(
      ([where, behind]) => [`${what}, ${whose}, ${where}`, { states, accountRegNo, behind, limit: LIMIT }] as const,
    ),
  ),
);

it.each(SEARCHES)('%s: along the index of each state, and nothing is sorted', async (_, search) => {
  const queries = await asked(ledger.read, (rows) => selectTransmissions(rows, search));
  expect(queries).toHaveLength(search.states.length);
  for (const query of queries) {
    const { indexes, walks, sorts } = await planOf(ledger, query.sql, true);
    expect({ index: indexes[0], walks, sorts }).toEqual({
      index: search.accountRegNo === null ? 'transmissions_listed' : 'transmissions_listed_of',
      walks: [],
      sorts: [],
    });
  }
});
