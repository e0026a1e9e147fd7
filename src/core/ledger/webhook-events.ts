// Rows about events that are owed to webhooks:
//
//   waiting ──→ (no row)    delivered
//           ├─→ waiting     a try failed, and the next one comes later
//           └─→ dead        given up, or the subscription was disabled
//   dead ─────→ waiting     an operator replays it
//
// A try changes no row before it has ended: a try that a stop cuts is made again, under the same id.
import type { Selectable } from 'kysely';
import type { EventType } from '#domain/event.ts';
import { prepared, preparedChange } from '#engines/prepared.ts';
import type { Rows, Tables } from './schema.ts';

type EventRow = Readonly<Selectable<Tables['webhook_events']>>;

export interface NewEvent {
  readonly eventId: string;
  readonly webhookId: string;
  readonly type: EventType;
  readonly body: string;
}

const newEvent = preparedChange((rows: Rows, slot) =>
  rows.insertInto('webhook_events').values({
    event_id: slot<string>('eventId'),
    webhook_id: slot<string>('webhookId'),
    type: slot<string>('type'),
    body: slot<string>('body'),
    created_at: slot<number>('nowMs'),
    attempts: 0,
    next_attempt_at: slot<number>('nowMs'),
  }),
);

export async function insertEvent(rows: Rows, event: NewEvent, nowMs: number): Promise<void> {
  await newEvent(rows, { ...event, nowMs });
}

/** An event that is due. */
export type Due = Pick<EventRow, 'sequence' | 'event_id' | 'type' | 'body' | 'attempts'>;

/** What is due for a subscription at a time, the most overdue first. */
type SelectDue = (rows: Rows, webhookId: string, nowMs: number) => Promise<Due[]>;

/** A query for each number of events that is asked for. */
export function selectDueAtMost(limit: number): SelectDue {
  const due = prepared((rows: Rows, slot) =>
    rows
      .selectFrom('webhook_events')
      .select(['sequence', 'event_id', 'type', 'body', 'attempts'])
      .where('webhook_id', '=', slot<string>('webhookId'))
      .where('next_attempt_at', '<=', slot<number>('nowMs'))
      .orderBy('next_attempt_at')
      .orderBy('sequence')
      .limit(limit),
  );
  return (rows, webhookId, nowMs) => due(rows, { webhookId, nowMs });
}

const delivered = preparedChange((rows: Rows, slot) => rows.deleteFrom('webhook_events').where('sequence', '=', slot<number>('sequence')));

/** Removes a delivered event, also when its row has changed meanwhile. */
export async function settleDelivered(rows: Rows, { sequence }: Pick<Due, 'sequence'>): Promise<void> {
  await delivered(rows, { sequence });
}

const failed = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('webhook_events')
    .set((row) => ({
      attempts: row('attempts', '+', 1),
      next_attempt_at: slot<number | null>('atMs'),
      last_reason: slot<string>('reason'),
      dead_at: slot<number | null>('deadAt'),
    }))
    .where('sequence', '=', slot<number>('sequence'))
    .where('attempts', '=', slot<number>('attempts'))
    .where('next_attempt_at', 'is not', null),
);

/** A try failed, and the next is made at `atMs`; null gives the event up. False when another try was counted meanwhile, or it was given up. */
export async function settleFailed(
  rows: Rows,
  { sequence, attempts }: Pick<Due, 'sequence' | 'attempts'>,
  reason: string,
  atMs: number | null,
  nowMs: number,
): Promise<boolean> {
  return (await failed(rows, { sequence, attempts, reason, atMs, deadAt: atMs === null ? nowMs : null })) > 0;
}

/** Gives up events that wait for a subscription, at most `limit`; returns how many. */
export async function buryWaiting(rows: Rows, webhookId: string, reason: string, limit: number, nowMs: number): Promise<number> {
  const { numUpdatedRows } = await rows
    .updateTable('webhook_events')
    .set({ next_attempt_at: null, last_reason: reason, dead_at: nowMs })
    .where('sequence', 'in', (query) =>
      query
        .selectFrom('webhook_events')
        .select('sequence')
        .where('webhook_id', '=', webhookId)
        .where('next_attempt_at', 'is not', null)
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

const nextDue = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('webhook_events')
    .select('next_attempt_at')
    .where('webhook_id', '=', slot<string>('webhookId'))
    .where('next_attempt_at', 'is not', null)
    .orderBy('next_attempt_at')
    .limit(1),
);

/** When the next event of a subscription is due; undefined when none waits. */
export async function nextDueAt(rows: Rows, webhookId: string): Promise<number | undefined> {
  const [row] = await nextDue(rows, { webhookId });
  return row?.next_attempt_at ?? undefined;
}

/** Subscriptions with an event that is due at `nowMs`: one index look-up for each subscription. */
export async function selectWebhooksDue(rows: Rows, nowMs: number): Promise<string[]> {
  const found = await rows
    .selectFrom('webhooks')
    .select('id')
    .where((where) =>
      where.exists(
        where
          .selectFrom('webhook_events')
          .select('sequence')
          .whereRef('webhook_events.webhook_id', '=', 'webhooks.id')
          .where('next_attempt_at', '<=', nowMs),
      ),
    )
    .execute();
  return found.map(({ id }) => id);
}

/** Every subscription with waiting events, and when the first is due. */
export async function selectWaiting(rows: Rows): Promise<{ webhookId: string; dueAt: number }[]> {
  const found = await rows
    .selectFrom('webhook_events')
    .select((row) => ['webhook_id', row.fn.min('next_attempt_at').as('due_at')])
    .where('next_attempt_at', 'is not', null)
    .groupBy('webhook_id')
    .execute();
  return found.map(({ webhook_id: webhookId, due_at: dueAt }) => ({ webhookId, dueAt: Number(dueAt) }));
}

/** Waiting ones and dead letters of a subscription: some of those behind this one, in the order in which they came. */
export function selectEventsAfter(rows: Rows, webhookId: string, sequence: number, limit: number): Promise<EventRow[]> {
  const events = rows.selectFrom('webhook_events').selectAll().where('webhook_id', '=', webhookId).where('sequence', '>', sequence);
  return events.orderBy('sequence').limit(limit).execute();
}
