// Rows about messages: one document stored for one account and one direction, its versions, and its log.
import type { Selectable } from 'kysely';
import type { Content } from '#core/model/document.ts';
import type { Direction } from '#domain/account.ts';
import { dayOf } from '#domain/day.ts';
import type { DocumentHead } from '#domain/document.ts';
import { AppError } from '#domain/error.ts';
import { isFamilyName } from '#domain/family.ts';
import type { Status } from '#domain/status.ts';
import { pipelined } from '#engines/pipelined.ts';
import { prepared, preparedChange, type Slot } from '#engines/prepared.ts';
import type { Rows, Tables } from './schema.ts';

export type MessageRow = Readonly<Selectable<Tables['messages']>>;

/** An event of a message with its new status, for the message's log and its subscribers. */
export interface MessageEvent {
  readonly event: 'created' | 'overwritten' | 'status';
  readonly status: Status;
}

/** What a version of a message is made of; its status is that of the last event. */
export interface Version {
  readonly head: DocumentHead;
  readonly content: Content;
  readonly events: readonly [...MessageEvent[], MessageEvent];
}

export interface NewMessage extends Version {
  readonly integrationId: string;
  readonly accountRegNo: string;
  readonly direction: Direction;
  /** The account of this core that sent it, or null for the network. Only the same origin replaces it. */
  readonly origin: string | null;
}

export interface MessageTimes {
  readonly createdAt: number;
  readonly updatedAt: number;
}

const sameDocument = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('messages')
    .selectAll()
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('direction', '=', slot<string>('direction'))
    .where('family', '=', slot<string>('family'))
    .where('document_id', '=', slot<string>('documentId'))
    .where('receiver', '=', slot<string>('receiver'))
    .where('counterparty', '=', slot<string>('counterparty')),
);

/** The message that a document collides with: same account, direction, family, id and receiver, on incoming also the same sender. */
export async function findCollision(
  rows: Rows,
  accountRegNo: string,
  direction: Direction,
  head: DocumentHead,
): Promise<MessageRow | undefined> {
  const { family, documentId, receiver } = head;
  const [row] = await sameDocument(rows, {
    accountRegNo,
    direction,
    family,
    documentId,
    receiver,
    counterparty: counterparty(direction, head),
  });
  return row;
}

const newMessage = preparedChange((rows: Rows, slot) =>
  rows.insertInto('messages').values({
    integration_id: slot<string>('integration_id'),
    account_reg_no: slot<string>('account_reg_no'),
    direction: slot<string>('direction'),
    family: slot<string>('family'),
    document_id: slot<string>('document_id'),
    sender: slot<string>('sender'),
    receiver: slot<string>('receiver'),
    counterparty: slot<string>('counterparty'),
    customization_id: slot<string | null>('customization_id'),
    profile_id: slot<string | null>('profile_id'),
    issue_date: slot<string | null>('issue_date'),
    status: slot<string>('status'),
    version: slot<number>('version'),
    size: slot<number>('size'),
    created_at: slot<number>('created_at'),
    updated_at: slot<number>('updated_at'),
    updated_later: slot<number>('updated_later'),
    read_at: null,
    position: slot<number>('position'),
    origin: slot<string | null>('origin'),
  }),
);

/** Of a new message. Lists are ordered by creation: a clock that steps back must not put it behind older ones, where a poll has been already. */
export function timesOfFirst(newest: Pick<MessageRow, 'created_at'>, nowMs: number): MessageTimes {
  const createdAt = Math.max(nowMs, newest.created_at);
  return { createdAt, updatedAt: createdAt };
}

/** Stores a message at the end of its list, unread, and logs it; in version 1 unless it was there before. Throws `internal` when it collides: look first. */
export async function insertMessage(
  rows: Rows,
  message: NewMessage,
  { position, version }: Pick<MessageRow, 'position' | 'version'>,
  { createdAt }: MessageTimes,
  nowMs: number,
): Promise<void> {
  const { head, content } = message;
  const stored = newMessage(rows, {
    integration_id: message.integrationId,
    account_reg_no: message.accountRegNo,
    direction: message.direction,
    family: head.family,
    document_id: head.documentId,
    sender: head.sender,
    receiver: head.receiver,
    counterparty: counterparty(message.direction, head),
    customization_id: head.customizationId,
    profile_id: head.profileId,
    issue_date: head.issueDate,
    status: statusAfter(message),
    version,
    size: content.bytes.length,
    created_at: createdAt,
    ...updateTime(createdAt, createdAt),
    position,
    origin: message.origin,
  });
  await pipelined(stored, insertVersion(rows, message.integrationId, version, message, nowMs));
}

/** Of a message that is replaced. */
export function timesOfNext({ created_at: createdAt }: MessageRow, nowMs: number): MessageTimes {
  return { createdAt, updatedAt: Math.max(nowMs, createdAt) };
}

/** The next version of a message: same identity, new content, unread again (decisions A2, `overwrite`). */
export async function replaceMessage(
  rows: Rows,
  existing: MessageRow,
  next: Version,
  { createdAt, updatedAt }: MessageTimes,
  nowMs: number,
): Promise<void> {
  const version = existing.version + 1;
  const replaced = rows
    .updateTable('messages')
    .set({
      sender: next.head.sender,
      customization_id: next.head.customizationId,
      profile_id: next.head.profileId,
      issue_date: next.head.issueDate,
      status: statusAfter(next),
      status_reason: null,
      status_response: null,
      version,
      size: next.content.bytes.length,
      ...updateTime(createdAt, updatedAt),
      read_at: null,
    })
    .where('sequence', '=', existing.sequence)
    .execute();
  await pipelined(replaced, insertVersion(rows, existing.integration_id, version, next, nowMs));
}

export async function findMessage(rows: Rows, sequence: number): Promise<MessageRow | undefined> {
  return rows.selectFrom('messages').selectAll().where('sequence', '=', sequence).executeTakeFirst();
}

/** The head of a stored document. */
export function headOf(message: MessageRow): DocumentHead {
  const { family, document_id: documentId, sender, receiver } = message;
  if (!isFamilyName(family)) throw new AppError('storage', `A message has the family ${family}, which is none.`);
  const { customization_id: customizationId, profile_id: profileId, issue_date: issueDate } = message;
  return { family, documentId, sender, receiver, customizationId, profileId, issueDate };
}

export async function hasMessages(rows: Rows, accountRegNo: string): Promise<boolean> {
  const row = await rows.selectFrom('messages').select('sequence').where('account_reg_no', '=', accountRegNo).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** The number of the message: it need not have been answered yet that it is stored. */
function sequenceOf(rows: Rows, slot: Slot) {
  return rows.selectFrom('messages').select('sequence').where('integration_id', '=', slot<string>('integrationId'));
}

const newContent = preparedChange((rows: Rows, slot) =>
  rows.insertInto('message_contents').values({
    sequence: sequenceOf(rows, slot),
    version: slot<number>('version'),
    notation: slot<string>('notation'),
    sha256: slot<string>('sha256'),
    bytes: slot<Uint8Array>('bytes'),
  }),
);

/** One statement for each number of entries that a transaction adds. */
const NEW_ENTRIES = [1, 2, 3].map((count) =>
  preparedChange((rows: Rows, slot) =>
    rows.insertInto('message_log').values(
      Array.from({ length: count }, (_, at) => ({
        sequence: sequenceOf(rows, slot),
        version: slot<number>('version'),
        at: slot<number>('at'),
        event: slot<string>(`event${at}`),
        status: slot<string>(`status${at}`),
      })),
    ),
  ),
);

async function insertVersion(
  rows: Rows,
  integrationId: string,
  version: number,
  { content, events }: Version,
  nowMs: number,
): Promise<void> {
  const entries = events.flatMap(({ event, status }, at) => [[`event${at}`, event] as const, [`status${at}`, status] as const]);
  const insert = NEW_ENTRIES[events.length - 1];
  if (!insert) throw new RangeError(`${events.length} events cannot be logged at once`);
  await pipelined(
    newContent(rows, { integrationId, version, ...content }),
    insert(rows, { integrationId, version, at: nowMs, ...Object.fromEntries(entries) }),
  );
}

export function updateTime(createdAt: number, nowMs: number): Pick<MessageRow, 'updated_at' | 'updated_later'> {
  const updatedAt = Math.max(nowMs, createdAt);
  return { updated_at: updatedAt, updated_later: dayOf(updatedAt) > dayOf(createdAt) ? 1 : 0 };
}

function statusAfter({ events }: Version): string {
  return events.at(-1)?.status ?? 'queued';
}

function counterparty(direction: Direction, head: DocumentHead): string {
  return direction === 'incoming' ? head.sender : '';
}
