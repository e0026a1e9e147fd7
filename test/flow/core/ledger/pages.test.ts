import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { KyselyPlugin, RootOperationNode } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertAccount } from '#core/ledger/accounts.ts';
import { findCollision, type Version } from '#core/ledger/messages.ts';
import { openCoreLedger } from '#core/ledger/open.ts';
import { type Filter, markMessages, selectPage, selectUnreadLists } from '#core/ledger/pages.ts';
import type { Ledger, Rows } from '#core/ledger/schema.ts';
import { put, readList } from '#core/transactions/store.ts';
import { systemRandom } from '#runtime/clock.ts';
import { isOnPostgres } from '../../../support/engine.ts';
import { type Plan, planOf } from '../../../support/plans.ts';
import { saidIn } from '../../../support/queries.ts';
import { allMessages } from '../../../support/world/ledger-rows.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2026-03-01T05:00:00Z');
const DAYS = 6;
const MESSAGES = 400;

const folder = mkdtempSync(join(tmpdir(), 'dropgate-pages-'));
let ledger: Ledger;
let read: Rows;
/** What is prepared is written once, and run often. */
const written = new Map<object, RootOperationNode>();
const run: RootOperationNode[] = [];
const listen: KyselyPlugin = {
  transformQuery: ({ queryId, node }) => {
    written.set(queryId, node);
    return node;
  },
  transformResult: async ({ queryId, result }) => {
    run.push(...[written.get(queryId)].filter((node) => node !== undefined));
    return result;
  },
};
beforeAll(async () => {
  ledger = await openCoreLedger(join(folder, 'core.db'));
  read = ledger.read.withPlugin(listen);
  await ledger.write([], fill);
});
afterAll(async () => {
  await ledger.close();
  rmSync(folder, { recursive: true });
});

const EVERYTHING: Filter = {
  accountRegNo: 'one',
  direction: 'incoming',
  family: 'Invoice',
  marks: 'any',
  limit: 10,
  offset: 0,
  integrationId: null,
  documentId: null,
  createdFrom: null,
  createdBefore: null,
  updatedFrom: null,
  updatedBefore: null,
};

/** Two accounts, both directions; some documents overwritten hours or days later, every third one read. */
async function fill(rows: Rows): Promise<void> {
  for (const accountRegNo of ['one', 'two']) await insertAccount(rows, { accountRegNo, name: accountRegNo }, START);
  for (let at = 0; at < MESSAGES; at++) {
    const accountRegNo = at % 2 ? 'one' : 'two';
    const direction = at % 5 === 0 ? 'outgoing' : 'incoming';
    const nowMs = START + Math.floor((at / MESSAGES) * DAYS * DAY_MS);
    const message = version(at);
    const store = async (events: Version['events'], atMs: number): Promise<unknown> =>
      put(
        rows,
        systemRandom,
        await readList(rows, accountRegNo, direction, message.head),
        { ...message, events, integrationId: `id-${at}`, origin: null },
        atMs,
      );
    await store(message.events, nowMs);
    if (at % 7 === 0) await store([{ event: 'overwritten', status: 'received' }], nowMs + (at % 4) * 11 * HOUR_MS);
    if (at % 3 === 0) {
      const written = await findCollision(rows, accountRegNo, direction, message.head);
      if (written) await markMessages(rows, [written], nowMs);
    }
  }
}

function version(at: number): Version {
  const parties = { sender: `0088:${at}`, receiver: `0007:${at}`, customizationId: null, profileId: null, issueDate: null };
  return {
    head: { family: 'Invoice', documentId: `doc-${at % 40}`, ...parties },
    content: { notation: 'xml', sha256: '', bytes: new Uint8Array(1) },
    events: [{ event: 'created', status: 'received' }],
  };
}

const day = (at: number): number => START - (START % DAY_MS) + at * DAY_MS;
const bound = fc.option(fc.integer({ min: -1, max: DAYS + 2 }).map(day), { nil: null });
const filters: fc.Arbitrary<Filter> = fc.record({
  accountRegNo: fc.constantFrom('one', 'two'),
  direction: fc.constantFrom('incoming' as const, 'outgoing' as const),
  family: fc.constant('Invoice' as const),
  marks: fc.constantFrom('any' as const, 'unread' as const, 'read' as const),
  limit: fc.integer({ min: 1, max: 40 }),
  offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 150 })),
  integrationId: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, fc.constantFrom('id-7', 'id-8', 'none')),
  documentId: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, fc.constantFrom('doc-7', 'doc-14', 'none')),
  createdFrom: bound,
  createdBefore: bound,
  updatedFrom: bound,
  updatedBefore: bound,
});

describe('a page', () => {
  it('S104 S148 S149 S152 S153 S154 S156 S157 S158 is what a walk over all messages finds', async () => {
    const all = await allMessages(ledger);
    const within = (value: number, from: number | null, before: number | null): boolean =>
      (from === null || value >= from) && (before === null || value < before);
    const walk = (filter: Filter): string[] =>
      all
        .filter((each) => each.account_reg_no === filter.accountRegNo && each.direction === filter.direction)
        .filter((each) => filter.marks === 'any' || (each.read_at === null) === (filter.marks === 'unread'))
        .filter((each) => filter.integrationId === null || each.integration_id === filter.integrationId)
        .filter((each) => filter.documentId === null || each.document_id === filter.documentId)
        .filter((each) => within(each.created_at, filter.createdFrom, filter.createdBefore))
        .filter((each) => within(each.updated_at, filter.updatedFrom, filter.updatedBefore))
        .slice(filter.offset, filter.offset + filter.limit)
        .map((each) => each.integration_id);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(filters, async (filter) => {
        const page = (await selectPage(read, filter)).map((each) => each.integration_id);
        expect(page).toEqual(walk(filter));
        found += page.length;
      }),
      { numRuns: 1_000 },
    );
    expect(found).toBeGreaterThan(300);
  });

  it('keeps positions without gaps', async () => {
    const lists = Map.groupBy(await allMessages(ledger), (each) => [each.account_reg_no, each.direction, each.family].join());
    expect(lists.size).toBe(4);
    for (const messages of lists.values()) {
      const positions = messages.map(({ position }) => position).sort((a, b) => a - b);
      expect(positions).toEqual(positions.map((_, at) => at + 1));
    }
  });
});

describe('query plans', () => {
  const dates = { createdFrom: day(1), createdBefore: day(5), updatedFrom: day(2), updatedBefore: day(4) };
  const [position, unread, read, later] = ['messages_position', 'messages_unread', 'messages_read', 'messages_updated_later'];
  /** Of the constraint that makes a document unique. */
  const once = 'messages_once';
  const cases: [name: string, filter: Partial<Filter>, ...indexes: string[]][] = [
    ['the newest', {}, position],
    ['a deep offset', { offset: 100 }, position],
    ['unread', { marks: 'unread' }, unread],
    ['unread, a deep offset', { marks: 'unread', offset: 100 }, unread],
    ['read', { marks: 'read' }, read],
    ['integrationId', { integrationId: 'id-7' }, 'messages_id'],
    ['integrationId, unread', { integrationId: 'id-7', marks: 'unread' }, 'messages_id'],
    ['documentId', { documentId: 'doc-7' }, once],
    ['documentId, unread', { documentId: 'doc-7', marks: 'unread' }, once],
    ['documentId, all dates, read', { documentId: 'doc-7', marks: 'read', ...dates }, once],
    ['from', { createdFrom: day(1) }, position],
    ['from, to, unread', { createdFrom: day(1), createdBefore: day(3), marks: 'unread' }, unread],
    ['from, to, read', { createdFrom: day(1), createdBefore: day(3), marks: 'read' }, read],
    ['updatedAtFrom', { updatedFrom: day(2), updatedBefore: day(4) }, position, later],
    ['updatedAtTo, unread', { updatedBefore: day(4), marks: 'unread' }, unread, later],
    ['all dates, read', { ...dates, marks: 'read' }, read, later],
  ];

  it.each(cases)(
    '%s: searches the index that is right for it, walks over no table and sorts no more than the messages of one number',
    async (_, given, ...indexes) => {
      const plans = await plansOf((rows) => selectPage(rows, { ...EVERYTHING, ...given }));
      // PostgreSQL does not merge what it finds by two indexes.
      const byTwo = isOnPostgres && indexes.length > 1;
      const mayBeSorted = given.documentId !== undefined || given.integrationId !== undefined || byTwo;
      expect(plans.flatMap(({ walks, sorts }) => [...walks, ...(mayBeSorted ? [] : sorts)])).toEqual([]);
      // What comes before looks up positions.
      expect(plans.flatMap((plan) => plan.indexes).slice(-indexes.length)).toEqual(indexes);
    },
  );

  it('what came to all accounts lately is found by when its identifiers were made', async () => {
    expect(await plansOf((rows) => selectUnreadLists(rows, day(1), day(2), 10))).toMatchObject([{ indexes: ['messages_id'], walks: [] }]);
  });
});

/** Of all queries that it takes. */
async function plansOf(ask: (rows: Rows) => Promise<unknown>): Promise<Plan[]> {
  const plans: Plan[] = [];
  for (const statement of await statementsOf(ask)) plans.push(await planOf(ledger, statement));
  return plans;
}

async function statementsOf(ask: (rows: Rows) => Promise<unknown>): Promise<string[]> {
  // What is prepared is written once for all databases there, perhaps before this file.
  if (isOnPostgres) return ledger.write([], (rows) => saidIn(() => ask(rows)));
  run.length = 0;
  await ask(read);
  return run.map((node) => ledger.read.getExecutor().compileQuery(node, { queryId: 'plan' }).sql);
}
