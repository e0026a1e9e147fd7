// Writes the webhook events of a message for each subscriber, in the transaction that changes the message.
import { v4 } from 'uuid';
import { transactionPath } from '#contract/routes.ts';
import type { WebhookEvent } from '#contract/webhooks.ts';
import type { MessageEvent, MessageTimes, NewMessage } from '#core/ledger/messages.ts';
import type { Rows } from '#core/ledger/schema.ts';
import { insertEvent, type NewEvent } from '#core/ledger/webhook-events.ts';
import { type Subscriber, selectSubscribers } from '#core/ledger/webhooks.ts';
import { isoTime } from '#domain/day.ts';
import type { EventType } from '#domain/event.ts';
import { familyNamed } from '#domain/family.ts';
import type { Random } from '#domain/id.ts';
import type { Status } from '#domain/status.ts';
import { pipelined } from '#engines/pipelined.ts';

/** Specification, Events. An overwritten document is a new one to its receiver (decisions A2). */
const TYPE: Readonly<Record<MessageEvent['event'], EventType>> = {
  created: 'new_document',
  overwritten: 'new_document',
  status: 'document_delivery',
};

/** The message that an event is about. */
export interface Subject extends Pick<NewMessage, 'integrationId' | 'accountRegNo' | 'direction'>, MessageTimes {
  readonly head: Pick<NewMessage['head'], 'family' | 'documentId'>;
}

/** Writes the events in order; `before` is the status until then. Returns the subscriptions to ring for after the commit. */
export async function recordEvents(
  rows: Rows,
  random: Random,
  subject: Subject,
  events: readonly MessageEvent[],
  nowMs: number,
  before: Status | null = null,
): Promise<string[]> {
  const about = { subject, subscribers: await selectSubscribers(rows, subject.accountRegNo) };
  return writeEvents(rows, random, about, events, nowMs, before);
}

interface Told {
  readonly subject: Subject;
  /** Of its account. */
  readonly subscribers: readonly Subscriber[];
}

/** The same where the subscribers have been read. */
export async function writeEvents(
  rows: Rows,
  random: Random,
  { subject, subscribers }: Told,
  events: readonly MessageEvent[],
  nowMs: number,
  before: Status | null = null,
): Promise<string[]> {
  const owed: NewEvent[] = [];
  for (const { id: webhookId, types } of subscribers) {
    let previousStatus = before;
    for (const { event, status } of events) {
      const type = TYPE[event];
      const fields = event === 'status' ? { status, previousStatus, statusAt: nowMs } : { status };
      previousStatus = status;
      if (!types.includes(type)) continue;
      const eventId = v4({ random: random(16) });
      owed.push({ eventId, webhookId, type, body: bodyOf(eventId, type, subject, fields, nowMs) });
    }
  }
  await pipelined(...owed.map((event) => insertEvent(rows, event, nowMs)));
  return [...new Set(owed.map(({ webhookId }) => webhookId))];
}

interface StatusFields {
  readonly status: Status;
  readonly previousStatus?: Status | null;
  readonly statusAt?: number;
}

function bodyOf(id: string, type: EventType, subject: Subject, { status, previousStatus, statusAt }: StatusFields, nowMs: number): string {
  const { accountRegNo, integrationId, direction, head, createdAt, updatedAt } = subject;
  const event: WebhookEvent = {
    id,
    type,
    timestamp: isoTime(nowMs),
    accountRegNo,
    data: {
      integrationId,
      documentType: head.family,
      documentId: head.documentId,
      direction,
      status,
      ...(previousStatus && { previousStatus }),
      ...(statusAt !== undefined && { statusAt: isoTime(statusAt) }),
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
      href: transactionPath(accountRegNo, familyNamed(head.family), direction, 'list', { integrationId }),
    },
  };
  return JSON.stringify(event);
}
