// Rows about transmissions to the network:
//
//   waiting ──→ handed      the access point has it
//           └─→ failed      given up
//   handed ───→ done        its last status is known, or it was sent and asked for long enough
//           ├─→ failed      the access point gave it up
//           └─→ silent      asked for long enough, and never told that it was sent
//   silent ───→ done        the receiver's side has responded after all
//   failed ───→ waiting     an operator has it tried again, which was never handed over; so with silent
//   any ──────→ replaced    by a later version, or a later try of the same
//
// `waiting` and `handed` rows are held by one core while it works on them; that ends by itself, too.

import { type Selectable, sql } from 'kysely';
import type { Content } from '#core/model/document.ts';
import type { Hold } from '#core/model/hold.ts';
import type { TransmissionState } from '#core/model/transmission.ts';
import { AppError } from '#domain/error.ts';
import { findMessage, type MessageRow } from './messages.ts';
import type { Rows, Tables } from './schema.ts';

export type TransmissionRow = Readonly<Selectable<Tables['transmissions']>>;

interface NewTransmission {
  readonly integrationId: string;
  readonly instanceIdOf: (integrationId: string, version: number, again: number) => string;
  readonly found: boolean;
}

/** Owes the current version of a message to the network, when no other transmission of it is owed; returns its instanceId. */
export async function insertTransmission(
  rows: Rows,
  { integrationId, instanceIdOf, found }: NewTransmission,
  nowMs: number,
): Promise<string> {
  const { sequence, version, account_reg_no } = await rows
    .selectFrom('messages')
    .select(['sequence', 'version', 'account_reg_no'])
    .where('integration_id', '=', integrationId)
    .executeTakeFirstOrThrow();
  const { before, latest } = await rows
    .selectFrom('transmissions')
    .select((row) => [row.fn.countAll<number>().as('before'), row.fn.max<number | null>('created_at').as('latest')])
    .where('sequence', '=', sequence)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  const instanceId = instanceIdOf(integrationId, version, Number(before));
  await rows
    .insertInto('transmissions')
    .values({
      instance_id: instanceId,
      sequence,
      version,
      account_reg_no,
      state: 'waiting',
      found: Number(found),
      attempts: 0,
      next_attempt_at: nowMs,
      held_by: null,
      access_point_id: null,
      last_reason: null,
      // The order of transmissions of one version, also when the clock has stepped back.
      created_at: Math.max(nowMs, (latest ?? 0) + 1),
      handed_at: null,
      posted_at: null,
      answer_seen_at: null,
    })
    .execute();
  return instanceId;
}

/** A try that was never settled may have got through. */
const postedBefore = (nowMs: number) =>
  sql<number | null>`case when held_by is not null and state = 'waiting' then ${nowMs} else posted_at end`;

/** Begins a try; undefined when the transmission is not due, or held. */
export async function claimTransmission(
  rows: Rows,
  instanceId: string,
  { holder, nowMs, heldUntil }: Hold,
): Promise<TransmissionRow | undefined> {
  return rows
    .updateTable('transmissions')
    .set((row) => ({ attempts: row('attempts', '+', 1), held_by: holder, next_attempt_at: heldUntil, posted_at: postedBefore(nowMs) }))
    .where('instance_id', '=', instanceId)
    .where('next_attempt_at', '<=', nowMs)
    .returningAll()
    .executeTakeFirst();
}

export interface Settlement {
  readonly state: 'waiting' | 'handed' | 'ended';
  /** Null when nothing is to be done any more. */
  readonly nextAttemptAt: number | null;
  readonly reason: string | null;
  /** The receiver is known to take it. */
  readonly found?: boolean;
  readonly accessPointId?: string;
  /** Set when the state `handed` begins, which starts to count tries from 0. */
  readonly handedAt?: number;
  /** When the last hand-over of unknown outcome was made; null when there is none. */
  readonly postedAt?: number | null;
  readonly answerSeenAt?: number;
}

/**
 * Stores the outcome of a try; false when another try has begun, or the transmission was replaced, meanwhile. As what it has ended says
 * `endTransmissions`, when the message has its status.
 */
export async function settleTransmission(
  rows: Rows,
  { instance_id, attempts }: Pick<TransmissionRow, 'instance_id' | 'attempts'>,
  { state, nextAttemptAt, reason, found, accessPointId, handedAt, postedAt, answerSeenAt }: Settlement,
): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('transmissions')
    .set({
      ...(state !== 'ended' && { state }),
      held_by: null,
      next_attempt_at: nextAttemptAt,
      last_reason: reason,
      ...(found !== undefined && { found: Number(found) }),
      ...(accessPointId !== undefined && { access_point_id: accessPointId }),
      ...(postedAt !== undefined && { posted_at: postedAt }),
      ...(answerSeenAt !== undefined && { answer_seen_at: answerSeenAt }),
      ...(handedAt !== undefined && { handed_at: handedAt, attempts: 0 }),
    })
    .where('instance_id', '=', instance_id)
    .where('attempts', '=', attempts)
    .where('held_by', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

const endedAs = sql<TransmissionState>`(
  select case status when 'failed' then 'failed' when 'queued' then 'silent' else 'done' end
  from messages where messages.sequence = transmissions.sequence
)`;

/** Ends the transmission of a message, which has its last status. */
export async function endTransmissions(rows: Rows, sequence: number, reason: string | null): Promise<void> {
  await rows
    .updateTable('transmissions')
    .set({ state: endedAs, next_attempt_at: null, held_by: null, last_reason: reason })
    .where('sequence', '=', sequence)
    .where('state', 'in', ['waiting', 'handed', 'silent'])
    .execute();
}

/** A later version of a message, or a later try of the same, goes in the place of those before; what has ended keeps its reason. */
export async function replaceTransmissions(rows: Rows, sequence: number, reason: string): Promise<void> {
  const ending = sql<string | null>`case when next_attempt_at is null then last_reason else ${reason} end`;
  await rows
    .updateTable('transmissions')
    .set({ state: 'replaced', next_attempt_at: null, held_by: null, last_reason: ending })
    .where('sequence', '=', sequence)
    .execute();
}

/**
 * A transmission that was given up before it was handed over waits again, under its id, with the full time to give up. `found` stays: an
 * earlier try may have got through, so the access point is asked before the receiver is looked up.
 */
export async function reviveTransmission(rows: Rows, instanceId: string, nowMs: number): Promise<void> {
  await rows
    .updateTable('transmissions')
    .set({ state: 'waiting', next_attempt_at: nowMs, created_at: nowMs })
    .where('instance_id', '=', instanceId)
    .execute();
}

/** Frees what a core held that has ended. */
export async function releaseTransmissions(rows: Rows, holder: string, nowMs: number): Promise<void> {
  const released = { held_by: null, next_attempt_at: nowMs, posted_at: postedBefore(nowMs) };
  await rows.updateTable('transmissions').set(released).where('held_by', '=', holder).execute();
}

export async function selectDueTransmissions(rows: Rows, nowMs: number, limit: number): Promise<string[]> {
  const found = await rows
    .selectFrom('transmissions')
    .select('instance_id')
    .where('next_attempt_at', '<=', nowMs)
    .orderBy('next_attempt_at')
    .limit(limit)
    .execute();
  return found.map((row) => row.instance_id);
}

/** The message that a transmission carries, its content in that version, and the profile of its account as JSON. */
export interface Load {
  readonly message: MessageRow;
  readonly content: Content;
  readonly profile: string;
}

export async function selectLoad(rows: Rows, { sequence, version }: Pick<TransmissionRow, 'sequence' | 'version'>): Promise<Load> {
  const message = await findMessage(rows, sequence);
  const { notation, sha256, bytes } = await rows
    .selectFrom('message_contents')
    .selectAll()
    .where('sequence', '=', sequence)
    .where('version', '=', version)
    .executeTakeFirstOrThrow();
  const account = await rows
    .selectFrom('accounts')
    .select('profile')
    .where('account_reg_no', '=', message?.account_reg_no ?? '')
    .executeTakeFirst();
  if (!message) throw new AppError('storage', 'A transmission has no message.');
  return { message, content: { notation: notation === 'json' ? 'json' : 'xml', sha256, bytes }, profile: account?.profile ?? '{}' };
}
