// Items in the ledger: one row per dropped file, its state in one column.
// The states and their transitions: model/item.ts.

import type { Selectable } from 'kysely';
import type { SeenHead } from '#domain/document.ts';
import { isFamilyName } from '#domain/family.ts';
import { prepared, preparedChange, type Slot } from '#engines/prepared.ts';
import type { Homes } from '#gateway/model/homes.ts';
import type { EndState, Item, ItemHead, ItemState, StateBefore, SubmitMode } from '#gateway/model/item.ts';
import { among } from './homes.ts';
import type { Rows, Tables } from './schema.ts';

export type NewItem = Omit<Item, 'state' | 'nextAttemptAt' | 'head' | 'resends'> &
  Partial<Pick<Item, 'resends'>> & { readonly begunAt?: number | null };

const newItem = preparedChange((rows: Rows, slot) =>
  rows.insertInto('items').values({
    item: slot<string>('item'),
    account_reg_no: slot<string>('accountRegNo'),
    home: slot<string>('home'),
    login: slot<string | null>('login'),
    file_name: slot<string>('fileName'),
    spool_name: slot<string>('spoolName'),
    mode: slot<SubmitMode>('mode'),
    sha256: slot<string>('sha256'),
    size: slot<number>('size'),
    begun_at: slot<number | null>('begunAt'),
    received_at: slot<number>('receivedAt'),
    state: 'pending',
    duplicate_of: null,
    next_attempt_at: 0,
    lease_owner: null,
    lease_until: 0,
    recovered: slot<number>('recovered'),
    family: null,
    document_id: null,
    sender: null,
    receiver: null,
    integration_id: null,
    reason: null,
    ended_at: null,
    resends: slot<string | null>('resends'),
  }),
);

export async function insertItem(rows: Rows, item: NewItem): Promise<void> {
  await newItem(rows, { ...item, recovered: item.recovered ? 1 : 0, resends: item.resends ?? null, begunAt: item.begunAt ?? null });
}

const itemById = prepared((rows: Rows, slot) => rows.selectFrom('items').selectAll().where('item', '=', slot<string>('item')));

export async function readItem(rows: Rows, item: string): Promise<Item | undefined> {
  const [row] = await itemById(rows, { item });
  return row && toItem(row);
}

/** Those of these that are there, by their ids. */
export async function readItems(rows: Rows, items: readonly string[]): Promise<Map<string, Item>> {
  if (items.length === 0) return new Map();
  const found = await rows.selectFrom('items').selectAll().where('item', 'in', items).execute();
  return new Map(found.map((row) => [row.item, toItem(row)]));
}

function toItem(row: Selectable<Tables['items']>): Item {
  const { family, document_id: documentId, sender, receiver } = row;
  const known = family !== null && isFamilyName(family) && documentId !== null && sender !== null && receiver !== null;
  return { ...plainFacts(row), recovered: row.recovered === 1, head: known ? { family, documentId, sender, receiver } : null };
}

/** The columns that need no interpretation. */
export function plainFacts(row: Selectable<Tables['items']>) {
  return {
    item: row.item,
    accountRegNo: row.account_reg_no,
    home: row.home,
    login: row.login,
    fileName: row.file_name,
    spoolName: row.spool_name,
    mode: row.mode,
    sha256: row.sha256,
    size: row.size,
    receivedAt: row.received_at,
    state: row.state,
    nextAttemptAt: row.next_attempt_at,
    resends: row.resends,
  };
}

export async function readPending(rows: Rows, homes: Homes): Promise<Item[]> {
  const found = await rows.selectFrom('items').selectAll().where('state', '=', 'pending').where(among(homes)).orderBy('item').execute();
  return found.map(toItem);
}

/** Those of a home that wait, of all names or of one, oldest first. */
export async function readWaiting(rows: Rows, home: string, name?: string): Promise<Item[]> {
  const pending = rows.selectFrom('items').selectAll().where('home', '=', home).where('state', '=', 'pending');
  const named = name === undefined ? pending : pending.where('file_name', '=', name);
  return (await named.orderBy('item').execute()).map(toItem);
}

/** No more than `max` are counted. */
export async function countPending(rows: Rows, home: string, max: number): Promise<number> {
  const pending = rows.selectFrom('items').select('item').where('home', '=', home).where('state', '=', 'pending').limit(max).as('pending');
  const { count } = await rows
    .selectFrom(pending)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** Pending and held ones, oldest first. */
export async function readOpen(rows: Rows, homes: Homes): Promise<Item[]> {
  const open = rows.selectFrom('items').selectAll().where('state', 'in', ['pending', 'held']).where(among(homes));
  const found = await open.orderBy('item').execute();
  return found.map(toItem);
}

type ItemOfAccount = Pick<Item, 'item' | 'accountRegNo'>;

const headColumns = (slot: Slot) => ({
  family: slot<string>('family'),
  document_id: slot<string | null>('documentId'),
  sender: slot<string | null>('sender'),
  receiver: slot<string | null>('receiver'),
});

/** What fills them. */
const headValues = ({ accountRegNo }: ItemOfAccount, { family, documentId, sender, receiver }: SeenHead) => ({
  accountRegNo,
  family,
  documentId,
  sender,
  receiver,
});

const accountColumn = (slot: Slot) => ({ account_reg_no: slot<string>('accountRegNo') });

const headOfItem = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('items')
    .set({ ...accountColumn(slot), ...headColumns(slot) })
    .where('item', '=', slot<string>('item')),
);

/** What the document is, as far as it could be read, and on whose behalf it is sent. */
export async function setHead(rows: Rows, item: ItemOfAccount, head: SeenHead): Promise<void> {
  await headOfItem(rows, { item: item.item, ...headValues(item, head) });
}

interface Lease {
  readonly owner: string;
  readonly now: number;
  readonly until: number;
}

const leaseOf = (rows: Rows, slot: Slot) =>
  rows
    .updateTable('items')
    .set({ lease_owner: slot<string>('owner'), lease_until: slot<number>('until'), ...headColumns(slot) })
    .where('item', '=', slot<string>('item'))
    .where('state', '=', 'pending')
    .where((e) => e.or([e('lease_until', '<=', slot<number>('now')), e('lease_owner', '=', slot<string>('owner'))]));

/** SQLite writes an index anew where one of its columns is named, and most items have their account from the beginning. */
const leasedOfAccount = preparedChange((rows: Rows, slot) =>
  leaseOf(rows, slot).where('account_reg_no', '=', slot<string>('accountRegNo')),
);
const leased = preparedChange((rows: Rows, slot) => leaseOf(rows, slot).set(accountColumn(slot)));

/**
 * Takes the item, as what it is and on whose behalf, for the owner of the lease; false when it is not pending any more or another owner
 * holds it, and then nothing is changed.
 */
export async function leaseItem(rows: Rows, item: ItemOfAccount, head: ItemHead, lease: Lease): Promise<boolean> {
  const values = { item: item.item, ...headValues(item, head), ...lease };
  return (await leasedOfAccount(rows, values)) > 0 || (await leased(rows, values)) > 0;
}

/** Items of an account that are in this state. */
export async function countItems(rows: Rows, accountRegNo: string, state: ItemState): Promise<number> {
  const found = await rows
    .selectFrom('items')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('account_reg_no', '=', accountRegNo)
    .where('state', '=', state)
    .executeTakeFirstOrThrow();
  return found.count;
}

export interface Finish {
  readonly state: EndState;
  readonly integrationId: string | null;
  readonly duplicateOf: string | null;
  readonly reason: string | null;
  readonly endedAt: number;
}

const end = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('items')
    .set({
      state: slot<ItemState>('state'),
      integration_id: slot<string | null>('integrationId'),
      duplicate_of: slot<string | null>('duplicateOf'),
      reason: slot<string | null>('reason'),
      ended_at: slot<number>('endedAt'),
      lease_owner: null,
      lease_until: 0,
    })
    .where('item', '=', slot<string>('item'))
    .where('state', '=', slot<ItemState>('from')),
);

/** Ends an item that is `from`; false when it is not (any more), and then nothing is changed. */
export async function finishItem(rows: Rows, item: string, finish: Finish, from: ItemState = 'pending'): Promise<boolean> {
  return (await end(rows, { ...finish, item, from })) > 0;
}

/** Sends an item that is `from` on its way again: it is looked for first. False when it is not (any more). */
export async function reviveItem(rows: Rows, item: string, from: StateBefore<'pending'>, reason: string): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('items')
    .set({ state: 'pending', recovered: 1, next_attempt_at: 0, ended_at: null, reason })
    .where('item', '=', item)
    .where('state', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The ledger came from a backup: every open item may have got through meanwhile. */
export async function doubtOpen(rows: Rows, homes: Homes): Promise<void> {
  await rows.updateTable('items').set({ recovered: 1 }).where('state', 'in', ['pending', 'held']).where(among(homes)).execute();
}

/** Undoes the row of an item that was never acknowledged. */
export async function deleteItem(rows: Rows, item: string): Promise<void> {
  await rows.deleteFrom('items').where('item', '=', item).execute();
}
