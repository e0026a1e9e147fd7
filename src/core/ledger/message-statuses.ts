// How messages get on, and the log of that.
import { AppError } from '#domain/error.ts';
import { isStatus, mayFollow, type Status } from '#domain/status.ts';
import { type MessageRow, type MessageTimes, updateTime } from './messages.ts';
import type { Rows } from './schema.ts';

/** A message whose status has changed, and the status that it had. */
export interface Changed extends MessageTimes {
  readonly message: MessageRow;
  readonly before: Status;
}

/** Why a message has its status: in words, and the response from the network that gave it. */
export interface Cause {
  readonly reason: string | null;
  /** Of responses. */
  readonly response: number | null;
}

export const NO_CAUSE: Cause = { reason: null, response: null };

/**
 * Takes a message on to its next status, logs it, and moves `updatedAt`. Throws `missing`, and `bad-request` for a status that may not
 * follow (decisions A2).
 */
export async function changeStatus(
  rows: Rows,
  integrationId: string,
  status: Status,
  nowMs: number,
  { reason, response }: Cause = NO_CAUSE,
): Promise<Changed> {
  const message = await rows.selectFrom('messages').selectAll().where('integration_id', '=', integrationId).executeTakeFirst();
  if (!message) throw new AppError('missing', `There is no message ${integrationId}.`);
  if (!isStatus(message.status) || !mayFollow(message.status, status)) {
    throw new AppError('bad-request', `Message ${integrationId} is ${message.status}: ${status} cannot follow.`);
  }
  const { sequence, version, created_at } = message;
  const updated = updateTime(created_at, nowMs);
  await rows
    .updateTable('messages')
    .set({ status, status_reason: reason, status_response: response, ...updated })
    .where('sequence', '=', sequence)
    .execute();
  await rows.insertInto('message_log').values({ sequence, version, at: nowMs, event: 'status', status, reason }).execute();
  return { message, before: message.status, createdAt: created_at, updatedAt: updated.updated_at };
}

/** A status that a message got, and when. */
export interface LoggedStatus {
  readonly status: string;
  readonly at: number;
  readonly reason: string | null;
}

/** Those of one version, the first one first. */
export async function selectLog(rows: Rows, { sequence, version }: Pick<MessageRow, 'sequence' | 'version'>): Promise<LoggedStatus[]> {
  return rows
    .selectFrom('message_log')
    .select(['status', 'at', 'reason'])
    .where('sequence', '=', sequence)
    .where('version', '=', version)
    .orderBy('entry')
    .execute();
}
