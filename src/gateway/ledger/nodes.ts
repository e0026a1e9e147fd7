// Nodes: gateways that share the homes of one ledger on PostgreSQL. Each has a name, and a lease by the database's clock.
import { sql } from 'kysely';
import { prepared } from '#engines/prepared.ts';
import { allHomes, takeHomes } from './hands.ts';
import type { Rows } from './schema.ts';

/** The database's clock as milliseconds since 1970; it moves within a transaction. */
const NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
/** Takeovers that are kept. */
const TAKEOVERS_MAX = 100;
const FOLDER = 'data folder';

export interface Node {
  readonly incarnation: string;
  readonly node: string;
  /** Where it runs, as sentences name it. */
  readonly place: string;
  /** Until its lease ends; below 0: it has ended. */
  readonly leftMs: number;
  readonly joinedAt: number;
  /** It takes no homes up yet. */
  readonly isStarting: boolean;
  /** It is about to stop, and gives its homes up. */
  readonly isLeaving: boolean;
}

const allNodes = prepared((rows: Rows) =>
  rows
    .selectFrom('processes')
    .select(['incarnation', 'node', 'place', 'joined_at', 'started_at', 'leaving_at', sql<number>`lease_until - ${NOW}`.as('left_ms')])
    .where('node', 'is not', null)
    .orderBy('joined_at')
    .orderBy('incarnation'),
);

/** In the order in which they have joined. */
export async function readNodes(rows: Rows): Promise<Node[]> {
  const found = await allNodes(rows, {});
  return found.map(({ incarnation, node, place, joined_at, started_at, leaving_at, left_ms }) => ({
    incarnation,
    node: node ?? '',
    place,
    leftMs: left_ms,
    joinedAt: joined_at ?? 0,
    isStarting: started_at === null,
    isLeaving: leaving_at !== null,
  }));
}

/** Adds a node. It is there until another node ends it after its lease (`endNode`). */
export async function putNode(rows: Rows, node: Pick<Node, 'incarnation' | 'node' | 'place'>, leaseMs: number): Promise<void> {
  await rows
    .insertInto('processes')
    .values({ ...node, lease_until: sql`${NOW} + ${leaseMs}::bigint`, joined_at: NOW })
    .execute();
}

/** False when the lease had ended already: then this node must stop working on homes. */
export async function renewLease(rows: Rows, incarnation: string, leaseMs: number): Promise<boolean> {
  const renewed = await rows
    .updateTable('processes')
    .set({ lease_until: sql`${NOW} + ${leaseMs}::bigint` })
    .where('incarnation', '=', incarnation)
    .where('lease_until', '>=', NOW)
    .executeTakeFirst();
  return renewed.numUpdatedRows > 0n;
}

/** Other nodes give it homes from now on. */
export async function markStarted(rows: Rows, incarnation: string): Promise<void> {
  await rows.updateTable('processes').set({ started_at: NOW }).where('incarnation', '=', incarnation).execute();
}

/** Other nodes give it no homes from now on. */
export async function markLeaving(rows: Rows, incarnation: string): Promise<void> {
  await rows.updateTable('processes').set({ leaving_at: NOW }).where('incarnation', '=', incarnation).execute();
}

/** Ends a node after its lease, and frees its homes; returns their number. Undefined when another node was faster. */
export async function endNode(rows: Rows, { incarnation, node }: Node, by: string): Promise<number | undefined> {
  const { homes } = await rows
    .selectFrom('homes_in_hand')
    .select((e) => e.fn.countAll<number>().as('homes'))
    .where('incarnation', '=', incarnation)
    .executeTakeFirstOrThrow();
  const ended = await rows.deleteFrom('processes').where('incarnation', '=', incarnation).where('lease_until', '<', NOW).executeTakeFirst();
  if (ended.numDeletedRows === 0n) return undefined;
  const { takeover } = await rows
    .insertInto('takeovers')
    .values({ node, incarnation, by_node: by, homes, at: NOW })
    .returning('takeover')
    .executeTakeFirstOrThrow();
  await rows
    .deleteFrom('takeovers')
    .where('takeover', '<=', takeover - TAKEOVERS_MAX)
    .execute();
  return homes;
}

interface Takeover {
  readonly node: string;
  readonly incarnation: string;
  readonly by: string;
  readonly homes: number;
  readonly at: number;
}

/** The latest first. */
export async function readTakeovers(rows: Rows): Promise<Takeover[]> {
  const found = await rows.selectFrom('takeovers').selectAll().orderBy('takeover', 'desc').execute();
  return found.map(({ node, incarnation, by_node, homes, at }) => ({ node, incarnation, by: by_node, homes, at }));
}

/** Gives all free homes to this process; returns all homes that it has in hand then. */
export async function takeAllFree(rows: Rows, incarnation: string): Promise<string[]> {
  await takeHomes(rows, incarnation, { except: [] });
  const found = await rows.selectFrom('homes_in_hand').select('home').where('incarnation', '=', incarnation).orderBy('home').execute();
  return found.map(({ home }) => home);
}

const freeHomes = prepared((rows: Rows) =>
  rows
    .selectFrom(allHomes(rows).as('homes'))
    .select('home')
    .distinct()
    .where((e) => e.not(e.exists(e.selectFrom('homes_in_hand').select('home').whereRef('homes_in_hand.home', '=', 'homes.home'))))
    .orderBy('home'),
);

/** Homes that no process has in hand. */
export async function readFree(rows: Rows): Promise<string[]> {
  const found = await freeHomes(rows, {});
  return found.map(({ home }) => home);
}

/** How many homes each incarnation has in hand. */
export async function countHomes(rows: Rows): Promise<ReadonlyMap<string, number>> {
  const found = await rows
    .selectFrom('homes_in_hand')
    .select((e) => ['incarnation', e.fn.countAll<number>().as('homes')])
    .groupBy('incarnation')
    .execute();
  return new Map(found.map(({ incarnation, homes }) => [incarnation, homes]));
}

/** The id of the data folder that the processes on this ledger share; undefined before the first one. */
export async function readFolderId(rows: Rows): Promise<string | undefined> {
  return (await rows.selectFrom('epochs').select('stamp').where('name', '=', FOLDER).executeTakeFirst())?.stamp;
}

export async function putFolderId(rows: Rows, stamp: string): Promise<void> {
  await rows
    .insertInto('epochs')
    .values({ name: FOLDER, stamp, before: null })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ stamp }))
    .execute();
}
