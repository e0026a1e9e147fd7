// Finding by the start of what is known reads no table from end to end, whichever engine plans it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type CompiledQuery, type KyselyPlugin, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { findDocumentsFrom, findFailedUploads, findItemsFrom } from '#gateway/ledger/find.ts';
import { openGatewayLedger } from '#gateway/ledger/open.ts';
import { readParticipantsLike } from '#gateway/ledger/parties.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import { findItems, foundItems, readHistory } from '#gateway/ledger/searches.ts';

/** Tables that grow with the documents. */
const LARGE = ['items', 'documents', 'publications', 'attempts', 'deliveries', 'fetches', 'failed_uploads', 'parties'];
const ON_POSTGRES = process.env.DROPGATE_TEST_DATABASE === 'postgres';
const TEXT = '0088:1';
const SOUGHT = { limit: 50 };
const COMMON = { ...SOUGHT, sinceMs: 1_000 };

/** All that is asked of the rows by some work. */
async function asked(rows: Rows, work: (rows: Rows) => Promise<unknown>): Promise<CompiledQuery[]> {
  const queries: CompiledQuery[] = [];
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      queries.push(rows.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await work(rows.withPlugin(plugin));
  return queries;
}

/** Large tables that a query reads without a condition on a key or an index. */
async function readWhole(rows: Rows, query: CompiledQuery): Promise<string[]> {
  const explain = ON_POSTGRES ? 'explain (format json) ' : 'explain query plan ';
  const { rows: plan } = await rows.executeQuery<Record<string, unknown>>({ ...query, sql: `${explain}${query.sql}` });
  if (ON_POSTGRES) return scansIn(plan[0]?.['QUERY PLAN']);
  return plan.flatMap(({ detail }) => {
    const [, table = ''] = /^SCAN (\w+)/.exec(String(detail)) ?? [];
    return LARGE.includes(table) ? [String(detail)] : [];
  });
}

function scansIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(scansIn);
  if (typeof node !== 'object' || node === null) return [];
  const { 'Node Type': type, 'Relation Name': table, 'Index Cond': condition }: Readonly<Record<string, unknown>> = { ...node };
  const isWhole = type === 'Seq Scan' || (String(type).startsWith('Index') && condition === undefined);
  const own = isWhole && LARGE.includes(String(table)) ? [`${type} on ${table}`] : [];
  return [...own, ...Object.values(node).flatMap(scansIn)];
}

const WORK: Record<string, (rows: Rows) => Promise<unknown>> = {
  'items by the start': (rows) => findItemsFrom(rows, { text: TEXT, participants: [TEXT] }, SOUGHT, COMMON),
  'items that were found': (rows) => foundItems(rows, sql`items.item in ('a', 'b')`, SOUGHT),
  'an item by its letters': (rows) => findItems(rows, '0123456789ABCDEFGHJKMNPQRS'),
  'what happened to an item': async (rows) => {
    const [item] = await findItems(rows, '0123456789ABCDEFGHJKMNPQRS');
    await readHistory(rows, item ?? JSON.parse('{"item":"a","accountRegNo":"b","home":"b"}'));
  },
  'received documents': (rows) => findDocumentsFrom(rows, { text: TEXT, participants: [TEXT] }, SOUGHT, COMMON),
  'failed uploads': (rows) => findFailedUploads(rows, TEXT, 'start', SOUGHT),
  participants: (rows) => readParticipantsLike(rows, TEXT, 'start', 20),
};

it.each(Object.entries(WORK))('%s', async (_, work) => {
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
