// Transmissions as an operator sees them: owed, given up, or done.

import { sql } from 'kysely';
import type { TransmissionState } from '#core/model/transmission.ts';
import { pipelined } from '#engines/pipelined.ts';
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
  /** Of its state, or of the last one in which it was tried. */
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
export async function selectTransmissions(rows: Rows, { states, limit, ...search }: TransmissionSearch): Promise<ListedTransmission[]> {
  // An index has those of one state in order; those of several states would all be sorted.
  const found = await pipelined(...[...new Set(states)].map((state) => latestOf(rows, state, { ...search, limit })));
  return found.flat().sort(latestFirst).slice(0, limit);
}

function latestOf(rows: Rows, state: TransmissionState, { accountRegNo, behind, limit }: Omit<TransmissionSearch, 'states'>) {
  let listed = listedOf(rows)
    .where('sent.state', '=', state)
    .orderBy('sent.created_at', 'desc')
    .orderBy('sent.instance_id', 'desc')
    .limit(limit);
  if (behind)
    listed = listed.where(({ eb, refTuple, tuple }) =>
      eb(refTuple('sent.created_at', 'sent.instance_id'), '<', tuple(behind.createdAt, behind.instanceId)),
    );
  return (accountRegNo === null ? listed : listed.where('sent.account_reg_no', '=', accountRegNo)).execute();
}

function latestFirst(one: ListedTransmission, other: ListedTransmission): number {
  return other.createdAt - one.createdAt || (one.instanceId < other.instanceId ? 1 : -1);
}

export async function findTransmission(rows: Rows, instanceId: string): Promise<ListedTransmission | undefined> {
  return listedOf(rows).where('sent.instance_id', '=', instanceId).executeTakeFirst();
}

/** Of the last try; otherwise what the receiver's side has said. */
const reasonOf = sql<string | null>`coalesce(
  sent.last_reason,
  case when sent.version = messages.version then messages.status_reason end
)`;

function listedOf(rows: Rows) {
  return rows
    .selectFrom('transmissions as sent')
    .innerJoin('messages', 'messages.sequence', 'sent.sequence')
    .select([
      'sent.instance_id as instanceId',
      'sent.state as state',
      'sent.account_reg_no as accountRegNo',
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

interface Overdue {
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
    .where('state', '=', 'waiting')
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
