// One attempt to bring an item to the service: look before posting where that is due, post, and act on the answer
// (submit-and-poll.md, steps 5 to 7). Resolves with the outcome that ends the item, or null when it stays pending.
import { createHash } from 'node:crypto';
import type { Notation } from '#contract/headers.ts';
import { AppError } from '#domain/error.ts';
import { familyNamed, isFamilyName } from '#domain/family.ts';
import { base32, type Random } from '#domain/id.ts';
import {
  DELAYED_AFTER_MS,
  IN_FLIGHT_TRIES,
  IN_FLIGHT_WAITS_MS,
  LOOK_AFTER_MS,
  LOOKUP_WAITS_MS,
  PAUSE_ACCOUNT_MS,
  UNKNOWN_TOTAL_MS,
  UNKNOWN_WAITS_MS,
  waitAfter,
} from '#domain/retry.ts';
import type { Queue } from '#engines/queue.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import { judge, type Verdict } from './answers.ts';
import type { Budget } from './budget.ts';
import type { CoreClient } from './core-client.ts';
import type { Finisher, Outcome } from './finish.ts';
import { type Attempts, closeAttempt } from './ledger/attempts.ts';
import { type Item, type ItemHead, postponeItem } from './ledger/items.ts';
import { putPause } from './ledger/pauses.ts';
import type { Ledger } from './ledger/schema.ts';
import { accepted, adopted, conflicting, delayed, givenUp, lookingUp, noReceiver, refused, unlinked } from './outcomes.ts';
import { comparePrior, findPrior, type Prior } from './prior.ts';

const JITTER = 0.1;

export interface AttemptParts {
  readonly environment: string;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly client: CoreClient;
  readonly budget: Budget;
  readonly finisher: Finisher;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** When this process began: attempts before it are open for good. */
  readonly startedAtMs: number;
  /** Reads the account's API key again after a 401; true when it has changed. */
  readonly renewKey: (accountRegNo: string) => Promise<boolean>;
}

export interface Attempt {
  readonly item: Item;
  readonly head: ItemHead;
  readonly notation: Notation;
  readonly bytes: Uint8Array;
  /** The attempts before this one. */
  readonly before: Attempts;
  readonly number: number;
  /** It may replace what the service has under its id. */
  readonly overwrites: boolean;
}

export async function runAttempt(parts: AttemptParts, attempt: Attempt): Promise<Outcome | null> {
  const { client, environment } = parts;
  const { item, head, notation, bytes, overwrites } = attempt;
  try {
    if (mustLook(parts, attempt)) {
      const prior = await findPrior(client, item, head, bytes);
      if (prior.kind === 'same') return adopted(head, prior.integrationId);
      if (prior.kind === 'other' && !overwrites) return conflicting(head, isUncertain(attempt), prior.integrationId);
    }
    if (!isFamilyName(head.family)) throw new AppError('internal', `no family ${head.family}`);
    const key = idempotencyKey(environment, item, head, overwrites);
    const family = familyNamed(head.family);
    const answer = await client.create(item.accountRegNo, { family, body: bytes, notation, key, overwrite: overwrites });
    return await act(parts, attempt, judge(answer));
  } catch (error) {
    parts.log.warn({ event: 'submit.unknown', item: item.item, accountRegNo: item.accountRegNo, err: error });
    return act(parts, attempt, verdictOf(error));
  }
}

/** No answer came: it is not known what became of the request, unless nobody was let make one (authority.ts). */
function verdictOf(error: unknown): Verdict {
  if (!(error instanceof AppError)) return { kind: 'unknown', reason: 'an internal error' };
  const { code, message: reason, facts } = error;
  const waitMs = typeof facts.waitMs === 'number' ? facts.waitMs : PAUSE_ACCOUNT_MS;
  if (code === 'forbidden') return { kind: 'unlinked' };
  if (code === 'wrong-credentials') return { kind: 'pause', scope: 'account', waitMs, reason, believed: true };
  return code === 'rate-limited' ? { kind: 'wait', waitMs } : { kind: 'unknown', reason };
}

/**
 * `dg1.` and a digest of what is sent: a crash cannot forget it, and two nodes compute the same one. What is meant to be sent once more
 * must not be answered by a replay, so the item is part of it then.
 */
export function idempotencyKey(
  environment: string,
  item: Pick<Item, 'item' | 'accountRegNo' | 'mode' | 'sha256'>,
  { family }: Pick<ItemHead, 'family'>,
  overwrites = false,
): string {
  const once = overwrites || item.mode === 'overwrite' || item.mode === 'resend';
  const parts = [environment, item.accountRegNo, family, 'outgoing', item.sha256, ...(once ? [item.item] : [])];
  return `dg1.${base32(createHash('sha256').update(parts.join('\n')).digest())}`;
}

/** An earlier attempt may have got through, and the service may have forgotten its key. */
function mustLook({ clock, startedAtMs }: AttemptParts, { item, before }: Attempt): boolean {
  const { openSince, outcomes } = before;
  const forgotten = openSince !== null && (openSince <= startedAtMs || clock.now() - openSince > LOOK_AFTER_MS);
  return item.recovered || forgotten || outcomes.filter((outcome) => outcome === 'in-flight').length >= IN_FLIGHT_TRIES;
}

function isUncertain({ item, before }: Attempt): boolean {
  return item.recovered || before.openSince !== null;
}

type Acts = {
  [Kind in Verdict['kind']]: (parts: AttemptParts, attempt: Attempt, verdict: Extract<Verdict, { kind: Kind }>) => Promise<Outcome | null>;
};

const ACTS: Acts = {
  accepted: async (_, { head }, { integrationId, warnings }) => accepted(head, integrationId, warnings),

  refused: async (_, __, { error }) => refused(error),

  unlinked: async (_, { item }) => unlinked(item.accountRegNo),

  async conflict({ client }, attempt, { integrationId }) {
    const { item, head, bytes } = attempt;
    const prior: Prior = await comparePrior(client, item, head, bytes, integrationId);
    return prior.kind === 'same' ? adopted(head, integrationId) : conflicting(head, isUncertain(attempt), integrationId);
  },

  async 'no-receiver'(parts, attempt, { error }) {
    const tries = attempt.before.outcomes.filter((outcome) => outcome === 'no-receiver').length + 1;
    if (tries > LOOKUP_WAITS_MS.length) return noReceiver(attempt.head, error);
    await parts.finisher.notify(attempt.item, lookingUp(attempt.head, error));
    return later(parts, attempt, waitAfter(LOOKUP_WAITS_MS, tries), 'no-receiver', error.data);
  },

  async 'in-flight'(parts, attempt) {
    const tries = attempt.before.outcomes.filter((outcome) => outcome === 'in-flight').length + 1;
    return later(parts, attempt, waitAfter(IN_FLIGHT_WAITS_MS, tries), 'in-flight', 'the service is still working on it');
  },

  async wait(parts, attempt, { waitMs }) {
    parts.budget.exhausted(attempt.item.accountRegNo, waitMs);
    return later(parts, attempt, waitMs, 'rate-limited', 'the request budget is spent');
  },

  async pause(parts, attempt, { scope, waitMs, reason, believed }) {
    const { item, head } = attempt;
    if (scope === 'account' && (await parts.renewKey(item.accountRegNo))) return later(parts, attempt, 0, 'key-renewed', reason);
    parts.log.error({
      event: 'submit.paused',
      accountRegNo: item.accountRegNo,
      family: scope === 'family' ? head.family : undefined,
      item: item.item,
      reason,
    });
    const until = parts.clock.now() + waitMs;
    await parts.ledger.write((rows) => putPause(rows, item.accountRegNo, scope === 'family' ? head.family : '', until, reason));
    return later(parts, attempt, waitMs, believed ? 'paused' : null, reason);
  },

  async unknown(parts, attempt, { reason }) {
    const { outcomes, firstAt } = attempt.before;
    const sinceMs = parts.clock.now() - (firstAt ?? parts.clock.now());
    if (sinceMs > UNKNOWN_TOTAL_MS) return givenUp(reason);
    if (sinceMs > DELAYED_AFTER_MS) await parts.finisher.notify(attempt.item, delayed(reason));
    const tries = outcomes.filter((outcome) => outcome === null).length + 1;
    return later(parts, attempt, waitAfter(UNKNOWN_WAITS_MS, tries), null, reason);
  },
};

function act<Kind extends Verdict['kind']>(
  parts: AttemptParts,
  attempt: Attempt,
  verdict: Extract<Verdict, { kind: Kind }>,
): Promise<Outcome | null> {
  const kind: Kind = verdict.kind;
  return ACTS[kind](parts, attempt, verdict);
}

/** The item stays pending; `outcome` null: what became of this attempt is not known. */
async function later(
  parts: AttemptParts,
  { item, number }: Attempt,
  waitMs: number,
  outcome: string | null,
  reason: string,
): Promise<null> {
  const jitter = 1 + ((parts.random(1)[0] ?? 0) / 255) * JITTER;
  const at = parts.clock.now() + Math.ceil(waitMs * jitter);
  await parts.ledger.write(async (rows) => {
    if (outcome !== null) await closeAttempt(rows, item.item, number, outcome);
    await postponeItem(rows, item.item, at, reason);
  });
  parts.log.warn({
    event: 'submit.postponed',
    item: item.item,
    accountRegNo: item.accountRegNo,
    attempt: number,
    at: new Date(at).toISOString(),
    reason,
  });
  parts.queue.ring('submit', item.item, at);
  return null;
}
