// Submitting: every pending item is brought to the service, once (submit-and-poll.md). Here: which items, in which order, how many
// at once. What one attempt does is in attempt.ts.
import type { Queue } from '#engines/queue.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Standing } from './accounts.ts';
import { type AttemptParts, runAttempt } from './attempt.ts';
import type { Budget } from './budget.ts';
import { type Examined, type ExamineParts, examine, readDocument, type Unfit } from './examine.ts';
import type { Finisher, Outcome } from './finish.ts';
import { type Passage, passGate } from './gate.ts';
import { type Item, type ItemHead, postponeItem, readDue, readItem, readNextInLane, readNextOfDocument } from './ledger/items.ts';
import type { Ledger } from './ledger/schema.ts';
import { changedOnDisk, duplicate, superseded, unlinked } from './outcomes.ts';

const SWEEP_EVERY_MS = 2_000;
const SWEEP_ITEMS_MAX = 1_000;
const AFTER_FAILURE_MS = 15_000;
/** How soon a file of a disabled account is looked at again. */
const NOT_SERVED_MS = 60_000;
/** An attempt makes a handful of requests; after so many timeouts its lease may be taken over. */
const LEASE_TIMEOUTS = 5;

export interface SubmitParts extends AttemptParts, ExamineParts {
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
  /** Whether the account is served now: what a disabled one dropped waits, what nobody may send any more is held. */
  readonly standing: (accountRegNo: string) => Standing;
}

export interface Submitter {
  /** Resolves when what has been answered is finished; call it after the queue was closed. */
  close(): Promise<void>;
}

/** Answers the bell for items, and rings it for all whose time has come. */
export function startSubmitting(parts: SubmitParts): Submitter {
  const { owner, ledger, queue, budget, finisher, clock, log } = parts;
  /** Items whose answer has come and whose row is about to say so: they hold back none but those of the same document. */
  const answered = new Set<string>();
  const finishing = new Set<Promise<void>>();
  /** Items released by their predecessor, before the time that their row names. */
  const released = new Set<string>();
  const inTurn = turnstile();

  async function handle(id: string): Promise<void> {
    const item = await readItem(ledger.read, id);
    const early = !released.delete(id) && (item?.nextAttemptAt ?? 0) > clock.now();
    if (item?.state !== 'pending' || early || answered.has(id)) return;
    const standing = parts.standing(item.accountRegNo);
    if (standing === 'disabled') return postpone(item, clock.now() + NOT_SERVED_MS, 'the account is disabled');
    if (standing === 'unlinked') {
      end(item, item.head, unlinked(item.accountRegNo));
      return;
    }
    try {
      const examining = examine(parts, item);
      examining.catch(() => undefined);
      const admitted = await inTurn(item.accountRegNo, async () => admit(await examining));
      if (admitted) await go(admitted, await admitted.passage);
    } catch (error) {
      log.error({ event: 'submit.failed', item: id, accountRegNo: item.accountRegNo, err: error });
      await postpone(item, clock.now() + AFTER_FAILURE_MS, 'an internal error');
    }
  }

  /** No request was made: what was set aside for it is free again. */
  const unspent =
    (item: Item) =>
    (error: unknown): never => {
      budget.giveBack(item.accountRegNo);
      throw error;
    };

  interface Admitted extends Examined {
    readonly passage: Promise<Passage>;
  }

  /** Asks the gate, in the order of arrival; its answer comes later. */
  async function admit(examined: Examined | Unfit): Promise<Admitted | null> {
    const { item } = examined;
    if ('outcome' in examined) return end(item, examined.head, examined.outcome);
    const { head } = examined;
    const waitMs = await budget.spend(item.accountRegNo, 'submit');
    if (waitMs > 0) {
      await postpone(item, clock.now() + waitMs, 'the request budget is spent');
      return null;
    }
    const now = clock.now();
    const leaseUntil = now + parts.requestTimeoutMs * LEASE_TIMEOUTS;
    const passage = ledger.write((rows) => passGate(rows, { item, head, owner, now, leaseUntil, answered }));
    return { ...examined, passage: passage.catch(unspent(item)) };
  }

  /** Steps 5 to 8. The slot is free as soon as the answer is known; receipts are written behind it. */
  async function go({ item, head, document: read }: Admitted, passage: Passage): Promise<void> {
    if (passage.kind !== 'go') budget.giveBack(item.accountRegNo);
    if (passage.kind === 'wait') queue.ring('submit', item.item, passage.untilMs);
    if (passage.kind === 'duplicate') end(item, head, duplicate(head, passage.first));
    if (passage.kind === 'superseded') end(item, head, superseded(head, passage.by));
    if (passage.kind !== 'go') return;
    const document = read ?? (await readDocument(parts, item).catch(unspent(item)));
    if (!document) budget.giveBack(item.accountRegNo);
    const { before, number, overwrites } = passage;
    const attempt = { item: { ...item, head }, head, before, number, overwrites };
    const outcome = document ? await runAttempt(parts, { ...attempt, ...document }) : changedOnDisk();
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
    const { head } = item;
    try {
      if (head) release(await readNextInLane(ledger.read, item, head));
      await finisher.finish(item, outcome);
      answered.delete(item.item);
      // Once more: one that was just being told to wait may not have been seen above.
      if (head) release(await readNextInLane(ledger.read, item, head), await readNextOfDocument(ledger.read, item, head));
    } catch (error) {
      log.error({ event: 'submit.unfinished', item: item.item, accountRegNo: item.accountRegNo, err: error });
      answered.delete(item.item);
      // A ledger that cannot store the one may refuse the other too; then the sweep finds the item when its lease has ended.
      await postpone(item, clock.now() + AFTER_FAILURE_MS, 'the outcome could not be stored').catch((failed: unknown) =>
        log.error({ event: 'submit.not-postponed', item: item.item, err: failed }),
      );
    }
  }

  function release(...items: (string | undefined)[]): void {
    for (const item of new Set(items)) {
      if (item === undefined) continue;
      released.add(item);
      queue.ring('submit', item);
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
