// Items in the ledger: one row per dropped file, its state in one column.
//
//   pending ──┬─→ accepted    the service has it (or had the same document before: duplicate_of)
//             ├─→ refused     a final no, by us or by the service
//             ├─→ held        nobody can tell; a person must look
//             └─→ cancelled   a person took it back, or it was never acknowledged
//   held ─────→ pending       a person sent it on its way again
//   held ─────→ cancelled     a person has settled it
//   cancelled → pending       what was never acknowledged, and is in the spool after all
//
// accepted, refused and cancelled are final.
import { loseAttempts } from './attempts.ts';
import type { ItemState, Rows, SubmitMode } from './schema.ts';

export interface Item {
  readonly item: string;
  /** On whose behalf it is sent; in a home of several accounts the home's name, until its sender has told whose it is. */
  readonly accountRegNo: string;
  /** Whose spool holds its file, and whose folders get its receipts and its original. */
  readonly home: string;
  readonly login: string | null;
  /** Bytes, one character per byte. */
  readonly fileName: string;
  /** Name of its file in the home's spool. */
  readonly spoolName: string;
  readonly mode: SubmitMode;
  readonly sha256: string;
  readonly size: number;
  readonly receivedAt: number;
  readonly state: ItemState;
  readonly nextAttemptAt: number;
  readonly recovered: boolean;
  readonly head: ItemHead | null;
  /** The item that it sends again. */
  readonly resends: string | null;
}

export interface ItemHead {
  readonly family: string;
  readonly documentId: string;
  readonly sender: string;
  readonly receiver: string;
}

export type NewItem = Omit<Item, 'state' | 'nextAttemptAt' | 'head' | 'resends'> & Partial<Pick<Item, 'resends'>>;

export async function insertItem(rows: Rows, item: NewItem): Promise<void> {
  await rows
    .insertInto('items')
    .values({
      item: item.item,
      account_reg_no: item.accountRegNo,
      home: item.home,
      login: item.login,
      file_name: item.fileName,
      spool_name: item.spoolName,
      mode: item.mode,
      sha256: item.sha256,
      size: item.size,
      received_at: item.receivedAt,
      state: 'pending',
      duplicate_of: null,
      next_attempt_at: 0,
      lease_owner: null,
      lease_until: 0,
      recovered: item.recovered ? 1 : 0,
      family: null,
      document_id: null,
      sender: null,
      receiver: null,
      integration_id: null,
      reason: null,
      ended_at: null,
      resends: item.resends ?? null,
    })
    .execute();
}

type Row = Awaited<ReturnType<typeof selectRow>>;

function selectRow(rows: Rows, item: string) {
  return rows.selectFrom('items').selectAll().where('item', '=', item).executeTakeFirst();
}

export async function readItem(rows: Rows, item: string): Promise<Item | undefined> {
  const row = await selectRow(rows, item);
  return row && toItem(row);
}

function toItem(row: NonNullable<Row>): Item {
  const { family, document_id: documentId, sender, receiver } = row;
  const known = family !== null && documentId !== null && sender !== null && receiver !== null;
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
    recovered: row.recovered === 1,
    head: known ? { family, documentId, sender, receiver } : null,
    resends: row.resends,
  };
}

export async function readPending(rows: Rows): Promise<Item[]> {
  const found = await rows.selectFrom('items').selectAll().where('state', '=', 'pending').orderBy('item').execute();
  return found.map(toItem);
}

/** Pending and held ones, oldest first. */
export async function readOpen(rows: Rows): Promise<Item[]> {
  const found = await rows.selectFrom('items').selectAll().where('state', 'in', ['pending', 'held']).orderBy('item').execute();
  return found.map(toItem);
}

/** Pending items whose time has come and that nobody works on, oldest first, behind `after`. */
export async function readDue(rows: Rows, now: number, after: string, limit: number): Promise<string[]> {
  const found = await rows
    .selectFrom('items')
    .select('item')
    .where('state', '=', 'pending')
    .where('item', '>', after)
    .where('next_attempt_at', '<=', now)
    .where('lease_until', '<=', now)
    .orderBy('item')
    .limit(limit)
    .execute();
  return found.map((row) => row.item);
}

/** What the document is, and on whose behalf it is sent. */
export async function setHead(rows: Rows, { item, accountRegNo }: Place, head: ItemHead): Promise<void> {
  const { family, documentId, sender, receiver } = head;
  await rows
    .updateTable('items')
    .set({ account_reg_no: accountRegNo, family, document_id: documentId, sender, receiver })
    .where('item', '=', item)
    .execute();
}

/** Takes the item for `owner`; false when it is not pending any more or somebody else holds it. */
export async function leaseItem(rows: Rows, item: string, owner: string, now: number, until: number): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('items')
    .set({ lease_owner: owner, lease_until: until })
    .where('item', '=', item)
    .where('state', '=', 'pending')
    .where((e) => e.or([e('lease_until', '<=', now), e('lease_owner', '=', owner)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export interface Wait {
  readonly now: number;
  /** It is not tried before. */
  readonly until: number;
  readonly reason: string;
  /** The item that it waits for; it may go as soon as that one lets it. */
  readonly waitsFor?: string;
}

/** Gives the item back. */
export async function postponeItem(rows: Rows, item: string, { now, until, reason, waitsFor }: Wait): Promise<void> {
  await rows
    .updateTable('items')
    .set({
      lease_owner: null,
      lease_until: 0,
      next_attempt_at: until,
      waits_since: now,
      waits_for: waitsFor ?? null,
      reason,
    })
    .where('item', '=', item)
    .where('state', '=', 'pending')
    .execute();
}

/** At start: leases of the owner's former life are void, what it had sent may never be answered, and what waited for a turn asks again. */
export async function voidLeases(rows: Rows, owner: string): Promise<void> {
  const pending = rows.updateTable('items').where('state', '=', 'pending');
  await pending.set({ lease_owner: null, lease_until: 0 }).where('lease_owner', '=', owner).execute();
  await pending.set({ next_attempt_at: 0, waits_for: null }).where('waits_for', 'is not', null).execute();
  await loseAttempts(rows);
}

/** The clock was put back: what was told to wait at a time that has not come yet waits no longer. */
export async function endWaitsBegunAfter(rows: Rows, now: number): Promise<void> {
  await rows.updateTable('items').set({ next_attempt_at: 0 }).where('state', '=', 'pending').where('waits_since', '>', now).execute();
}

export interface Finish {
  readonly state: Exclude<ItemState, 'pending'>;
  readonly integrationId: string | null;
  readonly duplicateOf: string | null;
  readonly reason: string | null;
  readonly endedAt: number;
}

/** Ends an item that is `from`; false when it is not (any more), and then nothing is changed. */
export async function finishItem(rows: Rows, item: string, finish: Finish, from: ItemState = 'pending'): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('items')
    .set({
      state: finish.state,
      integration_id: finish.integrationId,
      duplicate_of: finish.duplicateOf,
      reason: finish.reason,
      ended_at: finish.endedAt,
      lease_owner: null,
      lease_until: 0,
    })
    .where('item', '=', item)
    .where('state', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Sends an item that is `from` on its way again: it is looked for first. False when it is not (any more). */
export async function reviveItem(rows: Rows, item: string, from: 'held' | 'cancelled', reason: string): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('items')
    .set({ state: 'pending', recovered: 1, next_attempt_at: 0, ended_at: null, reason })
    .where('item', '=', item)
    .where('state', '=', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whatever is open may have got through, for all that the ledger knows. */
export async function doubtOpen(rows: Rows): Promise<void> {
  await rows.updateTable('items').set({ recovered: 1 }).where('state', 'in', ['pending', 'held']).execute();
}

/** The name that the client gave a pending item afterwards; false when it has ended. */
export async function renameItem(rows: Rows, item: string, fileName: string): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('items')
    .set({ file_name: fileName })
    .where('item', '=', item)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Undoes the row of an item that was never acknowledged. */
export async function deleteItem(rows: Rows, item: string): Promise<void> {
  await rows.deleteFrom('items').where('item', '=', item).execute();
}

type Place = Pick<Item, 'item' | 'accountRegNo'>;

export interface AcceptedVersion {
  readonly item: string;
  readonly sha256: string;
  readonly integrationId: string | null;
}

/** The latest accepted version of a document of this account. */
export async function readLatestAccepted(rows: Rows, accountRegNo: string, head: ItemHead): Promise<AcceptedVersion | undefined> {
  const row = await rows
    .selectFrom('items')
    .select(['item', 'sha256', 'integration_id'])
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', head.family)
    .where('document_id', '=', head.documentId)
    .where('receiver', '=', head.receiver)
    .where('state', '=', 'accepted')
    .where('duplicate_of', 'is', null)
    .orderBy('item', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { item: row.item, sha256: row.sha256, integrationId: row.integration_id };
}
