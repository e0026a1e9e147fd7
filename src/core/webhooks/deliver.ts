// Delivering: a subscription is rung for, and gets a turn. Receivers that fail or stall have a lane of their own, so that they hold up
// nobody else.

import { nextDueAt, selectWaiting, selectWebhooksDue } from '#core/ledger/webhook-events.ts';
import { type WebhookRow, webhookWithId } from '#core/ledger/webhooks.ts';
import type { Outbound } from '#core/outbound/outbound.ts';
import type { Queue } from '#engines/queue.ts';
import { every } from '#runtime/clock.ts';
import type { Seal } from '#runtime/seal.ts';
import { openBearers } from './oauth.ts';
import { buryEvents, type SettleParts } from './settle.ts';
import { openTurns } from './turn.ts';

/** Turns at once of receivers that do well. */
const TURNS_MAX = 256;
/** One that stalls leaves its place to others after so long, and goes on beside them, unless too many do so already. */
const PATIENCE_MS = 250;
const STALLED_MAX = 2_048;
/** Turns at once of receivers that failed the last time. */
const SLOW_TURNS_MAX = 128;
const SWEEP_EVERY_MS = 10_000;

export interface DeliverParts extends SettleParts {
  readonly queue: Queue;
  readonly seal: Seal;
  readonly outbound: Pick<Outbound, 'request'>;
}

export interface Deliverer {
  /** Cuts the tries that run; the next start takes them up. */
  close(): Promise<void>;
}

/** Answers the bell for subscriptions, and rings it for all that are owed something. */
export async function startDelivering(parts: DeliverParts): Promise<Deliverer> {
  const { ledger, clock, log, queue, outbound } = parts;
  const closing = new AbortController();
  const attempt = { ...parts, bearers: openBearers(outbound, clock), signal: closing.signal };
  const tryDue = openTurns({ ...parts, attempt });
  const turns = new Map<string, Promise<void>>();
  /** Subscriptions that rang during their own turn. */
  const rang = new Set<string>();
  let stalled = 0;

  async function answer(id: string): Promise<void> {
    const webhook = await webhookWithId(ledger.read, id);
    if (webhook?.enabled === 1 && webhook.failing_since !== null) queue.ring('webhook-slow', id);
    else await patiently(takeTurn(id));
  }

  /** One turn at a time for each subscription. */
  function takeTurn(id: string): Promise<void> {
    if (closing.signal.aborted) return Promise.resolve();
    if (turns.has(id)) {
      rang.add(id);
      return Promise.resolve();
    }
    const turn = deliverDue(id)
      .catch((error: unknown) => log.error({ event: 'webhook.turn-failed', webhook: id, err: error }))
      .finally(() => {
        turns.delete(id);
        if (rang.delete(id)) queue.ring('webhook', id);
      });
    turns.set(id, turn);
    return turn;
  }

  async function deliverDue(id: string): Promise<void> {
    const webhook = await webhookWithId(ledger.read, id);
    const now = clock.now();
    if (webhook?.enabled === 1 && (webhook.paused_until ?? 0) <= now) await tryDue(webhook, now);
    await plan(id);
  }

  /** When something is due for the subscription; never, when nothing waits. */
  async function dueAt({ id, paused_until: pausedUntil }: WebhookRow): Promise<number> {
    return Math.max((await nextDueAt(ledger.read, id)) ?? Number.POSITIVE_INFINITY, pausedUntil ?? 0);
  }

  /** Rings when something is due next; nothing ever is for a subscription that is disabled. */
  async function plan(id: string): Promise<void> {
    const webhook = await webhookWithId(ledger.read, id);
    if (!webhook) return;
    if (webhook.enabled !== 1) return buryEvents(parts, id);
    const atMs = await dueAt(webhook);
    if (Number.isFinite(atMs)) queue.ring('webhook', id, atMs);
  }

  async function patiently(turn: Promise<void>): Promise<void> {
    const { promise: tooLong, resolve } = Promise.withResolvers<'stalled'>();
    using _timer = clock.after(PATIENCE_MS, () => resolve('stalled'));
    if ((await Promise.race([turn, tooLong])) !== 'stalled') return;
    if (stalled >= STALLED_MAX) return turn;
    stalled++;
    void turn.finally(() => stalled--);
  }

  async function sweep(): Promise<void> {
    for (const id of await selectWebhooksDue(ledger.read, clock.now())) queue.ring('webhook', id);
  }

  queue.answer('webhook', TURNS_MAX, answer);
  queue.answer('webhook-slow', SLOW_TURNS_MAX, takeTurn);
  for (const { webhookId, dueAt } of await selectWaiting(ledger.read)) queue.ring('webhook', webhookId, dueAt);
  const timer = every(clock, SWEEP_EVERY_MS, sweep, (error) => log.error({ event: 'webhook.sweep-failed', err: error }));
  return {
    async close() {
      timer[Symbol.dispose]();
      closing.abort();
      await Promise.all(turns.values());
    },
  };
}
