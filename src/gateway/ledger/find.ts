// Documents by what a person knows of them: dropped and received ones, and uploads that came to nothing. By the start of what is known through
// indexes; by a part of it among those of a period.
import { type Expression, type RawBuilder, type Selectable, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { isItemId } from '#domain/id.ts';
import { beginsWith, contains, inRange } from '#engines/contains.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { HeadInRow } from '#gateway/model/item.ts';
import { type KnownFailedUpload, toFailed } from './failed-uploads.ts';
import type { Rows, Tables } from './schema.ts';
import { endsWith, type FoundItem, foundItems, type Sought } from './searches.ts';

/** What is looked for in it. */
export interface Words {
  readonly text: string;
  /** Those that the text tells (parties.ts). */
  readonly participants: readonly string[];
}

export interface FoundDocument extends Omit<HeadInRow, 'family'> {
  readonly sequence: number;
  readonly accountRegNo: string;
  readonly family: string;
  readonly integrationId: string;
  readonly version: number;
  readonly receivedAt: number;
  /** When the service was told that it is read. */
  readonly markedAt: number | null;
}

/** What begins with the text. `isCommon`: so much does that only what is of the period was looked through. */
interface Found<Row> {
  readonly rows: readonly Row[];
  readonly isCommon: boolean;
}

/** Of more than these, those of the period are looked through instead. */
const CANDIDATES_MAX = 2_000;

/** A file name's bytes as clients send them: in UTF-8, or in Latin-1. */
function namesOf(text: string): readonly string[] {
  const utf8 = Buffer.from(text).toString('latin1');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all that Latin-1 has
  return utf8 === text || /[^\u0000-\u00ff]/.test(text) ? [utf8] : [utf8, text];
}

type Conditions = readonly RawBuilder<SqlBool>[];

/** The keys of rows for which one of the conditions holds, each of which has an index. Null when there are too many. */
async function candidates<Key>(
  conditions: Conditions,
  read: (condition: RawBuilder<SqlBool>) => Promise<readonly Key[]>,
): Promise<readonly Key[] | null> {
  const keys = new Set<Key>();
  for (const condition of conditions) {
    for (const key of await read(condition)) keys.add(key);
    if (keys.size >= CANDIDATES_MAX) return null;
  }
  return [...keys];
}

const column = (name: string): Expression<string> => sql.ref(name);
const any = (conditions: Conditions): RawBuilder<SqlBool> => sql`(${sql.join(conditions, sql` or `)})`;
/** The same where many rows are such: the newest are soon found in the order of time, while the indexes would name all. */
const anyOfMany = (conditions: Conditions): RawBuilder<SqlBool> => sql`(${any(conditions)} is true)`;
/** Indexes that leave nulls out are taken when it is said. */
const known = (name: string, condition: RawBuilder<SqlBool>): RawBuilder<SqlBool> => sql`(${sql.ref(name)} is not null and ${condition})`;

/** What is of participants has an index of its own for each, which is in the order of time. */
async function ofParticipants<Row>(
  columns: readonly string[],
  participants: readonly string[],
  read: (condition: RawBuilder<SqlBool>) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const found: Row[] = [];
  for (const name of columns) {
    for (const participant of participants) found.push(...(await read(sql`${sql.ref(name)} = ${participant}`)));
  }
  return found;
}

function itemConditions(text: string): Conditions {
  return [
    known('items.document_id', beginsWith(column('items.document_id'), text)),
    ...namesOf(text).map((name) => beginsWith(column('items.file_name'), name)),
    known('items.integration_id', inRange(column('items.integration_id'), text.toLowerCase())),
    ...idConditions(text),
  ];
}

const ID_END = /^[0-9A-HJKMNP-TV-Z]{8}$/;

/** Items whose id it is, or the eight letters of it that receipts show. */
function idConditions(text: string): Conditions {
  const id = text.toUpperCase();
  if (isItemId(id)) return [sql`items.item = ${id}`];
  return ID_END.test(id) ? [endsWith([id])] : [];
}

/** `common`: what to look through where too much begins so. */
export async function findItemsFrom(rows: Rows, { text, participants }: Words, sought: Sought, common: Sought): Promise<Found<FoundItem>> {
  const conditions = itemConditions(text);
  const begun = await candidates(conditions, async (condition) => {
    const some = await rows.selectFrom('items').select('item').where(condition).limit(CANDIDATES_MAX).execute();
    return some.map(({ item }) => item);
  });
  const ids = begun && [...begun, ...(await itemsWithFile(rows, text))];
  const named = ids ? await foundAmong(rows, ids, sought) : await foundItems(rows, anyOfMany(conditions), common);
  const ofThem = await ofParticipants(['sender', 'receiver'], participants, (condition) => foundItems(rows, condition, sought));
  return { rows: [...named, ...ofThem], isCommon: !ids };
}

async function foundAmong(rows: Rows, ids: readonly string[], sought: Sought): Promise<readonly FoundItem[]> {
  return ids.length === 0 ? [] : foundItems(rows, sql`items.item in (${sql.join(ids)})`, sought);
}

/** Items with this text somewhere in what is known of them, among those of the period. */
export function findItemsWith(rows: Rows, { text, participants }: Words, sought: Sought): Promise<FoundItem[]> {
  const conditions = [
    contains(column('items.document_id'), text),
    ...namesOf(text).map((name) => contains(column('items.file_name'), name)),
    contains(column('items.integration_id'), text),
    ...(participants.length > 0
      ? [sql<SqlBool>`sender in (${sql.join(participants)})`, sql<SqlBool>`receiver in (${sql.join(participants)})`]
      : []),
  ];
  return foundItems(rows, any(conditions), sought);
}

/** Items with a receipt or an original of this name. */
async function itemsWithFile(rows: Rows, name: string): Promise<string[]> {
  const named = filesOfHomes(rows).where('folder', 'in', ['receipts', 'accepted', 'refused']).where('name', '=', name);
  return (await named.select('subject').limit(CANDIDATES_MAX).execute()).map(({ subject }) => subject);
}

/** Files of all homes: the index of their names begins with these. */
function filesOfHomes(rows: Rows): SelectQueryBuilder<Tables, 'publications', object> {
  return rows.selectFrom('publications').where('home', 'in', (e) => e.selectFrom('accounts').select('accounts.home'));
}

export async function findDocumentsFrom(
  rows: Rows,
  { text, participants }: Words,
  sought: Sought,
  common: Sought,
): Promise<Found<FoundDocument>> {
  const conditions = [known('document_id', beginsWith(column('document_id'), text)), inRange(column('integration_id'), text.toLowerCase())];
  const begun = await candidates(conditions, async (condition) => {
    const some = await rows.selectFrom('documents').select('sequence').where(condition).limit(CANDIDATES_MAX).execute();
    return some.map(({ sequence }) => sequence);
  });
  const sequences = begun && [...begun, ...(await documentsWithFile(rows, text))];
  const among = sequences ? sql<SqlBool>`sequence in (${sql.join(sequences)})` : anyOfMany(conditions);
  const named = sequences?.length === 0 ? [] : await foundDocuments(rows, among, sequences ? sought : common);
  const ofThem = await ofParticipants(['sender'], participants, (condition) => foundDocuments(rows, condition, sought));
  return { rows: [...named, ...ofThem], isCommon: !sequences };
}

export function findDocumentsWith(rows: Rows, { text, participants }: Words, sought: Sought): Promise<FoundDocument[]> {
  const conditions = [
    contains(column('document_id'), text),
    contains(column('integration_id'), text),
    ...(participants.length > 0 ? [sql<SqlBool>`sender in (${sql.join(participants)})`] : []),
  ];
  return foundDocuments(rows, any(conditions), sought);
}

/** Documents whose file in an outbox has a name that begins so. */
async function documentsWithFile(rows: Rows, text: string): Promise<number[]> {
  const found = await filesOfHomes(rows)
    .where('folder', '=', 'outbox')
    .where(inRange(column('name'), text))
    .innerJoin('documents', (join) =>
      join
        .onRef('documents.account_reg_no', '=', 'publications.account_reg_no')
        .onRef('documents.integration_id', '=', 'publications.subject'),
    )
    .select('documents.sequence')
    .limit(CANDIDATES_MAX)
    .execute();
  return found.map(({ sequence }) => sequence);
}

async function foundDocuments(rows: Rows, condition: RawBuilder<SqlBool>, sought: Sought): Promise<FoundDocument[]> {
  const { accountRegNo, family, sinceMs, untilMs, before, limit } = sought;
  let found = rows.selectFrom('documents').selectAll().where('received_at', 'is not', null).where(condition);
  if (accountRegNo !== undefined) found = found.where('account_reg_no', '=', accountRegNo);
  if (family !== undefined) found = found.where('family', '=', family);
  if (sinceMs !== undefined) found = found.where('received_at', '>=', sinceMs);
  if (untilMs !== undefined) found = found.where('received_at', '<', untilMs);
  if (before) found = found.where(standsBefore(before, 'received_at', 'sequence'));
  const all = await found.orderBy('received_at', 'desc').orderBy('sequence', 'desc').limit(limit).execute();
  return all.map(toReceived);
}

/** What an account has received: some of a family behind this one, in the order in which it came. */
export async function readReceivedAfter(
  rows: Rows,
  { accountRegNo, family }: Feed,
  sequence: number,
  limit: number,
): Promise<FoundDocument[]> {
  const received = rows.selectFrom('documents').selectAll().where('received_at', 'is not', null);
  const ofFeed = received.where('account_reg_no', '=', accountRegNo).where('family', '=', family).where('sequence', '>', sequence);
  return (await ofFeed.orderBy('sequence').limit(limit).execute()).map(toReceived);
}

function toReceived(row: Selectable<Tables['documents']>): FoundDocument {
  return {
    sequence: row.sequence,
    accountRegNo: row.account_reg_no,
    family: row.family,
    integrationId: row.integration_id,
    version: row.version,
    receivedAt: row.received_at ?? 0,
    markedAt: row.marked_at,
    documentId: row.document_id,
    sender: row.sender,
    receiver: row.receiver,
  };
}

export async function findFailedUploads(rows: Rows, text: string, how: 'start' | 'part', sought: Sought): Promise<KnownFailedUpload[]> {
  const { accountRegNo, sinceMs, untilMs, before, limit } = sought;
  const holds = how === 'start' ? beginsWith : contains;
  const isNamed = any(namesOf(text).map((name) => holds(column('file_name'), name)));
  let found = rows.selectFrom('failed_uploads').selectAll().where(isNamed);
  if (accountRegNo !== undefined) {
    found = found.where('home', 'in', (e) => e.selectFrom('accounts').select('accounts.home').where('account_reg_no', '=', accountRegNo));
  }
  if (sinceMs !== undefined) found = found.where('at', '>=', sinceMs);
  if (untilMs !== undefined) found = found.where('at', '<', untilMs);
  if (before) found = found.where(standsBefore(before, 'at', 'upload'));
  return (await found.orderBy('at', 'desc').orderBy('upload', 'desc').limit(limit).execute()).map(toFailed);
}

/** Whether a row stands before a place, by its moment and its number. */
function standsBefore({ atMs, key }: NonNullable<Sought['before']>, at: string, number: string): RawBuilder<SqlBool> {
  const earlier = sql<SqlBool>`${sql.ref(at)} < ${atMs}`;
  return key === undefined ? earlier : sql`(${earlier} or ${sql.ref(at)} = ${atMs} and ${sql.ref(number)} < ${key})`;
}
