// Pages of messages, newest first, and their read marks. No page is found by walking over the list: see its query plans in the tests.

import { type SelectQueryBuilder, sql } from 'kysely';
import type { Content } from '#core/model/document.ts';
import { AppError } from '#domain/error.ts';
import { type FamilyName, isFamilyName } from '#domain/family.ts';
import { firstUuidAt } from '#domain/id.ts';
import { prepared, preparedChange } from '#engines/prepared.ts';
import { inList, type MessageList, newestOfList } from './message-lists.ts';
import type { MessageRow } from './messages.ts';
import type { Rows, Tables } from './schema.ts';

export interface Filter extends MessageList {
  readonly marks: 'any' | 'unread' | 'read';
  readonly limit: number;
  readonly offset: number;
  readonly integrationId: string | null;
  readonly documentId: string | null;
  /** Half-open ranges of milliseconds, from the beginning of a day (UTC) to the beginning of another; null is no bound. */
  readonly createdFrom: number | null;
  readonly createdBefore: number | null;
  readonly updatedFrom: number | null;
  readonly updatedBefore: number | null;
}

/** One page, newest first: by position, which is the order of (createdAt, sequence). */
export async function selectPage(rows: Rows, filter: Filter): Promise<MessageRow[]> {
  const { integrationId } = filter;
  if (integrationId !== null && asksForNothingElse(filter)) return selectIdentified(rows, filter, integrationId);
  const range = await positionsOf(rows, filter, filter.createdFrom, filter.createdBefore);
  if (!range) return [];
  if (filter.integrationId !== null || filter.documentId !== null) return selectNamed(rows, filter, range);
  if (filter.updatedFrom !== null || filter.updatedBefore !== null) return selectUpdated(rows, filter, range);
  return filter.marks === 'any' ? selectAll(rows, filter, range) : selectMarked(rows, filter, range);
}

const identified = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('messages')
    .selectAll()
    .where('integration_id', '=', slot<string>('integrationId'))
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('direction', '=', slot<string>('direction'))
    .where('family', '=', slot<string>('family')),
);

/** The most frequent query: one message by its identity, to fetch or mark it. */
async function selectIdentified(rows: Rows, filter: Filter, integrationId: string): Promise<MessageRow[]> {
  const { accountRegNo, direction, family, marks, offset, limit } = filter;
  const found = await identified(rows, { integrationId, accountRegNo, direction, family });
  return found.filter((message) => marks === 'any' || (message.read_at === null) === (marks === 'unread')).slice(offset, offset + limit);
}

interface UnreadList {
  readonly accountRegNo: string;
  readonly family: FamilyName;
  /** Of its newest message of those. */
  readonly integrationId: string;
}

/** Lists of received messages, of any account, with unread ones that came within that time, in milliseconds since 1970 and half-open: the newest first, so many at the most. */
export async function selectUnreadLists(rows: Rows, fromMs: number, beforeMs: number, limit: number): Promise<UnreadList[]> {
  const found = await rows
    .selectFrom('messages')
    .select(['account_reg_no', 'family', (e) => e.fn.max('integration_id').as('newest')])
    .where('integration_id', '>=', firstUuidAt(fromMs))
    .where('integration_id', '<', firstUuidAt(beforeMs))
    .where('direction', '=', 'incoming')
    .where(UNINDEXED.mark, 'is', null)
    .groupBy(['account_reg_no', 'family'])
    .orderBy('newest', 'desc')
    .limit(limit)
    .execute();
  return found.flatMap(({ account_reg_no: accountRegNo, family, newest: integrationId }) =>
    isFamilyName(family) ? [{ accountRegNo, family, integrationId }] : [],
  );
}

function asksForNothingElse({ documentId, createdFrom, createdBefore, updatedFrom, updatedBefore }: Filter): boolean {
  return [documentId, createdFrom, createdBefore, updatedFrom, updatedBefore].every((each) => each === null);
}

type PageQuery = SelectQueryBuilder<Tables, 'messages', MessageRow>;

/** Positions of a list, both ends included. */
interface Range {
  readonly first: number;
  readonly last: number;
}

/** Few messages have the identifier or the document id: they are fetched, the other filters applied to them, and sorted. */
async function selectNamed(rows: Rows, filter: Filter, range: Range): Promise<MessageRow[]> {
  let query = marked(between(listOf(rows, filter), range, UNINDEXED.position), filter, UNINDEXED.mark);
  if (filter.integrationId !== null) query = query.where('integration_id', '=', filter.integrationId);
  if (filter.documentId !== null) query = query.where('document_id', '=', filter.documentId);
  query = updatedWithin(query, filter);
  return query.orderBy(UNINDEXED.position, 'desc').limit(filter.limit).offset(filter.offset).execute();
}

/** Positions have no gaps: the offset is a subtraction. */
async function selectAll(rows: Rows, filter: Filter, range: Range): Promise<MessageRow[]> {
  const last = range.last - filter.offset;
  const first = Math.max(range.first, last - filter.limit + 1);
  return between(listOf(rows, filter), { first, last }).orderBy('position', 'desc').execute();
}

async function selectMarked(rows: Rows, filter: Filter, range: Range): Promise<MessageRow[]> {
  return marked(between(listOf(rows, filter), range), filter)
    .orderBy('position', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
}

/**
 * What was updated within a range of days: what was created on those days and not updated after that, and what was updated on a later day than it was
 * created, which has an index of its own.
 */
async function selectUpdated(rows: Rows, filter: Filter, range: Range): Promise<MessageRow[]> {
  const days = (await positionsOf(rows, filter, filter.updatedFrom, filter.updatedBefore)) ?? NOWHERE;
  const sameDay = { first: Math.max(range.first, days.first), last: Math.min(range.last, days.last) };
  const onSameDay = marked(between(listOf(rows, filter), sameDay), filter).where('updated_later', '=', sql.lit(0));
  const later = marked(between(listOf(rows, filter), range), filter, UNINDEXED.mark).where('updated_later', '=', sql.lit(1));
  return rows
    .selectFrom(onSameDay.unionAll(updatedWithin(later, filter)).as('updated'))
    .selectAll()
    .orderBy('position', 'desc')
    .limit(filter.limit)
    .offset(filter.offset)
    .execute();
}

const NOWHERE: Range = { first: 1, last: 0 };

/** The positions of what was created in a range of time; undefined when that is nothing. */
async function positionsOf(rows: Rows, filter: Filter, from: number | null, before: number | null): Promise<Range | undefined> {
  const { position: newest } = await newestOfList(rows, filter);
  const last = before === null ? newest : await lastBefore(rows, filter, before, newest);
  const first = from === null ? 1 : (await lastBefore(rows, filter, from, last)) + 1;
  return first <= last ? { first, last } : undefined;
}

const createdAt = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('messages')
    .select('created_at')
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('direction', '=', slot<string>('direction'))
    .where('family', '=', slot<string>('family'))
    .where('position', '=', slot<number>('position')),
);

/**
 * The last position up to `last` of what was created before a time; 0 when nothing was. Positions have no gaps and follow the time of creation,
 * so it is found by halving.
 */
async function lastBefore(rows: Rows, { accountRegNo, direction, family }: Filter, beforeMs: number, last: number): Promise<number> {
  let [low, high] = [0, last];
  while (low < high) {
    const position = Math.ceil((low + high) / 2);
    const [message] = await createdAt(rows, { accountRegNo, direction, family, position });
    // What is not there any more was older than all that is.
    if (!message || message.created_at < beforeMs) low = position;
    else high = position - 1;
  }
  return low;
}

function listOf(rows: Rows, list: MessageList): PageQuery {
  return inList(rows, list).selectAll();
}

/**
 * Columns in a form for which SQLite uses no index: fewer messages match the other conditions (a document id, updated later), but the planner
 * cannot know that.
 */
const UNINDEXED = { position: sql<number>`+position`, mark: sql<number | null>`+read_at` };

function between(query: PageQuery, { first, last }: Range, position: 'position' | typeof UNINDEXED.position = 'position'): PageQuery {
  return query.where(position, '>=', first).where(position, '<=', last);
}

function marked(query: PageQuery, { marks }: Filter, mark: 'read_at' | typeof UNINDEXED.mark = 'read_at'): PageQuery {
  return marks === 'any' ? query : query.where(mark, marks === 'unread' ? 'is' : 'is not', null);
}

function updatedWithin(query: PageQuery, { updatedFrom, updatedBefore }: Filter): PageQuery {
  const lower = updatedFrom === null ? query : query.where('updated_at', '>=', updatedFrom);
  return updatedBefore === null ? lower : lower.where('updated_at', '<', updatedBefore);
}

const markOne = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('messages')
    .set({ read_at: slot<number | null>('readAt') })
    .where('sequence', '=', slot<number>('sequence')),
);

/** Sets or clears the read mark. Marking does not move `updatedAt` (decisions A2), and a mark that is set keeps its time. */
export async function markMessages(rows: Rows, page: readonly MessageRow[], readAt: number | null): Promise<void> {
  for (const { sequence, read_at: markedAt } of page) {
    if ((markedAt === null) !== (readAt === null)) await markOne(rows, { readAt, sequence });
  }
}

const markIdentified = prepared((rows: Rows, slot) =>
  rows
    .updateTable('messages')
    .set({ read_at: slot<number>('readAt') })
    .where('integration_id', '=', slot<string>('integrationId'))
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('direction', '=', slot<string>('direction'))
    .where('family', '=', slot<string>('family'))
    .where('read_at', 'is', null)
    .returningAll(),
);

/** Selects a page and marks it as read, or as unread where `readAt` is null. */
export async function takePage(rows: Rows, filter: Filter, readAt: number | null): Promise<MessageRow[]> {
  const { integrationId, accountRegNo, direction, family, marks, offset } = filter;
  // The most frequent: one message by its identity.
  if (integrationId !== null && readAt !== null && marks === 'unread' && offset === 0 && asksForNothingElse(filter)) {
    return markIdentified(rows, { integrationId, accountRegNo, direction, family, readAt });
  }
  const page = await selectPage(rows, filter);
  await markMessages(rows, page, readAt);
  return page;
}

const contentOfVersion = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('message_contents')
    .select(['notation', 'sha256', 'bytes'])
    .where('sequence', '=', slot<number>('sequence'))
    .where('version', '=', slot<number>('version')),
);

/** The latest content of a message. */
export async function selectContent(rows: Rows, { sequence, version }: Pick<MessageRow, 'sequence' | 'version'>): Promise<Content> {
  const [content] = await contentOfVersion(rows, { sequence, version });
  if (!content) throw new AppError('storage', `Message ${sequence} has no content of version ${version}.`);
  const { notation, sha256, bytes } = content;
  return { notation: notation === 'json' ? 'json' : 'xml', sha256, bytes };
}
