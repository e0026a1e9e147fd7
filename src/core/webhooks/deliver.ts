// Delivers events: each ring gives a subscription a turn. Receivers that failed the last time take turns in a queue of their own, and a turn
// that stalls leaves its place, so that neither delays other receivers.

import { nextDueAt, selectWaiting, selectWebhooksDue } from '#core/ledger/webhook-events.ts';
import { freeWebhook, holdWebhook, webhookWithId } from '#core/ledger/webhooks.ts';
import { holdFor } from '#core/model/hold.ts';
import { startSweeping } from '#core/model/owed.ts';
import type { Queue } from '#engines/queue.ts';
import type { Outbound } from '#runtime/outbound/outbound.ts';
import type { Seal } from '#runtime/seal.ts';
import { openBearers } from './oauth.ts';
import { buryEvents, type SettleParts } from './settle.ts';
import { DeliveryTurns } from './turn.ts';

/** Turns at once of receivers whose last delivery succeeded. */
const TURNS_MAX = 256;
/** A stalled turn leaves its place to others after so long, and goes on beside them, unless too many do so already. */
const PATIENCE_MS = 250;
const STALLED_MAX = 2_048;
/** Turns at once of receivers that failed the last time. */
const SLOW_TURNS_MAX = 128;
/** Longer than any turn takes. */
const HELD_MS = 10 * 60_000;

interface DeliverParts extends SettleParts {
  readonly queue: Queue;
  readonly seal: Seal;
  readonly outbound: Pick<Outbound, 'request'>;
  /** Of this core. */
  readonly incarnation: string;
  /** No other core delivers beside it. */
  readonly isAlone: boolean;
}

/** Answers the bell for subscriptions, and rings it for all that are owed events. */
export async function startDelivering(parts: DeliverParts): Promise<Deliverer> {
  const deliverer = new Deliverer(parts);
  await deliverer.start();
  return deliverer;
}

class Deliverer {
  readonly #parts: DeliverParts;
  readonly #closing = new AbortController();
  readonly #turns: DeliveryTurns;
  readonly #running = new Map<string, Promise<void>>();
  /** Subscriptions that rang during their own turn. */
  readonly #rang = new Set<string>();
  #stalled = 0;
  #sweeping: Disposable | null = null;

  constructor(parts: DeliverParts) {
    const { outbound, clock } = parts;
    this.#parts = parts;
    this.#turns = new DeliveryTurns({
      ...parts,
      attempt: { ...parts, bearers: openBearers(outbound, clock), signal: this.#closing.signal },
    });
  }

  async start(): Promise<void> {
    const { ledger, clock, queue } = this.#parts;
    queue.answer('webhook', TURNS_MAX, (id) => this.#answer(id));
    queue.answer('webhook-slow', SLOW_TURNS_MAX, (id) => this.#takeTurn(id));
    for (const { webhookId, dueAt } of await selectWaiting(ledger.read)) queue.ring('webhook', webhookId, dueAt);
    this.#sweeping = await startSweeping(this.#parts, 'webhook', () => selectWebhooksDue(ledger.read, clock.now()));
  }

  /** Cuts the tries that run; the next start takes them up. */
  async close(): Promise<void> {
    this.#sweeping?.[Symbol.dispose]();
    this.#closing.abort();
    await Promise.all(this.#running.values());
  }

  async #answer(id: string): Promise<void> {
    const webhook = await webhookWithId(this.#parts.ledger.read, id);
    if (webhook?.enabled === 1 && webhook.failing_since !== null) this.#parts.queue.ring('webhook-slow', id);
    else await this.#patiently(this.#takeTurn(id));
  }

  /** One turn at a time for each subscription. */
  #takeTurn(id: string): Promise<void> {
    if (this.#closing.signal.aborted) return Promise.resolve();
    if (this.#running.has(id)) {
      this.#rang.add(id);
      return Promise.resolve();
    }
    const { log, queue } = this.#parts;
    const turn = this.#deliverDue(id)
      .catch((error: unknown) => log.error({ event: 'webhook.turn-failed', webhook: id, err: error }))
      .finally(() => {
        this.#running.delete(id);
        if (this.#rang.delete(id)) queue.ring('webhook', id);
      });
    this.#running.set(id, turn);
    return turn;
  }

  /** Not while it is another core's turn, which sees at its end what has come meanwhile. */
  async #deliverDue(id: string): Promise<void> {
    const { ledger, incarnation, isAlone } = this.#parts;
    const hold = holdFor(this.#parts, HELD_MS);
    if (!isAlone && !(await ledger.write([], (rows) => holdWebhook(rows, id, hold)))) return;
    try {
      await this.#tryDue(id);
    } finally {
      if (!isAlone) await ledger.write([], (rows) => freeWebhook(rows, id, incarnation));
    }
    await this.#plan(id);
  }

  async #tryDue(id: string): Promise<void> {
    const { ledger, clock } = this.#parts;
    const webhook = await webhookWithId(ledger.read, id);
    const now = clock.now();
    if (webhook?.enabled === 1 && (webhook.paused_until ?? 0) <= now) await this.#turns.take(webhook, now);
  }

  /** Rings when the next event is due; gives up the events of a disabled subscription. */
  async #plan(id: string): Promise<void> {
    const { ledger, queue } = this.#parts;
    const webhook = await webhookWithId(ledger.read, id);
    if (!webhook) return;
    if (webhook.enabled !== 1) return buryEvents(this.#parts, id);
    const dueAt = await nextDueAt(ledger.read, id);
    if (dueAt !== undefined) queue.ring('webhook', id, Math.max(dueAt, webhook.paused_until ?? 0));
  }

  async #patiently(turn: Promise<void>): Promise<void> {
    const { promise: tooLong, resolve } = Promise.withResolvers<'stalled'>();
    using _timer = this.#parts.clock.after(PATIENCE_MS, () => resolve('stalled'));
    if ((await Promise.race([turn, tooLong])) !== 'stalled') return;
    if (this.#stalled >= STALLED_MAX) return turn;
    this.#stalled++;
    void turn.finally(() => this.#stalled--);
  }
}
