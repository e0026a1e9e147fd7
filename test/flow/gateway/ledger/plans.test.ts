// Finding by the start of what is known, and what is asked for homes over the whole ledger, read no table from end to end, whichever engine plans
// it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type CompiledQuery, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { readOpenFeeds } from '#gateway/ledger/deliveries.ts';
import { readDropped, readDroppedNumbers, readDroppedOf } from '#gateway/ledger/dropped.ts';
import { readDue } from '#gateway/ledger/due-items.ts';
import { findDocumentsFrom, findFailedUploads, findItemsFrom } from '#gateway/ledger/find.ts';
import { endWaitsBegunAfter, voidLeases } from '#gateway/ledger/item-waits.ts';
import { doubtOpen, readOpen, readPending } from '#gateway/ledger/items.ts';
import { readUntold } from '#gateway/ledger/long-waits.ts';
import { readComeAnew } from '#gateway/ledger/newer-files.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { readForgotten } from '#gateway/ledger/pair-order.ts';
import { readParticipantsLike } from '#gateway/ledger/parties.ts';
import { readOwed } from '#gateway/ledger/publications.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import { findItems, findItemsOf, foundItems, type ItemSearch, readHistory, searchItems } from '#gateway/ledger/searches.ts';
import { ALL_HOMES, type Homes } from '#gateway/model/homes.ts';
import { isOn } from '../../../support/engine.ts';
import { asked, planOf } from '../../../support/plans.ts';
import { fillHome } from '../../../support/world/ledger-rows.ts';

/** Tables that grow with the documents. */
const LARGE = ['items', 'documents', 'publications', 'attempts', 'deliveries', 'fetches', 'failed_uploads', 'parties'];
/** Indexes that hold but few rows of them: a walk over one is none. */
const FEW = ['publications_owed'];
const ON_POSTGRES = process.env.DROPGATE_TEST_DATABASE === 'postgres';
const TEXT = '0088:1';
const SOUGHT = { limit: 50 };
const COMMON = { ...SOUGHT, sinceMs: 1_000 };

/** Large tables that a query reads without a condition on a key or an index. */
async function readWhole(rows: Rows, query: CompiledQuery): Promise<string[]> {
  const explain = ON_POSTGRES ? 'explain (format json) ' : 'explain query plan ';
  const { rows: plan } = await rows.executeQuery<Record<string, unknown>>({ ...query, sql: `${explain}${query.sql}` });
  if (ON_POSTGRES) return scansIn(plan[0]?.['QUERY PLAN']);
  return plan.flatMap(({ detail }) => {
    const [, table = '', index = ''] = /^SCAN (\w+)(?: USING INDEX (\w+))?/.exec(String(detail)) ?? [];
    return LARGE.includes(table) && !FEW.includes(index) ? [String(detail)] : [];
  });
}

function scansIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(scansIn);
  if (typeof node !== 'object' || node === null) return [];
  const facts: Readonly<Record<string, unknown>> = { ...node };
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Index Cond': condition } = facts;
  const isWhole = type === 'Seq Scan' || (String(type).startsWith('Index') && condition === undefined);
  const own = isWhole && LARGE.includes(String(table)) && !FEW.includes(String(index)) ? [`${type} on ${table}`] : [];
  return [...own, ...Object.values(node).flatMap(scansIn)];
}

const WORK: Record<string, (rows: Rows) => Promise<unknown>> = {
  'numbers of a home': (rows) => readDroppedNumbers(rows, { home: 'a', sinceMs: 1_000, limit: 50 }),
  'a number of a home': (rows) => readDroppedNumbers(rows, { home: 'a', sinceMs: 1_000, only: '1', limit: 1 }),
  'files of a number': (rows) => readDroppedOf(rows, 'a', '1', 1_000, 10),
  'files of a home since a time': (rows) => readDropped(rows, 'a', 1_000, 50),
  'uploads that have come anew': (rows) => readComeAnew(rows, [{ id: 'a', home: 'b', login: 'c', name: 'd.xml', mode: 'send' }]),
  'items by the start': (rows) => findItemsFrom(rows, { text: TEXT, participants: [TEXT] }, SOUGHT, COMMON),
  'items that were found': (rows) => foundItems(rows, sql`items.item in ('a', 'b')`, SOUGHT),
  'an item by its letters': (rows) => findItems(rows, '0123456789ABCDEFGHJKMNPQRS'),
  'several items by their letters': (rows) => findItemsOf(rows, ['0123456789ABCDEFGHJKMNPQRS', '5567321707']),
  'an item by the letters of its receipt': (rows) => findItems(rows, 'ghjkmnpq'),
  'what happened to an item': async (rows) => {
    const [item] = await findItems(rows, '0123456789ABCDEFGHJKMNPQRS');
    await readHistory(rows, item ?? JSON.parse('{"item":"a","accountRegNo":"b","home":"b"}'));
  },
  'received documents': (rows) => findDocumentsFrom(rows, { text: TEXT, participants: [TEXT] }, SOUGHT, COMMON),
  'failed uploads': (rows) => findFailedUploads(rows, TEXT, 'start', SOUGHT),
  participants: (rows) => readParticipantsLike(rows, TEXT, 'start', 20),
};

const HOMES: Record<string, Homes> = {
  'all homes': ALL_HOMES,
  'all homes but two': { except: ['a', 'b'] },
  'a home': { only: ['a'] },
  'very many homes': { only: Array.from({ length: 100_000 }, (_, at) => `home-${at}`) },
};

/** For these homes, over the whole ledger. */
const HOMES_WORK: Record<string, (rows: Rows, homes: Homes) => Promise<unknown>> = {
  due: (rows, homes) => readDue(rows, homes, { now: 1_000, after: '', limit: 50 }),
  pending: readPending,
  open: readOpen,
  'in doubt': doubtOpen,
  'let go': voidLeases,
  'of a clock that was put back': (rows, homes) => endWaitsBegunAfter(rows, homes, 1_000),
  'forgotten turns': (rows, homes) => readForgotten(rows, homes, 50),
  'long waits': (rows, homes) => readUntold(rows, homes, 1_000, 50),
  'owed files': readOwed,
  'feeds of which more may come': readOpenFeeds,
};

const ALL_WORK = [
  ...Object.entries(WORK),
  ...Object.entries(HOMES_WORK).flatMap(([what, work]) =>
    Object.entries(HOMES).map(([whose, homes]) => [`${what}, ${whose}`, (rows: Rows) => work(rows, homes)] as const),
  ),
];

it.each(ALL_WORK)('%s', async (_, work) => {
  const folder = mkdtempSync(`${tmpdir()}/dropgate-plans-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ledger = await openGatewayLedger(folder);
  onTestFinished(() => ledger.close());
  await ledger.write([], async (rows) => {
    // Tables are empty here, and would be read whole.
    if (ON_POSTGRES) await sql`set local enable_seqscan = off`.execute(rows);
    const queries = await asked(rows, work);
    expect(queries.length).toBeGreaterThan(0);
    for (const query of queries) expect(await readWhole(rows, query), query.sql).toEqual([]);
  });
});

const MANY = 20_000;

/** The newest items of a search: the index by which they are found. */
const NEWEST: Record<string, readonly [ItemSearch, string]> = {
  'of an account': [{ accountRegNo: 'account-1', limit: 50 }, 'items_account'],
  'accepted ones': [{ states: ['accepted'], limit: 50 }, 'sqlite_autoindex_items_1'],
  'accepted ones of an account': [{ states: ['accepted'], accountRegNo: 'account-1', limit: 50 }, 'items_account'],
  'held ones': [{ states: ['held'], limit: 50 }, 'items_due'],
  'held ones of an account': [{ states: ['held'], accountRegNo: 'account-1', limit: 50 }, 'items_due'],
};

// PostgreSQL chooses by how many rows there are.
it.runIf(isOn('SQLite', 'By which index the newest items are found')).each(Object.entries(NEWEST))('%s', async (_, [search, index]) => {
  const folder = mkdtempSync(`${tmpdir()}/dropgate-plans-`);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ledger = await openGatewayLedger(folder);
  onTestFinished(() => ledger.close());
  const [query] = await ledger.write([], (rows) => asked(rows, (asking) => searchItems(asking, search)));
  const { indexes, sorts } = await planOf(ledger, query?.sql ?? '');
  expect({ index: indexes[0], sorts: sorts.length }).toEqual({ index, sorts: index === 'items_due' ? 1 : 0 });
});

/** What is asked of a home: the index by which its items are found. */
const OF_A_HOME: Record<string, (rows: Rows) => Promise<unknown>> = {
  numbers: (rows) => readDroppedNumbers(rows, { home: 'a', sinceMs: 1_000, limit: 50 }),
  'a number': (rows) => readDroppedNumbers(rows, { home: 'a', sinceMs: 1_000, only: '1', limit: 1 }),
  'files of a number': (rows) => readDroppedOf(rows, 'a', '1', 1_000, 10),
  'files since a time': (rows) => readDropped(rows, 'a', 1_000, 50),
};

// PostgreSQL chooses by how many rows there are.
it.runIf(isOn('SQLite', 'By which index the items of a home are found')).each(Object.entries(OF_A_HOME))(
  '%s of a home',
  async (_, work) => {
    const folder = mkdtempSync(`${tmpdir()}/dropgate-plans-`);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const ledger = await openGatewayLedger(folder);
    onTestFinished(() => ledger.close());
    const [query] = await ledger.write([], (rows) => asked(rows, work));
    expect((await planOf(ledger, query?.sql ?? '')).indexes).toContain('items_home');
  },
);

// PostgreSQL chooses by how many rows there are.
it.runIf(isOn('SQLite', 'In which order items with a common start are found'))(
  'items with a start that most have are found in the order of time, and sorted nowhere',
  async () => {
    const folder = mkdtempSync(`${tmpdir()}/dropgate-plans-`);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const ledger = await openGatewayLedger(folder);
    onTestFinished(() => ledger.close());
    await fillHome(ledger, 'acme-ab', MANY, 1_000);
    const queries = await asked(ledger.read, (rows) => findItemsFrom(rows, { text: 'N-', participants: [] }, SOUGHT, COMMON));
    const { indexes, sorts } = await planOf(ledger, queries.at(-1)?.sql ?? '');
    expect({ index: indexes[0], sorts }).toEqual({ index: 'sqlite_autoindex_items_1', sorts: [] });
  },
);

// A new installation knows nothing of its tables until PostgreSQL has looked at them.
it.runIf(isOn('PostgreSQL', 'Pages of a home before its tables were analysed'))(
  'numbers of a home are read along its index, and sorted nowhere, before PostgreSQL knows how many there are',
  async () => {
    const folder = mkdtempSync(`${tmpdir()}/dropgate-plans-`);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const ledger = await openGatewayLedger(folder);
    onTestFinished(() => ledger.close());
    await fillHome(ledger, 'acme-ab', MANY, 1_000);
    const page = { home: 'acme-ab', sinceMs: 1_000, after: 'N-1', limit: 1_000 };
    const [query] = await asked(ledger.read, (rows) => readDroppedNumbers(rows, page));
    if (!query) throw new TypeError('nothing was asked');
    const { rows } = await ledger.read.executeQuery<{ 'QUERY PLAN': string }>({ ...query, sql: `explain ${query.sql}` });
    const steps = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(steps).toContain('using items_home');
    expect(steps).not.toMatch(/Sort|Seq Scan|Hash|Bitmap\w* Scan on items/);
  },
);
