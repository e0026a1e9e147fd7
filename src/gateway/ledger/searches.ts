// Items as an administrator looks for them, and everything that stands in the ledger about one.
import { sql } from 'kysely';
import { contains } from '#engines/contains.ts';
import type { ItemState } from '#gateway/model/item.ts';
import { type KnownFetch, readFetches } from './fetches.ts';
import { plainFacts } from './items.ts';
import type { PublicationFolder, Rows } from './schema.ts';

const ITEMS_PER_PAGE = 10_000;

export interface ItemSearch {
  readonly states?: readonly ItemState[];
  readonly accountRegNo?: string;
  readonly documentId?: string;
  /** A part of the file name, as UTF-8 text; upper and lower case of a to z count as one. */
  readonly fileName?: string;
  readonly sinceMs?: number;
  readonly limit: number;
}

export interface FoundItem {
  readonly item: string;
  readonly accountRegNo: string;
  readonly home: string;
  readonly login: string | null;
  /** Bytes, one character per byte. */
  readonly fileName: string;
  readonly spoolName: string;
  readonly mode: string;
  readonly sha256: string;
  readonly size: number;
  readonly receivedAt: number;
  readonly state: ItemState;
  readonly endedAt: number | null;
  readonly nextAttemptAt: number;
  readonly family: string | null;
  readonly documentId: string | null;
  readonly sender: string | null;
  readonly receiver: string | null;
  readonly integrationId: string | null;
  readonly duplicateOf: string | null;
  readonly resends: string | null;
  readonly reason: string | null;
  /** What the network was last heard to say of its document; null when nothing was. */
  readonly network: string | null;
}

/** The newest first. */
export async function searchItems(rows: Rows, search: ItemSearch): Promise<FoundItem[]> {
  const { states, accountRegNo, documentId, fileName, sinceMs, limit } = search;
  let found = items(rows).orderBy('items.item', 'desc').limit(limit);
  if (states) found = found.where('items.state', 'in', states);
  if (accountRegNo !== undefined) found = found.where('items.account_reg_no', '=', accountRegNo);
  if (documentId !== undefined) found = found.where('items.document_id', '=', documentId);
  if (sinceMs !== undefined) found = found.where('items.received_at', '>=', sinceMs);
  if (fileName !== undefined) {
    const bytes = Buffer.from(fileName).toString('latin1');
    found = found.where((each) => contains(each.ref('items.file_name'), bytes));
  }
  return (await found.execute()).map(toFound);
}

/** Items whose id is this, or ends so; more than one when the end is too short to decide. */
export async function findItems(rows: Rows, idOrEnd: string): Promise<FoundItem[]> {
  const id = idOrEnd.toUpperCase();
  if (!/^[0-9A-Z]{1,26}$/.test(id)) return [];
  const all = items(rows).limit(2);
  const found = id.length === 26 ? all.where('items.item', '=', id) : all.where('items.item', 'like', `%${id}`);
  return (await found.execute()).map(toFound);
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

/** The ids of all items, page by page. */
export async function* itemPages(rows: Rows): AsyncGenerator<readonly string[]> {
  for (let after = ''; ; ) {
    const page = await rows.selectFrom('items').select('item').where('item', '>', after).orderBy('item').limit(ITEMS_PER_PAGE).execute();
    const last = page.at(-1);
    if (!last) return;
    yield page.map(({ item }) => item);
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
  readonly folder: PublicationFolder;
  readonly name: string;
  readonly stage: string;
  /** Null while it is owed. */
  readonly writtenAt: number | null;
}

export interface ItemHistory {
  /** `outcome` null: not known. */
  readonly attempts: readonly { readonly number: number; readonly at: number; readonly outcome: string | null }[];
  readonly published: readonly PublishedFile[];
  /** What logins did with these. */
  readonly fetched: readonly KnownFetch[];
  /** Items that sent it again. */
  readonly resentAs: readonly string[];
}

export async function readHistory(rows: Rows, { item, accountRegNo, home }: FoundItem): Promise<ItemHistory> {
  const attempts = await rows
    .selectFrom('attempts')
    .select(['number', 'at', 'outcome'])
    .where('item', '=', item)
    .orderBy('number')
    .execute();
  const published = await rows
    .selectFrom('publications')
    .select(['publication', 'folder', 'name', 'stage', 'written_at'])
    // In a home of several accounts the first ones may stand under the home's own name.
    .where('account_reg_no', 'in', [accountRegNo, home])
    .where('subject', '=', item)
    .orderBy('publication')
    .execute();
  const again = await rows.selectFrom('items').select('item').where('resends', '=', item).orderBy('item').execute();
  return {
    attempts,
    published: published.map(({ written_at: writtenAt, ...file }) => ({ ...file, writtenAt })),
    fetched: await readFetches(
      rows,
      published.map(({ publication }) => publication),
    ),
    resentAs: again.map((row) => row.item),
  };
}
