// One turn of a subscription: what is due for it is tried, on as many connections as its receiver needs.

import { type Due, selectDueAtMost } from '#core/ledger/webhook-events.ts';
import type { WebhookRow } from '#core/ledger/webhooks.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import { type AttemptParts, attemptDelivery, type Outcome } from './attempt.ts';
import { type SettleParts, settle } from './settle.ts';

/** Tries at once for one receiver; one that has not proved itself gets a single one first. */
const AT_ONCE_MAX = 8;
/** Tries of one turn for a receiver that does well; for one that failed the last time, as many as are made at once. */
const TRIES_MAX = 32;
const dueOfFailing = selectDueAtMost(AT_ONCE_MAX);
const dueOfWell = selectDueAtMost(TRIES_MAX);
/** A receiver that answers faster is served on one connection: another would cost more than it brings. One that does not gets more. */
const QUICK_MS = 40;
/** Writes about receivers that fail: a thousand of them at once would hold up everybody else's. */
const WRITES_ASIDE_MAX = 16;

export interface TurnParts extends SettleParts {
  readonly attempt: AttemptParts;
}

/** Tries what is due at `nowMs`, and stores what came of it. */
export type TakeTurn = (webhook: WebhookRow, nowMs: number) => Promise<void>;

export function openTurns(parts: TurnParts): TakeTurn {
  const { ledger, clock } = parts;
  /** Subscriptions whose last turn was a success. */
  const proven = new Set<string>();
  const aside = new Semaphore(WRITES_ASIDE_MAX);
  let begun: Promise<void> = Promise.resolve();

  /** Connections to receivers that may fail begin one after the other, and let the event loop do others' work in between. */
  function inTurn(): Promise<void> {
    begun = begun.then(() => new Promise((turn) => setImmediate(turn)));
    return begun;
  }

  return async (webhook, nowMs) => {
    const { id } = webhook;
    const fails = webhook.failing_since !== null;
    const events = await (fails ? dueOfFailing : dueOfWell)(ledger.read, id, nowMs);
    const stored: Promise<void>[] = [];

    async function attempt(event: Due): Promise<Outcome> {
      const outcome = await attemptDelivery(parts.attempt, webhook, event);
      const store = () => settle(parts, webhook, event, outcome, nowMs);
      const storing = outcome.kind === 'delivered' ? store() : aside.run(store);
      storing.catch(() => undefined);
      stored.push(storing);
      return outcome;
    }

    /** One try alone: whether there is any sense in others. */
    async function probe(): Promise<boolean> {
      const event = events.shift();
      if (!event) return false;
      await inTurn();
      const outcome = await attempt(event);
      if (outcome.kind !== 'failed') return outcome.kind === 'delivered';
      return fails && !outcome.unreachable && outcome.pausedUntil === null;
    }

    /** Tries on so many ways at once, one after the other on each, until one fails; whether none did. */
    async function attemptAll(ways: number): Promise<boolean> {
      const running: Promise<void>[] = [];
      let well = true;
      const begin = (): void => {
        if (running.length < AT_ONCE_MAX && events.length > 0) running.push(way());
      };
      async function way(): Promise<void> {
        while (well) {
          const event = events.shift();
          if (!event) return;
          using _another = clock.after(QUICK_MS, begin);
          if ((await attempt(event)).kind !== 'delivered') well = false;
        }
      }
      for (let at = 0; at < ways; at++) begin();
      // More may begin meanwhile.
      for (const each of running) await each;
      return well;
    }

    const isProven = proven.has(id) || (await probe());
    if (isProven && (await attemptAll(fails ? AT_ONCE_MAX : 1))) proven.add(id);
    else proven.delete(id);
    await Promise.all(stored);
  };
}
