// Items as an administrator looks for them, and everything that stands in the ledger about one.
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { firstIdAt } from '#domain/id.ts';
import { contains } from '#engines/contains.ts';
import type { HeadInRow, Item, ItemState } from '#gateway/model/item.ts';
import type { AttemptOutcome } from './attempts.ts';
import { type KnownFetch, readFetches } from './fetches.ts';
import { plainFacts } from './items.ts';
import type { Rows } from './schema.ts';
import type { PublicationFolder } from './tables/sending.ts';

const ITEMS_PER_PAGE = 1_000;

export interface ItemSearch {
  readonly states?: readonly ItemState[];
  readonly accountRegNo?: string;
  readonly documentId?: string;
  /** A part of the file name, as UTF-8 text; upper and lower case of a to z count as one. */
  readonly fileName?: string;
  /** Received since then. */
  readonly sinceMs?: number;
  /** Accepted, refused, cancelled or held since then, whenever they were received. */
  readonly endedSinceMs?: number;
  /** An item: only those before it. */
  readonly before?: string;
  readonly limit: number;
}

export interface FoundItem extends Omit<Item, 'fileName' | 'mode' | 'recovered' | 'head'>, HeadInRow {
  /** Bytes, one character per byte. */
  readonly fileName: string;
  readonly mode: string;
  readonly begunAt: number | null;
  readonly endedAt: number | null;
  readonly integrationId: string | null;
  readonly duplicateOf: string | null;
  readonly reason: string | null;
  /** What the network was last heard to say of its document; null when nothing was. */
  readonly network: string | null;
}

/** The newest first. */
export async function searchItems(rows: Rows, search: ItemSearch): Promise<FoundItem[]> {
  const { states, accountRegNo, documentId, fileName, sinceMs, endedSinceMs, before, limit } = search;
  let found = items(rows).orderBy('items.item', 'desc').limit(limit);
  const isCommon = states?.includes('accepted') ?? true;
  if (states) found = found.where(isCommon ? unindexed('items.state') : sql`items.state`, 'in', states);
  if (accountRegNo !== undefined) {
    found = found.where(isCommon ? sql`items.account_reg_no` : unindexed('items.account_reg_no'), '=', accountRegNo);
  }
  if (documentId !== undefined) found = found.where('items.document_id', '=', documentId);
  if (sinceMs !== undefined) found = found.where('items.received_at', '>=', sinceMs);
  if (endedSinceMs !== undefined) found = found.where('items.ended_at', '>=', endedSinceMs);
  if (before !== undefined) found = found.where('items.item', '<', before);
  if (fileName !== undefined) {
    const bytes = Buffer.from(fileName).toString('latin1');
    found = found.where((each) => contains(each.ref('items.file_name'), bytes));
  }
  return (await found.execute()).map(toFound);
}

/** Of the accepted items, which are most of all, the newest are found in the order of items; the few of another state by the index of states. */
function unindexed(name: string): RawBuilder<string> {
  return sql`coalesce(${sql.ref(name)}, '')`;
}

export interface Sought {
  /** Undefined: all. */
  readonly accountRegNo?: string;
  readonly family?: string;
  readonly states?: readonly ItemState[];
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** Only those before this moment, and of it those before this one: an item, or the number of a document or an upload. */
  readonly before?: { readonly atMs: number; readonly key?: string | number };
  readonly limit: number;
}

/** Those for which the condition holds, the newest first. */
export async function foundItems(rows: Rows, condition: RawBuilder<SqlBool>, sought: Sought): Promise<FoundItem[]> {
  const { accountRegNo, family, states, sinceMs, untilMs, before, limit } = sought;
  let found = items(rows).where(condition);
  if (accountRegNo !== undefined) found = found.where('items.account_reg_no', '=', accountRegNo);
  if (family !== undefined) found = found.where('items.family', '=', family);
  if (states) found = found.where('items.state', 'in', states);
  // Their ids tell the time.
  if (sinceMs !== undefined) found = found.where('items.item', '>=', firstIdAt(sinceMs));
  if (untilMs !== undefined) found = found.where('items.item', '<', firstIdAt(untilMs));
  if (before) found = found.where('items.item', '<', String(before.key ?? firstIdAt(before.atMs)));
  return (await found.orderBy('items.item', 'desc').limit(limit).execute()).map(toFound);
}

const ID_LETTERS = 26;

/** Letters at the end of an id by which an item is found: as many as receipts show (`shortId`). */
export const END_LETTERS = 8;

/** Whether the id of an item ends with these letters, or with those: the index knows the last one. */
export function endsWith(ends: readonly string[]): RawBuilder<SqlBool> {
  const last = new Set(ends.map((end) => end.slice(-1)));
  return sql`(substr(items.item, 26) in (${sql.join([...last])}) and substr(items.item, 19) in (${sql.join(ends)}))`;
}

/** Items whose id is this, or ends so; of more than one the first two. */
export async function findItems(rows: Rows, idOrEnd: string): Promise<FoundItem[]> {
  return (await findItemsOf(rows, [idOrEnd])).get(idOrEnd) ?? [];
}

/** The same for each of several: those by which nothing is found are left out. */
export async function findItemsOf(rows: Rows, idsOrEnds: readonly string[]): Promise<Map<string, FoundItem[]>> {
  const named = idsOrEnds.map((idOrEnd) => ({ idOrEnd, id: idOrEnd.toUpperCase() })).filter(({ id }) => /^[0-9A-Z]{8,26}$/.test(id));
  if (named.length === 0) return new Map();
  const whole = named.flatMap(({ id }) => (id.length === ID_LETTERS ? [id] : []));
  const ends = named.flatMap(({ id }) => (id.length < ID_LETTERS ? [endOf(id)] : []));
  const ended = ends.length === 0 ? [] : await rows.selectFrom('items').select('item').where(endsWith(ends)).execute();
  const ids = [...whole, ...ended.map(({ item }) => item)];
  const found = ids.length === 0 ? [] : (await items(rows).where('items.item', 'in', ids).execute()).map(toFound);
  const byEnd = Map.groupBy(found, ({ item }) => endOf(item));
  const pairs = named.map(({ idOrEnd, id }): [string, FoundItem[]] => {
    return [idOrEnd, (byEnd.get(endOf(id)) ?? []).filter(({ item }) => item.endsWith(id)).slice(0, 2)];
  });
  return new Map(pairs.filter(([, some]) => some.length > 0));
}

function endOf(id: string): string {
  return id.slice(-END_LETTERS);
}

/** The latest accepted version of each document that was accepted since, in the order in which they were sent. */
export async function readAcceptedSince(rows: Rows, sinceMs: number, accountRegNo: string | undefined): Promise<FoundItem[]> {
  let found = items(rows)
    .where('items.state', '=', 'accepted')
    .where('items.duplicate_of', 'is', null)
    .where(sql<boolean>`coalesce(items.ended_at, items.received_at) >= ${sinceMs}`)
    .where(
      sql<boolean>`not exists (select 1 from items later where later.account_reg_no = items.account_reg_no and later.family = items.family
        and later.document_id = items.document_id and later.receiver = items.receiver and later.state = 'accepted'
        and later.duplicate_of is null and later.item > items.item)`,
    )
    .orderBy('items.item');
  if (accountRegNo !== undefined) found = found.where('items.account_reg_no', '=', accountRegNo);
  return (await found.execute()).map(toFound);
}

/** The ids of all items, or of those of one account, page by page: each page reads so many of all. */
export async function* itemPages(rows: Rows, accountRegNo?: string): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const next = rows
      .selectFrom('items')
      .select(['item', 'account_reg_no'])
      .where('item', '>', after)
      .orderBy('item')
      .limit(ITEMS_PER_PAGE);
    const page = await next.execute();
    const last = page.at(-1);
    if (!last) return;
    yield page.flatMap((row) => (accountRegNo === undefined || row.account_reg_no === accountRegNo ? [row.item] : []));
    after = last.item;
  }
}

/** Items that others, which have not ended, send again. */
export async function readPendingResends(rows: Rows): Promise<ReadonlySet<string>> {
  const found = await rows
    .selectFrom('items')
    .select('resends')
    .where('state', 'in', ['pending', 'held'])
    .where('resends', 'is not', null)
    .execute();
  return new Set(found.flatMap((row) => row.resends ?? []));
}

function items(rows: Rows) {
  return rows.selectFrom('items').leftJoin('deliveries', 'deliveries.item', 'items.item').selectAll('items').select('deliveries.status');
}

function toFound(row: Awaited<ReturnType<ReturnType<typeof items>['execute']>>[number]): FoundItem {
  return {
    ...plainFacts(row),
    begunAt: row.begun_at,
    endedAt: row.ended_at,
    family: row.family,
    documentId: row.document_id,
    sender: row.sender,
    receiver: row.receiver,
    integrationId: row.integration_id,
    duplicateOf: row.duplicate_of,
    reason: row.reason,
    network: row.status || null,
  };
}

export interface PublishedFile {
  readonly publication: number;
  readonly home: string;
  readonly folder: PublicationFolder;
  readonly name: string;
  readonly stage: string;
  /** Null while it is owed. */
  readonly writtenAt: number | null;
}

export interface ItemHistory {
  /** `outcome` null: not known; `no answer`: what became of it was learnt by another attempt, or never. */
  readonly attempts: readonly {
    readonly number: number;
    readonly at: number;
    readonly endedAt: number | null;
    readonly outcome: string | null;
  }[];
  readonly published: readonly PublishedFile[];
  /** What logins did with these. */
  readonly fetched: readonly KnownFetch[];
  /** Items that sent it again. */
  readonly resentAs: readonly string[];
}

export async function readHistory(rows: Rows, { item, accountRegNo, home }: FoundItem): Promise<ItemHistory> {
  const attempts = await rows
    .selectFrom('attempts')
    .select(['number', 'at', 'ended_at as endedAt', 'outcome', 'silence_ms as silenceMs'])
    .where('item', '=', item)
    .orderBy('number')
    .execute();
  // In a home of several accounts the first ones may stand under the home's own name.
  const files = await readFiles(rows, [accountRegNo, home], item);
  const again = await rows.selectFrom('items').select('item').where('resends', '=', item).orderBy('item').execute();
  return { attempts: attempts.map(ownOutcome), ...files, resentAs: again.map((row) => row.item) };
}

/** What is known of an attempt by itself. */
const OWN_OUTCOMES: ReadonlySet<string> = new Set([
  'in-flight',
  'unseen',
  'no-receiver',
  'paused',
  'key-renewed',
] satisfies AttemptOutcome[]);

type KnownAttempt = ItemHistory['attempts'][number];

/** The end of an item closes all its attempts by what became of it; only the last one may have heard of that by its own answer. */
function ownOutcome(
  { silenceMs, ...attempt }: KnownAttempt & { readonly silenceMs: number | null },
  at: number,
  all: readonly unknown[],
): KnownAttempt {
  const isLast = at === all.length - 1;
  if (attempt.outcome === null ? isLast : OWN_OUTCOMES.has(attempt.outcome)) return attempt;
  return isLast && silenceMs === null && attempt.outcome !== 'lost' ? attempt : { ...attempt, endedAt: null, outcome: 'no answer' };
}

/** Files that were published of an item, or of a received document, and what logins did with them. */
export async function readFiles(
  rows: Rows,
  accounts: readonly string[],
  subject: string,
): Promise<Pick<ItemHistory, 'published' | 'fetched'>> {
  const published = await rows
    .selectFrom('publications')
    .select(['publication', 'home', 'folder', 'name', 'stage', 'written_at as writtenAt'])
    .where('account_reg_no', 'in', accounts)
    .where('subject', '=', subject)
    .orderBy('publication')
    .execute();
  const fetched = await readFetches(
    rows,
    published.map(({ publication }) => publication),
  );
  return { published, fetched };
}
