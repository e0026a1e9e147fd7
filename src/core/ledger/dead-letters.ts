// Rows about dead letters: events that were given up.
import type { Rows } from './schema.ts';

export interface DeadLetter {
  readonly eventId: string;
  readonly webhookId: string;
  readonly accountRegNo: string;
  readonly type: string;
  readonly createdAt: number;
  readonly deadAt: number;
  readonly attempts: number;
  /** The outcome of the last try. */
  readonly reason: string;
}

/** The latest first; of one subscription, or of all. */
export async function selectDead(rows: Rows, webhookId: string | null, limit: number): Promise<DeadLetter[]> {
  const dead = rows
    .selectFrom('webhook_events as event')
    .innerJoin('webhooks', 'webhooks.id', 'event.webhook_id')
    .select([
      'event.event_id as eventId',
      'webhooks.id as webhookId',
      'webhooks.account_reg_no as accountRegNo',
      'event.type',
      'event.created_at as createdAt',
      'event.dead_at as deadAt',
      'event.attempts',
      'event.last_reason as reason',
    ])
    .where('event.dead_at', 'is not', null)
    .orderBy('event.dead_at', 'desc')
    .orderBy('event.sequence', 'desc')
    .limit(limit);
  const found = await (webhookId === null ? dead : dead.where('webhooks.id', '=', webhookId)).execute();
  return found.map(({ deadAt, reason, ...each }) => ({ ...each, deadAt: deadAt ?? 0, reason: reason ?? '' }));
}

/** Lets dead letters wait again, from their first try on. Returns them. */
export async function reviveDead(
  rows: Rows,
  chosen: { readonly eventIds: readonly string[] } | { readonly webhookId: string },
  nowMs: number,
): Promise<Pick<DeadLetter, 'eventId' | 'webhookId'>[]> {
  const revived = rows
    .updateTable('webhook_events')
    .set({ attempts: 0, next_attempt_at: nowMs, dead_at: null })
    .where('dead_at', 'is not', null);
  const query =
    'webhookId' in chosen ? revived.where('webhook_id', '=', chosen.webhookId) : revived.where('event_id', 'in', [...chosen.eventIds]);
  return query.returning(['event_id as eventId', 'webhook_id as webhookId']).execute();
}

/** Forgets dead letters older than `beforeMs`. */
export async function deleteDead(rows: Rows, beforeMs: number): Promise<void> {
  await rows.deleteFrom('webhook_events').where('dead_at', '<', beforeMs).execute();
}

export interface EventCounts {
  readonly waiting: number;
  readonly dead: number;
}

/** How many events each subscription, or each of these, is owed, and how many were given up. */
export async function countEvents(rows: Rows, ids?: readonly string[]): Promise<(EventCounts & { readonly webhookId: string })[]> {
  if (ids?.length === 0) return [];
  const all = rows
    .selectFrom('webhook_events')
    .select((row) => ['webhook_id as webhookId', row.fn.count('next_attempt_at').as('waiting'), row.fn.count('dead_at').as('dead')])
    .groupBy('webhook_id');
  const found = await (ids ? all.where('webhook_id', 'in', ids) : all).execute();
  return found.map(({ webhookId, waiting, dead }) => ({ webhookId, waiting: Number(waiting), dead: Number(dead) }));
}
