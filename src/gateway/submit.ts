// Submitting: every pending item is brought to the service, once (submit-and-poll.md). Here: which items, in which order, how many
// at once. What one attempt does is in attempt.ts.
import { join } from 'node:path';
import type { Notation } from '#contract/headers.ts';
import { AppError } from '#domain/error.ts';
import type { Queue } from '#engines/queue.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { ReadHead } from '#ubl/head.ts';
import { type Attempt, type AttemptParts, runAttempt } from './attempt.ts';
import type { Budget } from './budget.ts';
import type { Finisher, Outcome } from './finish.ts';
import { type Passage, passGate } from './gate.ts';
import { type Item, type ItemHead, postponeItem, readDue, readItem, readSuccessors } from './ledger/items.ts';
import type { Ledger } from './ledger/schema.ts';
import { type Bytes, lookAt, readBytes } from './look.ts';
import { changedOnDisk, duplicate, tooLarge, unnamed, unreadable } from './outcomes.ts';
import { spooledPath } from './spool.ts';

const SWEEP_EVERY_MS = 2_000;
const SWEEP_ITEMS_MAX = 1_000;
const AFTER_FAILURE_MS = 15_000;
/** How soon a file of a disabled account is looked at again. */
const NOT_SERVED_MS = 60_000;
/** An attempt makes a handful of requests; after so many timeouts its lease may be taken over. */
const LEASE_TIMEOUTS = 5;

export interface SubmitParts extends AttemptParts {
  readonly data: string;
  /** Names this process in leases. */
  readonly owner: string;
  readonly ledger: Ledger;
  readonly queue: Queue;
  readonly budget: Budget;
  readonly finisher: Finisher;
  readonly clock: Clock;
  readonly log: Log;
  /** Submits under way at once. */
  readonly submits: number;
  readonly requestTimeoutMs: number;
  /** Bytes of a document at the most. */
  readonly fileMax: number;
  /** Whether the account is served now; what it dropped waits while it is not. */
  readonly serves: (accountRegNo: string) => boolean;
}

export interface Submitter {
  /** Resolves when what has been answered is finished; call it after the queue was closed. */
  close(): Promise<void>;
}

/** Answers the bell for items, and rings it for all whose time has come. */
export function startSubmitting(parts: SubmitParts): Submitter {
  const { data, owner, ledger, queue, budget, finisher, clock, log } = parts;
  /** Items whose answer has come and whose row is about to say so: they hold back nobody. */
  const answered = new Set<string>();
  const finishing = new Set<Promise<void>>();
  /** Items released by their predecessor, before the time that their row names. */
  const released = new Set<string>();
  const inTurn = turnstile();

  async function handle(id: string): Promise<void> {
    const item = await readItem(ledger.read, id);
    const early = !released.delete(id) && (item?.nextAttemptAt ?? 0) > clock.now();
    if (item?.state !== 'pending' || early || answered.has(id)) return;
    if (!parts.serves(item.accountRegNo)) return postpone(item, clock.now() + NOT_SERVED_MS, 'the account is disabled');
    try {
      const prepared = await inTurn(item.accountRegNo, () => prepare(item));
      if (prepared) await go(item, prepared, await prepared.passage);
    } catch (error) {
      log.error({ event: 'submit.failed', item: id, accountRegNo: item.accountRegNo, err: error });
      await postpone(item, clock.now() + AFTER_FAILURE_MS, 'an internal error');
    }
  }

  interface Prepared extends Bytes {
    readonly head: ItemHead;
    readonly notation: Notation;
    readonly passage: Promise<Passage>;
  }

  /** Reads and looks (step 2), in the order of arrival, and asks the gate in that order; the gate's answer comes later. */
  async function prepare(item: Item): Promise<Prepared | null> {
    if (item.size > parts.fileMax) return end(item, null, tooLarge(item.size, parts.fileMax));
    const read = await readBytes(join(data, spooledPath(item)));
    if (read.sha256 !== item.sha256) return end(item, null, changedOnDisk());
    if (item.mode === 'unnamed') return end(item, null, unnamed());
    const looked = await look(read.bytes);
    if (looked instanceof AppError) return end(item, null, unreadable(looked));
    const waitMs = budget.spend(item.accountRegNo, 'submit');
    if (waitMs > 0) {
      await postpone(item, clock.now() + waitMs, 'the request budget is spent');
      return null;
    }
    const now = clock.now();
    const leaseUntil = now + parts.requestTimeoutMs * LEASE_TIMEOUTS;
    const passage = ledger.write((rows) => passGate(rows, { item, head: looked, owner, now, leaseUntil, answered }));
    return { ...read, head: looked, notation: looked.notation, passage };
  }

  /** Steps 5 to 8. The slot is free as soon as the answer is known; receipts are written behind it. */
  async function go(item: Item, { head, notation, bytes }: Prepared, passage: Passage): Promise<void> {
    if (passage.kind !== 'go') budget.giveBack(item.accountRegNo);
    if (passage.kind === 'wait') queue.ring('submit', item.item, passage.untilMs);
    if (passage.kind === 'duplicate') end(item, head, duplicate(head, passage.first));
    if (passage.kind !== 'go') return;
    const attempt: Attempt = { item: { ...item, head }, head, notation, bytes, before: passage.before, number: passage.number };
    const outcome = await runAttempt(parts, attempt);
    if (outcome) end(item, head, outcome);
  }

  /** Ends the item behind the scenes, and lets those go that waited for it. */
  function end(item: Item, head: ItemHead | null, outcome: Outcome): null {
    answered.add(item.item);
    const work = finishThenForget({ ...item, head }, outcome);
    finishing.add(work);
    void work.finally(() => finishing.delete(work));
    return null;
  }

  async function finishThenForget(item: Item, outcome: Outcome): Promise<void> {
    try {
      await Promise.all([finisher.finish(item, outcome), item.head && releaseNext(item, item.head)]);
      answered.delete(item.item);
    } catch (error) {
      log.error({ event: 'submit.unfinished', item: item.item, accountRegNo: item.accountRegNo, err: error });
      answered.delete(item.item);
      await postpone(item, clock.now() + AFTER_FAILURE_MS, 'the outcome could not be stored');
    }
  }

  async function releaseNext(item: Item, head: ItemHead): Promise<void> {
    for (const next of await readSuccessors(ledger.read, item, head)) {
      released.add(next);
      queue.ring('submit', next);
    }
  }

  async function postpone(item: Item, atMs: number, reason: string): Promise<void> {
    await ledger.write((rows) => postponeItem(rows, item.item, atMs, reason));
    queue.ring('submit', item.item, atMs);
  }

  async function sweep(): Promise<void> {
    for (const item of await readDue(ledger.read, clock.now(), SWEEP_ITEMS_MAX)) if (!answered.has(item)) queue.ring('submit', item);
  }

  queue.answer('submit', parts.submits, handle);
  const timer = every(clock, SWEEP_EVERY_MS, sweep, (error) => log.error({ event: 'submit.sweep-failed', err: error }));
  return {
    async close() {
      timer[Symbol.dispose]();
      await Promise.all(finishing);
    },
  };
}

/** The head, or what is wrong with the document. */
async function look(bytes: Uint8Array): Promise<ReadHead | AppError> {
  try {
    return await lookAt(bytes);
  } catch (error) {
    if (error instanceof AppError && (error.code === 'unreadable' || error.code === 'invalid')) return error;
    throw error;
  }
}

/** Runs works of one key one after the other, in the order in which they were asked for. */
function turnstile(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = turn.catch(() => undefined).finally(() => last.get(key) === settled && last.delete(key));
    last.set(key, settled);
    return turn;
  };
}
