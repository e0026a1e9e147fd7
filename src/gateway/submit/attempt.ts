// One attempt to bring an item to the service: look before posting where that is due, post, and act on the answer
// (submit-and-poll.md, steps 5 to 7). Resolves with the outcome that ends the item, or null when it stays pending.

import type { Notation } from '#contract/headers.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed, isFamilyName } from '#domain/family.ts';
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
import { postponeItem, readLatestAccepted } from '#gateway/ledger/items.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { scopesOf } from '#gateway/ledger/scopes.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { AcceptedVersion, Item, ItemHead } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import {
  accepted,
  adopted,
  conflicting,
  delayed,
  givenUp,
  lookingUp,
  noReceiver,
  refused,
  stillThere,
  unlinked,
} from '#gateway/model/receipt-sentences.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import type { Budget } from '#gateway/service/budget.ts';
import type { CoreClient } from '#gateway/service/core-client.ts';
import type { Reservation } from '#gateway/service/reservation.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Go } from './admit.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { compareExisting, type Existing, findExisting, type LookParts } from './find-existing.ts';
import { countOf, GAP_MS_MAX, mustLook, silenceIn } from './history.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { classify, classOfError, type ResponseClass } from './response.ts';

const BUDGET_SPENT = 'the request budget is spent';

export interface AttemptParts extends LookParts {
  readonly environment: string;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly client: CoreClient;
  readonly budget: Budget;
  readonly finisher: Finisher;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly accounts: Pick<Accounts, 'find'>;
  /** After a 401: true when there is something else to prove it with. */
  readonly renewKey: (accountRegNo: string) => Promise<boolean>;
  readonly breaker: CircuitBreaker;
  /** Items that had too little set aside to look at all that the service has, and what they have found to be for others. */
  readonly short: Map<string, Set<string>>;
}

export interface Attempt extends Omit<Go, 'kind'> {
  readonly item: Item;
  readonly head: ItemHead;
  readonly notation: Notation;
  readonly bytes: Uint8Array;
  /** Of these bytes. */
  readonly sha256: string;
  /** The caller has set it aside, and gives it back. */
  readonly reservation: Reservation;
  readonly others: Set<string>;
  /** With what the account proved itself when the attempt began. */
  readonly proof: string | undefined;
}

export async function runAttempt(parts: AttemptParts, begun: Omit<Attempt, 'proof'>): Promise<Outcome | null> {
  const { clock } = parts;
  const attempt = { ...begun, proof: parts.accounts.find(begun.item.accountRegNo)?.access.key };
  const { item, head, before, repeats, looks } = attempt;
  const { keys } = familyOf(head);
  if (!item.recovered && !looks && !mustLook(before, { now: clock.now(), keys, repeats })) return post(parts, attempt);

  const existing = await findExisting(parts, attempt);
  const isDue = existing.kind === 'none' || (existing.kind === 'other' && attempt.overwrites);
  return isDue ? post(parts, attempt) : decide(parts, attempt, existing);
}

async function post(parts: AttemptParts, attempt: Attempt): Promise<Outcome | null> {
  const { client, environment, clock, log } = parts;
  const { item, head, notation, bytes, sha256, overwrites, needsOwnKey } = attempt;
  const { accountRegNo } = item;
  const key = idempotencyKey(environment, { ...item, family: head.family, sha256 }, needsOwnKey);
  let response: ResponseClass;
  attempt.reservation.post();
  try {
    const request = { family: familyOf(head), body: bytes, notation, key, overwrite: overwrites };
    response = classify(await client.create(accountRegNo, request), clock.now());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ event: 'submit.unknown', item: item.item, accountRegNo, err: error });
    response = classOfError(error, true);
  }
  if (response.kind !== 'unknown') parts.breaker.learnt(circuitOf(item, head), response.kind === 'accepted');
  return act(parts, attempt, response);
}

/** The key is read again: there is another one, or once another token to be had, and the request may have gone with the old one. */
async function isRenewed({ accounts, renewKey }: AttemptParts, { item: { accountRegNo }, before, proof }: Attempt): Promise<boolean> {
  const isToTry = await renewKey(accountRegNo);
  return accounts.find(accountRegNo)?.access.key !== proof || (isToTry && before.tries.at(-1)?.outcome !== 'key-renewed');
}

function familyOf({ family }: ItemHead) {
  if (!isFamilyName(family)) throw new AppError('internal', `no family ${family}`);
  return familyNamed(family);
}

/** What the service has under the document's id decides. */
async function decide(parts: AttemptParts, attempt: Attempt, existing: Existing): Promise<Outcome | null> {
  const { head, item, before } = attempt;
  const uncertain = item.recovered || before.isOpen;
  if (existing.kind === 'untold') return act(parts, attempt, existing.response);
  if (existing.kind === 'none') {
    const reason = 'the service says that it has the document, and does not show it';
    return act(parts, attempt, { kind: 'unknown', reason, posted: false });
  }
  const { kind, integrationId } = existing;
  if (kind !== 'same' && !(kind === 'more' && uncertain)) return conflicting(head, uncertain, integrationId);
  const reported = await reportedBefore(parts, attempt);
  return reported?.integrationId === integrationId ? stillThere(head, reported) : adopted(head, integrationId);
}

/** The accepted version, known from a receipt, that this item is to bring to the service once more; undefined once it has sent something. */
async function reportedBefore({ ledger }: AttemptParts, { item, head, before }: Attempt): Promise<AcceptedVersion | undefined> {
  if (item.mode !== 'resend' || before.tries.length > 0) return undefined;
  const latest = await readLatestAccepted(ledger.read, item.accountRegNo, head);
  return latest?.sha256 === item.sha256 ? latest : undefined;
}

type Acts = {
  [Kind in ResponseClass['kind']]: (
    parts: AttemptParts,
    attempt: Attempt,
    response: Extract<ResponseClass, { kind: Kind }>,
  ) => Promise<Outcome | null>;
};

const ACTS: Acts = {
  accepted: async (_, { head }, { integrationId, warnings }) => accepted(head, integrationId, warnings),

  refused: async (_, __, { error }) => refused(error),

  unlinked: async (_, { item }) => unlinked(item.accountRegNo),

  async conflict(parts, attempt, { integrationId }) {
    return decide(parts, attempt, await compareExisting(parts, attempt, integrationId));
  },

  async 'no-receiver'(parts, attempt, { error }) {
    const tries = countOf(attempt.before, 'no-receiver') + 1;
    if (tries > LOOKUP_WAITS_MS.length) return noReceiver(attempt.head, error);
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
    const begins = await parts.ledger.write(scopesOf(item), (rows) =>
      putPause(rows, item.accountRegNo, family, { now, until: now + waitMs, reason }),
    );
    const about = { accountRegNo: item.accountRegNo, family, item: item.item, reason };
    if (begins) parts.log.error({ event: 'submit.paused', ...about });
    if (believed) return later(parts, attempt, { waitMs, outcome: 'paused', reason });
    // A proxy may object to this document only, so after the pause the others go first.
    return later(parts, attempt, { waitMs: 2 * waitMs, outcome: null, reason });
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

/** The name of the circuit that the item goes by. */
export function circuitOf({ accountRegNo }: Item, { family }: ItemHead): string {
  return `${accountRegNo} ${family}`;
}

function act<Kind extends ResponseClass['kind']>(
  parts: AttemptParts,
  attempt: Attempt,
  response: Extract<ResponseClass, { kind: Kind }>,
): Promise<Outcome | null> {
  const kind: Kind = response.kind;
  return ACTS[kind](parts, attempt, response);
}

interface Later {
  readonly waitMs: number;
  /** What is known of this attempt; `none`: it was none. */
  readonly outcome: AttemptOutcome | 'none';
  readonly reason: string;
}

/** The item stays pending. */
async function later(parts: AttemptParts, { item, number }: Attempt, { waitMs, outcome, reason }: Later): Promise<null> {
  const now = parts.clock.now();
  const until = now + jittered(waitMs, parts.random);
  await parts.ledger.write(scopesOf(item), async (rows) => {
    if (outcome === 'none') await deleteAttempt(rows, item.item, number);
    else await noteAttempt(rows, item.item, number, outcome);
    await postponeItem(rows, item.item, { now, until, reason });
  });
  parts.log.warn({
    event: 'submit.postponed',
    item: item.item,
    accountRegNo: item.accountRegNo,
    attempt: number,
    at: new Date(until).toISOString(),
    reason,
  });
  parts.queue.ring('submit', item.item, until);
  return null;
}
