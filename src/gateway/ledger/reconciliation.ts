// What reconciliation files are made of, a page at a time by the tables' own keys; and how far they have come.
import { firstIdAt } from '#domain/id.ts';
import type { HeadInRow } from '#gateway/model/item.ts';
import type { Direction } from '#gateway/model/reconciliation.ts';
import { forgetFiles } from './retention.ts';
import type { Rows } from './schema.ts';
import type { FoundItem } from './searches.ts';

const PAGE = 500;

/** The id of an upload is older than its item, by no more than a file may wait under a temporary name; after a clock was put back it is younger. */
const ID_SLACK_MS = 3 * 86_400_000;

/** The last day of an owner. */
export interface Reconciled {
  readonly day: string;
  readonly untilMs: number;
  readonly sequence: number;
  readonly sha256: string | null;
}

export async function readReconciled(rows: Rows, owner: string): Promise<Reconciled | undefined> {
  const row = await rows.selectFrom('reconciliations').selectAll().where('owner', '=', owner).executeTakeFirst();
  return row && { day: row.day, untilMs: row.until_at, sequence: row.sequence, sha256: row.sha256 };
}

export async function readReconciledOwners(rows: Rows): Promise<string[]> {
  return (await rows.selectFrom('reconciliations').select('owner').execute()).map(({ owner }) => owner);
}

/** Moves on from one day to another; false where that was done before. `from` undefined: it begins. */
export async function moveReconciled(rows: Rows, owner: string, from: string | undefined, to: Reconciled): Promise<boolean> {
  const { day, untilMs: until_at, sequence, sha256 } = to;
  const values = { day, until_at, sequence, sha256 };
  const begun = rows
    .insertInto('reconciliations')
    .values({ owner, ...values })
    .onConflict((conflict) => conflict.doNothing());
  const moved = rows
    .updateTable('reconciliations')
    .set(values)
    .where('owner', '=', owner)
    .where('day', '=', from ?? '');
  if (from === undefined) return ((await begun.executeTakeFirst()).numInsertedOrUpdatedRows ?? 0n) > 0n;
  return (await moved.executeTakeFirst()).numUpdatedRows > 0n;
}

export interface Open {
  readonly direction: Direction;
  readonly accountRegNo: string;
  readonly subject: string;
}

/** What was open at the end of a day, behind this subject. */
export async function readOpen(rows: Rows, owner: string, day: string, direction: Direction, after: string): Promise<Open[]> {
  const found = await rows
    .selectFrom('reconciliation_open')
    .select(['account_reg_no', 'subject'])
    .where('owner', '=', owner)
    .where('day', '=', day)
    .where('direction', '=', direction)
    .where('subject', '>', after)
    .orderBy('subject')
    .limit(PAGE)
    .execute();
  return found.map((row) => ({ direction, accountRegNo: row.account_reg_no, subject: row.subject }));
}

/** Which of these were open at the end of a day. */
export async function readOpenAmong(
  rows: Rows,
  owner: string,
  day: string,
  direction: Direction,
  subjects: readonly string[],
): Promise<Set<string>> {
  if (subjects.length === 0) return new Set();
  const found = await rows
    .selectFrom('reconciliation_open')
    .select('subject')
    .where('owner', '=', owner)
    .where('day', '=', day)
    .where('direction', '=', direction)
    .where('subject', 'in', subjects)
    .execute();
  return new Set(found.map(({ subject }) => subject));
}

export async function keepOpen(rows: Rows, owner: string, day: string, open: readonly Open[]): Promise<void> {
  const values = open.map(({ direction, accountRegNo, subject }) => ({ owner, day, direction, account_reg_no: accountRegNo, subject }));
  if (values.length > 0) {
    await rows
      .insertInto('reconciliation_open')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Forgets some of what was open on other days than this one; false when there is none left. */
export async function forgetOtherDays(rows: Rows, owner: string, day: string): Promise<boolean> {
  const other = await rows
    .selectFrom('reconciliation_open')
    .select(['day', 'subject'])
    .where('owner', '=', owner)
    .where('day', '!=', day)
    .limit(PAGE)
    .execute();
  for (const [each, some] of Map.groupBy(other, (row) => row.day)) {
    const subjects = some.map(({ subject }) => subject);
    const ofDay = rows.deleteFrom('reconciliation_open').where('owner', '=', owner).where('day', '=', each);
    await ofDay.where('subject', 'in', subjects).execute();
  }
  return other.length > 0;
}

/** The owner wants no more of them. Files that were made stay. */
export async function forgetReconciled(rows: Rows, owner: string): Promise<void> {
  await rows.deleteFrom('reconciliation_open').where('owner', '=', owner).execute();
  await rows.deleteFrom('reconciliations').where('owner', '=', owner).execute();
}

/** What publications of a day are about; days sort within an owner. */
export function subjectOf(owner: string, day: string): string {
  return `reconciliation ${owner} ${day}`;
}

/** Forgets that files were published for days before this one, which are not made any more. */
export async function forgetOldFiles(rows: Rows, accountRegNo: string, owner: string, before: string): Promise<void> {
  const old = rows
    .selectFrom('publications')
    .select('publication')
    .where('account_reg_no', '=', accountRegNo)
    .where('subject', '>', subjectOf(owner, ''))
    .where('subject', '<', subjectOf(owner, before))
    .where('written_at', 'is not', null)
    .limit(PAGE);
  await forgetFiles(
    rows,
    (await old.execute()).map(({ publication }) => publication),
  );
}

export type SentRow = Pick<
  FoundItem,
  ('item' | 'accountRegNo' | 'home' | 'fileName' | 'receivedAt' | 'endedAt' | 'state') | ('family' | 'documentId' | 'sender' | 'receiver')
>;

function sentRows(rows: Rows) {
  return rows
    .selectFrom('items')
    .select(['item', 'account_reg_no as accountRegNo', 'home', 'file_name as fileName', 'received_at as receivedAt'])
    .select(['ended_at as endedAt', 'state', 'family', 'document_id as documentId', 'sender', 'receiver']);
}

export interface Period {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What was dropped for an account in a period, in the order of items. */
export function readDroppedIn(rows: Rows, accountRegNo: string, { fromMs, untilMs }: Period, after: string): Promise<SentRow[]> {
  const first = firstIdAt(fromMs - ID_SLACK_MS);
  return sentRows(rows)
    .where('account_reg_no', '=', accountRegNo)
    .where('item', '>', after > first ? after : first)
    .where('item', '<', firstIdAt(untilMs + ID_SLACK_MS))
    .where('received_at', '>=', fromMs)
    .where('received_at', '<', untilMs)
    .orderBy('item')
    .limit(PAGE)
    .execute();
}

export async function readSent(rows: Rows, items: readonly string[]): Promise<SentRow[]> {
  if (items.length === 0) return [];
  return sentRows(rows).where('item', 'in', items).execute();
}

interface ReceiptFile {
  readonly subject: string;
  readonly name: string;
  readonly stage: string;
}

/** All receipts of these items, each in the order in which they were written. */
export async function readReceipts(rows: Rows, owners: readonly string[], items: readonly string[]): Promise<ReceiptFile[]> {
  if (items.length === 0) return [];
  return rows
    .selectFrom('publications')
    .select(['subject', 'name', 'stage'])
    .where('account_reg_no', 'in', owners)
    .where('subject', 'in', items)
    .where('folder', '=', 'receipts')
    .orderBy('publication')
    .execute();
}

export interface ReceivedRow extends HeadInRow {
  readonly publication: number;
  readonly accountRegNo: string;
  readonly home: string;
  readonly name: string;
  /** Null while it is owed. */
  readonly writtenAt: number | null;
  readonly integrationId: string;
  readonly receivedAt: number | null;
}

export interface MetRow {
  readonly sequence: number;
  readonly receivedAt: number | null;
  readonly integrationId: string;
}

/** Documents of a feed behind this sequence, in the order in which they came. */
export function readMetBehind(rows: Rows, accountRegNo: string, family: string, sequence: number): Promise<MetRow[]> {
  return rows
    .selectFrom('documents')
    .select(['sequence', 'received_at as receivedAt', 'integration_id as integrationId'])
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .where('sequence', '>', sequence)
    .orderBy('sequence')
    .limit(PAGE)
    .execute();
}

function receivedRows(rows: Rows) {
  return rows
    .selectFrom('publications')
    .leftJoin('documents', (join) =>
      join
        .onRef('documents.account_reg_no', '=', 'publications.account_reg_no')
        .onRef('documents.integration_id', '=', 'publications.subject'),
    )
    .select(['publications.publication', 'publications.account_reg_no as accountRegNo', 'publications.home', 'publications.name'])
    .select(['publications.written_at as writtenAt', 'publications.subject as integrationId'])
    .select(['documents.family', 'documents.received_at as receivedAt'])
    .select(['documents.document_id as documentId', 'documents.sender', 'documents.receiver'])
    .where('publications.folder', '=', 'outbox')
    .orderBy('publications.publication');
}

/** The files of these documents in outboxes, those of earlier versions among them, in the order in which they were published. */
export async function readReceivedOf(rows: Rows, accountRegNo: string, integrationIds: readonly string[]): Promise<ReceivedRow[]> {
  if (integrationIds.length === 0) return [];
  return receivedRows(rows)
    .where('publications.account_reg_no', '=', accountRegNo)
    .where('publications.subject', 'in', integrationIds)
    .execute();
}

export async function readReceived(rows: Rows, publications: readonly number[]): Promise<ReceivedRow[]> {
  if (publications.length === 0) return [];
  return receivedRows(rows).where('publications.publication', 'in', publications).execute();
}
