// Changes the status of an outgoing message as the network reports it, with the events for its subscribers.

import { recordEvents, type Subject } from '#core/events/events.ts';
import { type Cause, type Changed, changeStatus, NO_CAUSE } from '#core/ledger/message-statuses.ts';
import type { MessageRow } from '#core/ledger/messages.ts';
import type { Rows } from '#core/ledger/schema.ts';
import type { Listeners } from '#core/model/listeners.ts';
import { type FamilyName, isFamilyName } from '#domain/family.ts';
import type { Random } from '#domain/id.ts';
import { isStatus, mayFollow, type ReportedStatus, type Status } from '#domain/status.ts';
import type { Queue } from '#engines/queue.ts';
import type { Log } from '#runtime/log.ts';

/** An outgoing message that was given up is queued again by an operator. */
type Step = ReportedStatus | 'queued';

/** A status change to be announced after the commit. */
export interface Recorded {
  readonly integrationId: string;
  readonly accountRegNo: string;
  readonly family: FamilyName | null;
  readonly statuses: readonly Step[];
  readonly webhooks: readonly string[];
}

/** Takes a message through these statuses, as part of a transaction. Throws `missing`, and `bad-request` for a status that may not follow. */
export async function recordStatuses(
  rows: Rows,
  random: Random,
  integrationId: string,
  statuses: readonly [Step, ...Step[]],
  nowMs: number,
  cause: Cause = NO_CAUSE,
): Promise<Recorded> {
  const webhooks: string[] = [];
  let last: Changed | undefined;
  for (const status of statuses) {
    const changed = await changeStatus(rows, integrationId, status, nowMs, status === statuses.at(-1) ? cause : NO_CAUSE);
    const subject = subjectOf(changed);
    if (subject) webhooks.push(...(await recordEvents(rows, random, subject, [{ event: 'status', status }], nowMs, changed.before)));
    last = changed;
  }
  const family = last?.message.family ?? '';
  const accountRegNo = last?.message.account_reg_no ?? '';
  return { integrationId, accountRegNo, family: isFamilyName(family) ? family : null, statuses, webhooks };
}

/**
 * Takes the current version of a message to a status, by way of `sent` where that was not reported; null when it has that status, or cannot
 * get it any more.
 */
export async function advance(
  rows: Rows,
  random: Random,
  message: Pick<MessageRow, 'integration_id' | 'status'>,
  status: ReportedStatus,
  nowMs: number,
  cause: Cause = NO_CAUSE,
): Promise<Recorded | null> {
  const { integration_id: integrationId, status: before } = message;
  const steps = isStatus(before) ? stepsTo(before, status) : null;
  return steps && recordStatuses(rows, random, integrationId, steps, nowMs, cause);
}

function stepsTo(before: Status, status: ReportedStatus): [ReportedStatus, ...ReportedStatus[]] | null {
  if (mayFollow(before, status)) return [status];
  return mayFollow(before, 'sent') && mayFollow('sent', status) ? ['sent', status] : null;
}

export interface AnnounceParts extends Pick<Listeners, 'changed'> {
  readonly queue: Queue;
  readonly log: Log;
}

/** Logs the change, rings for the webhooks, and tells the listener. */
export function announceStatus({ queue, log, changed }: AnnounceParts, recorded: Recorded): void {
  const { integrationId, accountRegNo, family, statuses, webhooks } = recorded;
  for (const status of statuses) log.info({ event: 'core.status', integrationId, accountRegNo, status });
  for (const webhook of new Set(webhooks)) queue.ring('webhook', webhook);
  if (family !== null) changed(accountRegNo, family);
}

function subjectOf({ message, createdAt, updatedAt }: Changed): Subject | null {
  const { integration_id: integrationId, account_reg_no: accountRegNo, family, document_id: documentId } = message;
  const direction = message.direction === 'incoming' ? 'incoming' : 'outgoing';
  return isFamilyName(family) ? { integrationId, accountRegNo, direction, head: { family, documentId }, createdAt, updatedAt } : null;
}
