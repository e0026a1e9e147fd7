// Submitting: every pending item is brought to the service, once (submit-and-poll.md). Here: which items, in which order, how many
// at once. What one attempt does is in attempt.ts.
import { UNKNOWN_WAITS_MS, waitAfter } from '#domain/retry.ts';
import type { Queue } from '#engines/queue.ts';
import { deleteAttempt } from '#gateway/ledger/attempts.ts';
import { endWaitsBegunAfter, postponeItem, readDue, readItem, setHead } from '#gateway/ledger/items.ts';
import { endPausesBegunAfter } from '#gateway/ledger/pauses.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import { readForgotten, readWaiting } from '#gateway/ledger/turns.ts';
import type { Standing } from '#gateway/model/account.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import { duplicate, superseded, unlinked } from '#gateway/model/receipt-sentences.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import { LONG_BYTES } from '#gateway/reader/inspect.ts';
import type { Budget } from '#gateway/service/budget.ts';
import { type Allowance, allow } from '#gateway/service/reservation.ts';
import { type Clock, every } from '#runtime/clock.ts';
import { KeyedMutex, Semaphore } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import { type Passage, passGate } from './admit.ts';
import { type AttemptParts, placeOf, runAttempt } from './attempt.ts';
import { EVERYWHERE, openSilenced } from './circuit-breaker.ts';
import { type Examined, type ExamineParts, examine, readDocument, type Unfit } from './examine.ts';
import { openLanes } from './pairs.ts';
import { endLookedFor } from './redirected.ts';
import { openRota } from './scheduler.ts';

const SWEEP_EVERY_MS = 2_000;
const SWEEP_ITEMS_MAX = 1_000;
/** Looks for items whose turn has come and that nobody told: every so many sweeps. */
const FORGOTTEN_EVERY_SWEEPS = 10;
/** Outcomes that are written at once: each has a file open, and slots do not wait for them. */
const FINISHING_MAX = 256;
/** Bytes of the long documents that are read and sent at the same time; short ones are as many as there are submits. */
const LONG_BYTES_MAX = 128 * 1024 * 1024;
/** The bell only puts items into the rota. */
const RINGS_AT_ONCE = 64;
/** How soon an outcome that could not be written is tried again. */
const AFTER_FAILURE_MS = 15_000;
/** How soon a file of a disabled account is looked at again. */
const NOT_SERVED_MS = 60_000;
/** An attempt makes a handful of requests; after so many timeouts its lease may be taken over. */
const LEASE_TIMEOUTS = 5;

export interface SubmitParts extends Omit<AttemptParts, 'silent' | 'silenced' | 'short' | 'well'>, ExamineParts {
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
  /** The service is there: what waits because it was silent goes on, a few at a time. */
  heard(): void;
  /** Accounts have changed, perhaps the key for which one rested. */
  wake(): void;
  /** Resolves when what has been answered is finished; call it after the queue was closed. */
  close(): Promise<void>;
}

type Seen = Pick<Item, 'accountRegNo'> & Partial<Pick<Item, 'head'>>;

/** Answers the bell for items, and rings it for all whose time has come. */
export function startSubmitting(parts: SubmitParts): Submitter {
  const { owner, ledger, queue, budget, finisher, clock, log } = parts;
  const silenced = openSilenced(clock.now);
  const short: AttemptParts['short'] = new Map();
  const attemptParts: AttemptParts = { ...parts, silent: new Set(), silenced, short, well: new Map() };
  /** Items whose answer has come and whose row is about to say so: they hold back none but those of the same document. */
  const answered = new Set<string>();
  const finishing = new Set<Promise<void>>();
  const room = new Semaphore(FINISHING_MAX);
  const placesOfLong = new Semaphore(LONG_BYTES_MAX);
  /** Items that another one has let go, before the time that their row names. */
  const released = new Set<string>();
  /** How often in a row an item has failed here. It may be its document that does not let itself be read, and takes long each time. */
  const failures = new Map<string, number>();
  const inOrder = new KeyedMutex();
  const rota = openRota(clock, parts.submits, handle);
  const lanes = openLanes(clock.now);
  /** What was read in a document, whose it is at least, until its row says it. */
  const seen = new Map<string, Seen>();
  const lineOf = ({ item, accountRegNo }: Item): string => seen.get(item)?.accountRegNo ?? accountRegNo;

  const isEarly = ({ item, nextAttemptAt }: Item): boolean => !released.has(item) && nextAttemptAt > clock.now();

  /** Read at this moment: what begins at once need not be read again. */
  let fresh: Item | null = null;

  async function enlist(id: string): Promise<void> {
    // A sweep rings for all that are due, and most of them are in the rota: when its turn comes, the item is read.
    if (rota.addAgain(id)) return;
    const item = await readItem(ledger.read, id);
    if (item?.state === 'pending' && !isEarly(item) && !answered.has(id)) {
      fresh = item;
      if (released.has(id) || short.has(id)) rota.addFirst(lineOf(item), id);
      else rota.add(lineOf(item), id);
      fresh = null;
    } else released.delete(id);
  }

  async function handle(id: string): Promise<void> {
    const hasEnded = await bring(id).catch((error: unknown) => {
      // The ledger itself: the sweep comes back to the item.
      log.error({ event: 'submit.not-postponed', item: id, err: error });
      return false;
    });
    for (const next of lanes.leave(id, hasEnded)) {
      // Where it was let go before its time, it still is.
      released.add(next);
      rota.call(next);
    }
  }

  /** Resolves with whether the item has ended, though its receipt may still be written. */
  async function bring(id: string): Promise<boolean> {
    const known = fresh?.item === id ? fresh : null;
    // What needs no request is decided quicker than its outcome is written: it waits behind those that wait for that.
    const isCrowded = finishing.size >= FINISHING_MAX;
    if (isCrowded) (await room.take())[Symbol.dispose]();
    const item = known && !isCrowded ? known : await readItem(ledger.read, id);
    const early = item && isEarly(item);
    released.delete(id);
    if (item?.state !== 'pending') forget(id);
    if (item?.state !== 'pending' || answered.has(id)) return true;
    if (early) return false;
    try {
      const hasEnded = await attend(item);
      failures.delete(id);
      return hasEnded;
    } catch (error) {
      log.error({ event: 'submit.failed', item: id, accountRegNo: item.accountRegNo, err: error });
      const failed = (failures.get(id) ?? 0) + 1;
      failures.set(id, failed);
      await postpone(item, clock.now() + waitAfter(UNKNOWN_WAITS_MS, failed), 'an internal error');
      return false;
    }
  }

  /** What is known of an item here, and is of no use once it is not pending. */
  function forget(id: string): void {
    seen.delete(id);
    failures.delete(id);
    short.delete(id);
  }

  async function attend(row: Item): Promise<boolean> {
    const line = lineOf(row);
    const head = row.head ?? seen.get(row.item)?.head;
    const item = head ? { ...row, accountRegNo: line, head } : row;
    if (!(await isServed(item, item.head))) return false;
    const place = item.size > LONG_BYTES ? placesOfLong.take(item.size) : null;
    try {
      const look = (): ReturnType<typeof examine> => examine(parts, item, line);
      const examining = place?.then(look) ?? look();
      examining.catch(() => undefined);
      const decide = async (): Promise<Admitted | null> => {
        const examined = await examining;
        return 'item' in examined ? admit(examined) : moveTo(examined.accountRegNo, item.item);
      };
      // Who was let go in a lane has had its turn, in the order of arrival.
      const admitted = await (lanes.has(item.item) ? decide() : inOrder.run(line, decide));
      if (!admitted) return false;
      using _allowance = admitted.allowance;
      return await go(admitted, await admitted.passage);
    } finally {
      (await place)?.[Symbol.dispose]();
    }
  }

  /** In the order of arrival: the files of an account have their turns in it. */
  function moveTo(accountRegNo: string, item: string): null {
    seen.set(item, { accountRegNo });
    rota.move(accountRegNo, item);
    return null;
  }

  /** The line of its account waits with it, and so keeps its order; only this one's row says why. */
  async function restWhole(item: Item, reason: string): Promise<void> {
    const now = clock.now();
    await ledger.write((rows) => postponeItem(rows, item.item, { now, until: now, reason }));
    rota.rest(lineOf(item), item.item, NOT_SERVED_MS);
  }

  /** What of an account that is not served is not sent now, or not without a person. */
  async function isServed(item: Item, head: ItemHead | null): Promise<boolean> {
    const standing = parts.standing(item.accountRegNo);
    if (standing === 'disabled') await restWhole(item, 'the account is disabled');
    if (standing === 'unlinked') end(item, head, unlinked(item.accountRegNo));
    return standing === 'served';
  }

  /** It was no attempt: they would be without end where a disk cannot be read. */
  const untried =
    (item: Item, number: number) =>
    async (error: unknown): Promise<never> => {
      await ledger.write((rows) => deleteAttempt(rows, item.item, number));
      throw error;
    };

  interface Admitted extends Examined {
    readonly allowance: Allowance;
    readonly passage: Promise<Passage>;
  }

  /** Asks the gate, in the order of arrival; its answer comes later. */
  async function admit(examined: Examined | Unfit): Promise<Admitted | null> {
    const { item, head } = examined;
    if ('outcome' in examined) return end(item, head, examined.outcome);
    // In a home of several accounts its sender has only now told whose it is.
    if (!(await isServed(item, head))) return null;
    const { accountRegNo } = item;
    if (!lanes.enter(`${accountRegNo} ${examined.head.receiver}`, item)) {
      seen.set(item.item, { accountRegNo, head });
      rota.standAside(item.item);
      return null;
    }
    const allowance = await allow(budget, accountRegNo, short.has(item.item));
    if (typeof allowance === 'number') {
      rota.rest(accountRegNo, item.item, allowance);
      return null;
    }
    const now = clock.now();
    const leaseUntil = now + parts.requestTimeoutMs * LEASE_TIMEOUTS;
    const passage = ledger.write((rows) => passGate(rows, { item, head: examined.head, owner, now, leaseUntil, answered }));
    return { ...examined, allowance, passage };
  }

  /** Steps 5 to 8. The slot is free as soon as the answer is known; receipts are written behind it. */
  async function go({ item: found, head, document: read, allowance }: Admitted, passage: Passage): Promise<boolean> {
    const item = { ...found, head };
    seen.delete(item.item);
    if (passage.kind === 'wait') wait(item, passage);
    if (passage.kind === 'duplicate') end(item, head, duplicate(head, passage.first));
    if (passage.kind === 'superseded') end(item, head, superseded(head, passage.by));
    if (passage.kind !== 'go') return passage.kind !== 'wait';
    const document = read ?? (await readDocument(parts, item).catch(untried(item, passage.number)));
    if ('stage' in document) {
      end(item, head, document);
      return true;
    }
    silenced.delete(item.item);
    await endLookedFor({ ...parts, answered }, item, head, passage.lookedFor);
    const outcome = await runAttempt(attemptParts, {
      ...passage,
      ...document,
      item,
      head,
      allowance,
      others: short.get(item.item) ?? new Set(),
    });
    if (outcome) end(item, head, outcome);
    else await releaseWaiting(item.item);
    if (outcome && outcome.stage !== 'held') release(silenced.answered(placeOf(item, head)));
    return outcome !== null;
  }

  function wait({ item, accountRegNo }: Item, { until, whole }: Extract<Passage, { kind: 'wait' }>): void {
    queue.ring('submit', item, until);
    // The others of the account would only be told the same.
    if (whole) rota.rest(accountRegNo, item, until - clock.now());
  }

  /** Ends the item behind the scenes, and lets those go that waited for it. */
  function end(item: Item, head: ItemHead | null, outcome: Outcome): null {
    answered.add(item.item);
    forget(item.item);
    const work = finishThenForget(item, head, outcome);
    finishing.add(work);
    void work.finally(() => finishing.delete(work));
    return null;
  }

  async function finishThenForget(item: Item, head: ItemHead | null, outcome: Outcome): Promise<void> {
    // What never came to the gate is found by its document and its account all the same.
    const together = async (rows: Rows): Promise<void> => {
      if (head && !item.head) await setHead(rows, item, head);
    };
    using _room = await room.take();
    try {
      await releaseWaiting(item.item);
      await finisher.finish({ ...item, head }, outcome, { together });
      answered.delete(item.item);
      // Once more: one that was just being told to wait may not have been seen above, and those of its document wait until now.
      await releaseWaiting(item.item);
    } catch (error) {
      log.error({ event: 'submit.unfinished', item: item.item, accountRegNo: item.accountRegNo, err: error });
      answered.delete(item.item);
      // A ledger that cannot store the one may refuse the other too; then the sweep finds the item when its lease has ended.
      await postpone(item, clock.now() + AFTER_FAILURE_MS, 'the outcome could not be stored').catch((failed: unknown) =>
        log.error({ event: 'submit.not-postponed', item: item.item, err: failed }),
      );
    }
  }

  async function releaseWaiting(id: string): Promise<void> {
    release(await readWaiting(ledger.read, id));
  }

  function release(items: readonly string[]): void {
    for (const item of items) {
      released.add(item);
      queue.ring('submit', item);
    }
  }

  async function postpone(item: Item, until: number, reason: string): Promise<void> {
    await ledger.write((rows) => postponeItem(rows, item.item, { now: clock.now(), until, reason }));
    queue.ring('submit', item.item, until);
  }

  let sweeps = 0;
  let sweptAt = Number.POSITIVE_INFINITY;
  /** Where the next sweep goes on, so that none is passed over, however many are due. */
  let after = '';

  async function sweep(): Promise<void> {
    const now = clock.now();
    if (now < sweptAt) await forgetFuture(now);
    sweptAt = now;
    const due = await readDue(ledger.read, now, after, SWEEP_ITEMS_MAX);
    after = due.length < SWEEP_ITEMS_MAX ? '' : (due.at(-1) ?? '');
    for (const item of due) if (!answered.has(item)) queue.ring('submit', item);
    if (++sweeps % FORGOTTEN_EVERY_SWEEPS === 0) release(await readForgotten(ledger.read, SWEEP_ITEMS_MAX));
  }

  /** The clock was put back, or was fast when the process before this one ran: nobody waits for what it has called the future. */
  async function forgetFuture(now: number): Promise<void> {
    await ledger.write(async (rows) => {
      await endWaitsBegunAfter(rows, now);
      await endPausesBegunAfter(rows, now);
    });
  }

  queue.answer('submit', RINGS_AT_ONCE, enlist);
  const timer = every(clock, SWEEP_EVERY_MS, sweep, (error) => log.error({ event: 'submit.sweep-failed', err: error }));
  return {
    heard: () => release(silenced.answered(EVERYWHERE)),
    wake: rota.wake,
    async close() {
      timer[Symbol.dispose]();
      await rota.close();
      await Promise.all(finishing);
    },
  };
}
