// Pages of messages, newest first, and their read marks.
import type { SelectQueryBuilder } from 'kysely';
import type { Direction } from '#domain/account.ts';
import type { FamilyName } from '#domain/family.ts';
import type { Content, MessageRow } from './messages.ts';
import type { Rows, Tables } from './schema.ts';

export interface Filter {
  readonly accountRegNo: string;
  readonly direction: Direction;
  readonly family: FamilyName;
  readonly marks: 'any' | 'unread' | 'read';
  readonly limit: number;
  readonly offset: number;
  readonly integrationId: string | null;
  readonly documentId: string | null;
  /** Half-open ranges of milliseconds; null is no bound. */
  readonly createdFrom: number | null;
  readonly createdBefore: number | null;
  readonly updatedFrom: number | null;
  readonly updatedBefore: number | null;
}

/** One page, in the order (createdAt, sequence) descending. */
export async function selectPage(rows: Rows, filter: Filter): Promise<MessageRow[]> {
  let query = rows
    .selectFrom('messages')
    .selectAll()
    .where('account_reg_no', '=', filter.accountRegNo)
    .where('direction', '=', filter.direction)
    .where('family', '=', filter.family);
  if (filter.marks !== 'any') query = query.where('read_at', filter.marks === 'unread' ? 'is' : 'is not', null);
  if (filter.integrationId !== null) query = query.where('integration_id', '=', filter.integrationId);
  if (filter.documentId !== null) query = query.where('document_id', '=', filter.documentId);
  query = within(query, 'created_at', filter.createdFrom, filter.createdBefore);
  query = within(query, 'updated_at', filter.updatedFrom, filter.updatedBefore);
  return query.orderBy('created_at', 'desc').orderBy('sequence', 'desc').limit(filter.limit).offset(filter.offset).execute();
}

/** Sets or clears the read mark. Marking does not move `updatedAt` (decisions A2), and a mark that is set keeps its time. */
export async function markMessages(rows: Rows, page: readonly MessageRow[], readAt: number | null): Promise<void> {
  const sequences = page.filter((message) => (message.read_at === null) !== (readAt === null)).map(({ sequence }) => sequence);
  if (sequences.length === 0) return;
  await rows.updateTable('messages').set({ read_at: readAt }).where('sequence', 'in', sequences).execute();
}

/** The latest content of a message. */
export async function selectContent(rows: Rows, { sequence, version }: Pick<MessageRow, 'sequence' | 'version'>): Promise<Content> {
  const { notation, sha256, bytes } = await rows
    .selectFrom('message_contents')
    .select(['notation', 'sha256', 'bytes'])
    .where('sequence', '=', sequence)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  return { notation: notation === 'json' ? 'json' : 'xml', sha256, bytes };
}

type PageQuery = SelectQueryBuilder<Tables, 'messages', MessageRow>;

function within(query: PageQuery, column: 'created_at' | 'updated_at', from: number | null, before: number | null): PageQuery {
  const lower = from === null ? query : query.where(column, '>=', from);
  return before === null ? lower : lower.where(column, '<', before);
}
