// Transmissions as an operator sees them: owed, given up, or done.

import { sql } from 'kysely';
import type { TransmissionState } from '#core/model/transmission.ts';
import type { Rows } from './schema.ts';

export interface ListedTransmission {
  readonly instanceId: string;
  readonly state: TransmissionState;
  readonly accountRegNo: string;
  readonly family: string;
  readonly documentId: string;
  readonly receiver: string;
  readonly integrationId: string;
  /** Of the message. */
  readonly sequence: number;
  readonly version: number;
  /** Of the message. */
  readonly status: string;
  /** Of the last phase. */
  readonly attempts: number;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly handedAt: number | null;
  /** When it was last handed over without anybody knowing whether that got through. */
  readonly postedAt: number | null;
  readonly nextAttemptAt: number | null;
}

export interface TransmissionSearch {
  readonly states: readonly TransmissionState[];
  readonly accountRegNo: string | null;
  /** The last one that was told: only those behind it. */
  readonly behind?: Pick<ListedTransmission, 'createdAt' | 'instanceId'> | undefined;
  readonly limit: number;
}

/** Those in these states, the latest first. */
export async function selectTransmissions(
  rows: Rows,
  { states, accountRegNo, behind, limit }: TransmissionSearch,
): Promise<ListedTransmission[]> {
  let listed = listedOf(rows)
    .where('state', 'in', [...states])
    .orderBy('createdAt', 'desc')
    .orderBy('instanceId', 'desc')
    .limit(limit);
  if (behind)
    listed = listed.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('createdAt', 'instanceId'), '<', tuple(behind.createdAt, behind.instanceId)),
    );
  return (accountRegNo === null ? listed : listed.where('accountRegNo', '=', accountRegNo)).execute();
}

export async function findTransmission(rows: Rows, instanceId: string): Promise<ListedTransmission | undefined> {
  return listedOf(rows).where('instanceId', '=', instanceId).executeTakeFirst();
}

function listedOf(rows: Rows) {
  return rows.selectFrom(joined(rows).as('listed')).selectAll();
}

/** A later version, or a later try of the same, goes in its place. */
const isReplaced = sql<boolean>`sent.version < messages.version or exists (
  select 1 from transmissions as later
  where later.sequence = sent.sequence and later.version = sent.version and later.created_at > sent.created_at
)`;

const stateOf = sql<TransmissionState>`case
  when sent.next_attempt_at is not null then sent.phase
  when ${isReplaced} then 'replaced'
  when messages.status = 'failed' then 'failed'
  when messages.status = 'queued' then 'silent'
  else 'done'
end`;

/** Of the last try; otherwise what the receiver's side has said. */
const reasonOf = sql<string | null>`coalesce(
  sent.last_reason,
  case when sent.version = messages.version then messages.status_reason end
)`;

function joined(rows: Rows) {
  return rows
    .selectFrom('transmissions as sent')
    .innerJoin('messages', 'messages.sequence', 'sent.sequence')
    .select([
      'sent.instance_id as instanceId',
      stateOf.as('state'),
      'messages.account_reg_no as accountRegNo',
      'messages.family as family',
      'messages.document_id as documentId',
      'messages.receiver as receiver',
      'messages.integration_id as integrationId',
      'sent.sequence as sequence',
      'sent.version as version',
      'messages.status as status',
      'sent.attempts as attempts',
      reasonOf.as('reason'),
      'sent.created_at as createdAt',
      'sent.handed_at as handedAt',
      'sent.posted_at as postedAt',
      'sent.next_attempt_at as nextAttemptAt',
    ]);
}

export interface Overdue {
  readonly count: number;
  readonly oldestAt: number | null;
  /** Why one of them was not taken. */
  readonly reason: string | null;
}

/** What was to be handed over before this moment, was tried, and is still to be. */
export async function selectOverdue(rows: Rows, beforeMs: number): Promise<Overdue> {
  const overdue = await rows
    .selectFrom('transmissions')
    .select((row) => [
      row.fn.countAll<number>().as('count'),
      row.fn.min<number | null>('created_at').as('oldestAt'),
      row.fn.max<string | null>('last_reason').as('reason'),
    ])
    .where('next_attempt_at', 'is not', null)
    .where('phase', '=', 'waiting')
    .where('found', '=', 1)
    .where('attempts', '>', 1)
    .where('created_at', '<', beforeMs)
    .executeTakeFirst();
  return {
    count: Number(overdue?.count ?? 0),
    oldestAt: overdue?.oldestAt == null ? null : Number(overdue.oldestAt),
    reason: overdue?.reason ?? null,
  };
}
