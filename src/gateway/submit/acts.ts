// What becomes of an item by the answer to an attempt: one table (submit-and-poll.md, step 7).
import type { Receiver } from '#contract/addresses.ts';
import { isoTime } from '#domain/day.ts';
import type { Random } from '#domain/id.ts';
import {
  ALARM_AFTER_MS,
  DELAYED_AFTER_MS,
  IN_FLIGHT_TRIES,
  IN_FLIGHT_WAITS_MS,
  jittered,
  LOOKUP_WAITS_MS,
  UNKNOWN_TOTAL_MS,
  UNKNOWN_WAITS_MS,
  waitAfter,
} from '#domain/retry.ts';
import type { Queue } from '#engines/queue.ts';
import { type AttemptOutcome, deleteAttempt, noteAttempt } from '#gateway/ledger/attempts.ts';
import { prolongSilence, putPause } from '#gateway/ledger/circuit-breaker.ts';
import { postponeItem } from '#gateway/ledger/item-waits.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { scopesOf } from '#gateway/ledger/scopes.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import { accepted, delayed, givenUp, lookingUp, noReceiver, refused, unlinked, unreachable } from '#gateway/model/receipt-sentences.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import type { Document } from '#gateway/reader/verdict.ts';
import type { Budget } from '#gateway/service/budget.ts';
import type { Receivers } from '#gateway/service/receivers.ts';
import type { Reservation } from '#gateway/service/reservation.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Go } from './admit.ts';
import { type CircuitBreaker, circuitOf } from './circuit-breaker.ts';
import { countOf, GAP_MS_MAX, silenceIn } from './history.ts';
import type { Decided } from './response.ts';

const BUDGET_SPENT = 'the request budget is spent';

export interface ActParts {
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly budget: Budget;
  readonly finisher: Finisher;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly accounts: Pick<Accounts, 'find' | 'addressesOf'>;
  readonly receivers: Receivers;
  /** After a 401: true when there is something else to prove it with. */
  readonly renewKey: (accountRegNo: string) => Promise<boolean>;
  readonly breaker: CircuitBreaker;
  /** Items that had too little set aside to look at all that the service has, and what they have found to be for others. */
  readonly short: Map<string, Set<string>>;
}

export interface Attempt extends Omit<Go, 'kind'>, Document {
  readonly item: Item;
  readonly head: ItemHead;
  /** The caller has set it aside, and gives it back. */
  readonly reservation: Reservation;
  readonly others: Set<string>;
  /** With what the account proved itself when the attempt began. */
  readonly proof: string | undefined;
}

type Acts = {
  [Kind in Decided['kind']]: (parts: ActParts, attempt: Attempt, response: Extract<Decided, { kind: Kind }>) => Promise<Outcome | null>;
};

const ACTS: Acts = {
  accepted: async (_, { head }, { integrationId, warnings }) => accepted(head, integrationId, warnings),

  refused: async ({ accounts }, { item, head }, { error }) => refused(error, head, accounts.addressesOf(item.accountRegNo)),

  unlinked: async (_, { item }) => unlinked(item.accountRegNo),

  async 'no-receiver'(parts, attempt, { error }) {
    const tries = countOf(attempt.before, 'no-receiver') + 1;
    if (tries > LOOKUP_WAITS_MS.length) return noReceiver(attempt.head, error);
    const absent = await certainlyAbsent(parts, attempt);
    if (absent) return unreachable(attempt.head, absent, error);
    await parts.finisher.notify(attempt.item, lookingUp(attempt.head, error));
    return later(parts, attempt, { waitMs: waitAfter(LOOKUP_WAITS_MS, tries), outcome: 'no-receiver', reason: error.data });
  },

  async 'in-flight'(parts, attempt) {
    const tries = countOf(attempt.before, 'in-flight') + 1;
    const reason = 'the service is still working on it';
    if (tries > IN_FLIGHT_TRIES) return act(parts, attempt, { kind: 'unknown', reason, posted: true });
    return later(parts, attempt, { waitMs: waitAfter(IN_FLIGHT_WAITS_MS, tries), outcome: 'in-flight', reason });
  },

  async wait(parts, attempt, { waitMs }) {
    parts.budget.exhausted(attempt.item.accountRegNo, waitMs);
    return later(parts, attempt, { waitMs, outcome: 'none', reason: BUDGET_SPENT });
  },

  async short(parts, attempt, { waitMs }) {
    parts.short.set(attempt.item.item, attempt.others);
    return later(parts, attempt, { waitMs, outcome: 'none', reason: BUDGET_SPENT });
  },

  async pause(parts, attempt, { scope, waitMs, reason, believed }) {
    const { item, head, before } = attempt;
    if (scope === 'account' && (await isRenewed(parts, attempt))) {
      return later(parts, attempt, { waitMs: 0, outcome: 'key-renewed', reason });
    }
    const family = scope === 'family' ? head.family : null;
    const now = parts.clock.now();
    if (!believed && silenceIn(before, now).lastsMs > UNKNOWN_TOTAL_MS) return givenUp(reason);
    // Others came through since it met this: then a proxy objects to this document only.
    const isItsOwn = !believed && parts.breaker.hasAcceptedSince(circuitOf(item, head), before.tries.at(-1)?.at ?? now);
    if (isItsOwn) return later(parts, attempt, { waitMs: 2 * waitMs, outcome: null, reason });
    let begins = false;
    // In one write: with the next key all of it ends together.
    const beside = async (rows: Rows): Promise<void> => {
      begins = await putPause(rows, item.accountRegNo, family, { now, until: now + waitMs, reason });
    };
    if (believed) await later(parts, attempt, { waitMs, outcome: 'paused', reason, beside });
    // A proxy may object to this document only, so after the pause the others go first.
    else await later(parts, attempt, { waitMs: 2 * waitMs, outcome: null, reason, beside });
    if (begins) parts.log.error({ event: 'submit.paused', accountRegNo: item.accountRegNo, family, item: item.item, reason });
    return null;
  },

  async unknown(parts, attempt, { reason, posted }) {
    const { breaker, clock, finisher, log } = parts;
    const { item, head, number } = attempt;
    const now = clock.now();
    const failed = { ...item, family: head.family, number, now, gapMsMax: GAP_MS_MAX };
    const hereMs = await parts.ledger.write(scopesOf(item), (rows) => prolongSilence(rows, failed));
    const { tries, lastsMs } = silenceIn(attempt.before, now, hereMs);
    if (lastsMs > UNKNOWN_TOTAL_MS) return givenUp(reason);
    if (lastsMs > DELAYED_AFTER_MS) await finisher.notify(item, delayed(reason));
    const circuit = circuitOf(item, head);
    if (lastsMs > ALARM_AFTER_MS && breaker.raisesAlarm(circuit)) {
      log.error({ event: 'submit.silent', accountRegNo: item.accountRegNo, family: head.family, item: item.item, reason });
    }
    await later(parts, attempt, { waitMs: waitAfter(UNKNOWN_WAITS_MS, tries + 1), outcome: posted ? null : 'unseen', reason });
    breaker.failed(circuit, item.item);
    return null;
  },
};

/** Does what the answer asks for. Resolves with the outcome that ends the item, or null when it stays pending. */
export function act<Kind extends Decided['kind']>(
  parts: ActParts,
  attempt: Attempt,
  response: Extract<Decided, { kind: Kind }>,
): Promise<Outcome | null> {
  const kind: Kind = response.kind;
  return ACTS[kind](parts, attempt, response);
}

interface Later {
  readonly waitMs: number;
  /** What is known of this attempt; `none`: it was none. */
  readonly outcome: AttemptOutcome | 'none';
  readonly reason: string;
  /** Written with it. */
  readonly beside?: (rows: Rows) => Promise<void>;
}

/** The item stays pending. */
async function later(parts: ActParts, { item, number }: Attempt, { waitMs, outcome, reason, beside }: Later): Promise<null> {
  const now = parts.clock.now();
  const until = now + jittered(waitMs, parts.random);
  await parts.ledger.write(scopesOf(item), async (rows) => {
    if (outcome === 'none') await deleteAttempt(rows, item.item, number);
    else await noteAttempt(rows, item.item, number, outcome, now);
    await postponeItem(rows, item.item, { now, until, reason });
    await beside?.(rows);
  });
  parts.log.warn({
    event: 'submit.postponed',
    item: item.item,
    accountRegNo: item.accountRegNo,
    attempt: number,
    at: isoTime(until),
    reason,
  });
  parts.queue.ring('submit', item.item, until);
  return null;
}

/** What the service says of a receiver that certainly cannot receive, where the account wants to be told at once; null otherwise. */
async function certainlyAbsent({ accounts, receivers }: ActParts, { item, head }: Attempt): Promise<Receiver | null> {
  if (accounts.find(item.accountRegNo)?.unreachable !== 'at-once') return null;
  const answer = await receivers.ask(item.accountRegNo, head.receiver);
  return answer.kind === 'told' && answer.receiver.canReceive === 'no' ? answer.receiver : null;
}

/** The key is read again: there is another one, or once another token to be had, and the request may have gone with the old one. */
async function isRenewed({ accounts, renewKey }: ActParts, { item: { accountRegNo }, before, proof }: Attempt): Promise<boolean> {
  const isToTry = await renewKey(accountRegNo);
  return accounts.find(accountRegNo)?.access.key !== proof || (isToTry && before.tries.at(-1)?.outcome !== 'key-renewed');
}
