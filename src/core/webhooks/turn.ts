// One turn of a subscription: tries to deliver the events that are due, on as many connections as its receiver needs.

import { type Due, selectDueAtMost } from '#core/ledger/webhook-events.ts';
import type { WebhookRow } from '#core/ledger/webhooks.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import { type AttemptParts, attemptDelivery, type Outcome } from './attempt.ts';
import { type SettleParts, settle } from './settle.ts';

/** Tries at once for one receiver; a receiver whose last turn failed gets a single try first. */
const AT_ONCE_MAX = 8;
/** Tries of one turn for a receiver whose last delivery succeeded; for others as many as are made at once. */
const TRIES_MAX = 32;
const dueOfFailing = selectDueAtMost(AT_ONCE_MAX);
const dueOfWorking = selectDueAtMost(TRIES_MAX);
/** A receiver that responds faster is served on one connection: another would cost more than it gains. A slower one gets more. */
const QUICK_MS = 40;
/** Writes at once about failed tries: a thousand of them would delay all other writes. */
const FAILED_WRITES_MAX = 16;

interface TurnParts extends SettleParts {
  readonly attempt: AttemptParts;
}

type Attempt = (event: Due) => Promise<Outcome>;

export class DeliveryTurns {
  readonly #parts: TurnParts;
  /** Subscriptions whose last turn was a success. */
  readonly #proven = new Set<string>();
  readonly #failedWrites = new Semaphore(FAILED_WRITES_MAX);
  #begun: Promise<void> = Promise.resolve();

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /** Tries the events that are due at `nowMs`, and stores the outcomes. */
  async take(webhook: WebhookRow, nowMs: number): Promise<void> {
    const { id } = webhook;
    const fails = webhook.failing_since !== null;
    const events = await (fails ? dueOfFailing : dueOfWorking)(this.#parts.ledger.read, id, nowMs);
    const stored: Promise<void>[] = [];
    const attempt: Attempt = async (event) => {
      const outcome = await attemptDelivery(this.#parts.attempt, webhook, event);
      const store = () => settle(this.#parts, webhook, event, outcome, nowMs);
      const storing = outcome.kind === 'delivered' ? store() : this.#failedWrites.run(store);
      storing.catch(() => undefined);
      stored.push(storing);
      return outcome;
    };
    const isProven = this.#proven.has(id) || (await this.#probe(events, attempt, fails));
    if (isProven && (await this.#attemptAll(events, attempt, fails ? AT_ONCE_MAX : 1))) this.#proven.add(id);
    else this.#proven.delete(id);
    await Promise.all(stored);
  }

  /** One try alone; whether others make sense after it. */
  async #probe(events: Due[], attempt: Attempt, fails: boolean): Promise<boolean> {
    const event = events.shift();
    if (!event) return false;
    // Connections to receivers that may fail begin one after the other, each in a turn of the event loop of its own.
    this.#begun = this.#begun.then(() => new Promise((turn) => setImmediate(turn)));
    await this.#begun;
    const outcome = await attempt(event);
    if (outcome.kind !== 'failed') return outcome.kind === 'delivered';
    return fails && !outcome.unreachable && outcome.pausedUntil === null;
  }

  /** Tries on so many connections, one event after the other on each, until a try fails; whether none did. */
  async #attemptAll(events: Due[], attempt: Attempt, connections: number): Promise<boolean> {
    const { clock } = this.#parts;
    const running: Promise<void>[] = [];
    let allDelivered = true;
    const begin = (): void => {
      if (running.length < AT_ONCE_MAX && events.length > 0) running.push(work());
    };
    async function work(): Promise<void> {
      while (allDelivered) {
        const event = events.shift();
        if (!event) return;
        using _another = clock.after(QUICK_MS, begin);
        if ((await attempt(event)).kind !== 'delivered') allDelivered = false;
      }
    }
    for (let at = 0; at < connections; at++) begin();
    // More may begin meanwhile.
    for (const each of running) await each;
    return allDelivered;
  }
}
