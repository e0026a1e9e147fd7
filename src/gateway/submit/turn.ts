// One turn of an item, from the slot that it got to what becomes of it: what is it, may it go, send it (submit-and-poll.md, steps 2 to 8).

import { UNKNOWN_WAITS_MS, waitAfter } from '#domain/retry.ts';
import { isAway } from '#engines/failures.ts';
import type { Queue } from '#engines/queue.ts';
import { deleteAttempt } from '#gateway/ledger/attempts.ts';
import { postponeItem } from '#gateway/ledger/item-waits.ts';
import { readItem } from '#gateway/ledger/items.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import { duplicate, superseded, unlinked } from '#gateway/model/receipt-sentences.ts';
import { LONG_BYTES } from '#gateway/reader/inspect.ts';
import { type Reservation, reserve } from '#gateway/service/reservation.ts';
import { InOrder, KeyedMutex, Semaphore } from '#runtime/concurrency.ts';
import { type Admission, requestAdmission } from './admit.ts';
import { type ArrivalParts, Arrivals } from './arrivals.ts';
import { circuitOf } from './circuit-breaker.ts';
import type { Endings } from './endings.ts';
import { type Examined, type ExamineParts, examine, readDocument, type Unfit } from './examine.ts';
import { LostTurns } from './lost-turns.ts';
import { endLookedFor } from './redirected.ts';
import type { Releases } from './releases.ts';
import { type Course, FairScheduler, type Standing } from './scheduler.ts';
import { type SendParts, send } from './send.ts';
import type { Suggest } from './suggest.ts';

/** Bytes of the long documents that are read and sent at the same time; short ones are as many as there are submits. */
const LONG_BYTES_MAX = 128 * 1024 * 1024;
/** How soon a file of a disabled account is looked at again. */
const NOT_SERVED_MS = 60_000;
/** What its items wait for then, as they are shown. */
const NOT_SERVED = { disabled: 'the account is disabled', keyless: 'the API key of the account cannot be read' } as const;
/** How soon it is seen whether a ledger that was away is back. */
const LEDGER_AWAY_MS = 1_000;
/** How soon it is seen whether an earlier item has had its turn again. */
const LOST_MS = 1_000;
/** An attempt makes a handful of requests; after so many timeouts its lease may be taken over. */
const LEASE_TIMEOUTS = 5;

const ENDED: Course = { next: 'ended' };
const WAITS: Course = { next: 'waits' };

export interface TurnParts extends SendParts, Omit<ExamineParts, 'clock'>, Pick<ArrivalParts, 'elsewhere'> {
  /** Submits under way at once. */
  readonly submits: number;
  /** By which this process is known in leases. */
  readonly incarnation: string;
  readonly inHand: HomesInHand;
  readonly queue: Queue;
  readonly requestTimeoutMs: number;
  readonly accounts: Pick<Accounts, 'find' | 'addressesOf' | 'ownerOf' | 'standing'>;
  readonly releases: Releases;
  readonly endings: Endings;
  readonly suggest: Suggest;
}

interface Ready extends Examined {
  readonly reservation: Reservation;
  readonly admission: Promise<Admission>;
}

export class SubmitTurns {
  readonly scheduler: FairScheduler;
  readonly #parts: TurnParts;
  /** Items with what their documents have told before their rows say it: whose they are, and the heads of those that wait for their pair. */
  readonly #seen = new Map<string, Item>();
  /** Read at this moment: what begins at once need not be read again. */
  #fresh: Item | undefined;
  /** How often in a row a turn has failed here. Perhaps the document cannot be read, and takes long each time. */
  readonly #failures = new Map<string, number>();
  readonly #arrivals: Arrivals;
  /** By home that is being taken up: what was rung for meanwhile. */
  readonly #meanwhile = new Map<string, Item[]>();
  readonly #lost: LostTurns;
  readonly #inOrder = new KeyedMutex();
  readonly #rows = new InOrder();
  readonly #longBytes = new Semaphore(LONG_BYTES_MAX);

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.scheduler = new FairScheduler(parts.clock, parts.submits, (id, standing) => this.#run(id, standing));
    this.#arrivals = new Arrivals(parts);
    this.#lost = new LostTurns(parts.clock);
  }

  /** The bell has rung for the item: it gets a turn if its time has come. */
  readonly enqueue = async (id: string): Promise<void> => {
    // A sweep rings for all that are due, and most of them are in hand: when its turn comes, the item is read.
    if (this.scheduler.ring(id)) return;
    for (const item of await this.#arrivals.read(id, this.#rows)) {
      this.#meanwhile.get(item.home)?.push(item);
      this.#fresh = item;
      this.#queue(item);
      this.#fresh = undefined;
    }
  };

  #queue(item: Item): void {
    const { inHand, releases, endings, short } = this.#parts;
    const mayGo = item.state === 'pending' && inHand.has(item.home) && !endings.answered.has(item.item);
    const place = mayGo ? releases.placeOf(item) : null;
    if (!place) return void releases.use(item.item);
    this.scheduler.enqueue(this.#accountOf(item), item.item, short.has(item.item) || this.#lost.has(item.item) ? 'front' : place);
  }

  /** Takes the home in hand once it is known what waits for it, which gets its turns before what comes meanwhile. */
  async takeUp(home: string, waiting: Promise<readonly Item[]>): Promise<void> {
    const meanwhile: Item[] = [];
    this.#meanwhile.set(home, meanwhile);
    try {
      const items = await waiting;
      this.#parts.inHand.take(home);
      for (const item of [...items, ...meanwhile]) this.#queue(item);
    } finally {
      this.#meanwhile.delete(home);
    }
  }

  /** Never throws. */
  async #run(id: string, standing: Standing): Promise<Course> {
    const course = await this.#try(id, standing);
    // What came later may be under way to its own try now, and would find the way free.
    if (course.next === 'paused') this.#lost.add(id, course.account ?? standing.account, course.waitMs);
    return course;
  }

  async #try(id: string, { account, isNextOfPair }: Standing): Promise<Course> {
    const { clock, log, releases } = this.#parts;
    // It was due when it began to wait for its pair. Should it have ended since, its admission says so.
    const parked = isNextOfPair ? this.#seen.get(id) : undefined;
    try {
      const item = await this.#read(id, parked);
      const isReleased = releases.use(id);
      if (item && !parked && !isReleased && item.nextAttemptAt > clock.now()) return WAITS;
      // In another's hand: its sweep has the item.
      const course = item ? await this.#parts.inHand.run(item.home, () => this.#bring(item, account, isNextOfPair)) : undefined;
      if (!course) return this.#forget(id);
      // Where it was let go before its time, it still is when its try goes on.
      if (isReleased && course.next !== 'ended' && course.next !== 'waits') releases.keep(id);
      return course;
    } catch (error) {
      // The ledger itself: the sweep comes back to the item. While it is away the item keeps its place, for what comes afterwards must not pass it.
      log.error({ event: 'submit.not-postponed', item: id, err: error });
      return isAway(error) ? { next: 'paused', waitMs: LEDGER_AWAY_MS } : WAITS;
    }
  }

  /** The item as its row is when there is room to write its outcome. */
  async #read(id: string, parked: Item | undefined): Promise<Item | undefined> {
    const { endings } = this.#parts;
    const fresh = this.#fresh?.item === id && !endings.isCrowded ? this.#fresh : undefined;
    if (endings.isCrowded) await endings.room();
    if (parked) return parked;
    const row = await this.#rowOf(id, fresh);
    const seen = this.#seen.get(id);
    // Its document was examined before it was told to wait for its pair: a thousand that are woken together are not read again each time.
    return row && !row.head && seen?.head ? { ...row, accountRegNo: seen.accountRegNo, head: seen.head } : row;
  }

  /** Rows come in the order in which they were asked for, by which items are queued and examined; a database may answer in another one. */
  #rowOf(id: string, fresh?: Item): Promise<Item | undefined> {
    return this.#rows.run(async () => fresh ?? readItem(this.#parts.ledger.read, id));
  }

  async #bring(item: Item, account: string, isNextOfPair: boolean): Promise<Course> {
    const { clock, log, releases, endings } = this.#parts;
    const { item: id, state } = item;
    if (state !== 'pending') return this.#forget(id);
    if (endings.answered.has(id)) return ENDED;
    try {
      const course = await this.#attend(item, isNextOfPair);
      this.#failures.delete(id);
      return course;
    } catch (error) {
      if (isAway(error)) throw error;
      log.error({ event: 'submit.failed', item: id, accountRegNo: item.accountRegNo, err: error });
      const failed = (this.#failures.get(id) ?? 0) + 1;
      this.#failures.set(id, failed);
      const waitMs = waitAfter(UNKNOWN_WAITS_MS, failed);
      // Its parties are not known, so it would hold up its whole account: once.
      if (failed === 1 && !item.head) this.#lost.add(id, account, waitMs);
      else this.#lost.end(id);
      await releases.postpone(item, clock.now() + waitMs, 'an internal error');
      return WAITS;
    }
  }

  /** In whose queue it stands. */
  #accountOf({ item, accountRegNo }: Item): string {
    return this.#seen.get(item)?.accountRegNo ?? accountRegNo;
  }

  /** What is known of an item here, and is of no use once it is not pending. */
  #forget(id: string): Course {
    this.#seen.delete(id);
    this.#failures.delete(id);
    this.#lost.end(id);
    this.#parts.short.delete(id);
    return ENDED;
  }

  async #attend(item: Item, isNextOfPair: boolean): Promise<Course> {
    const account = this.#accountOf(item);
    const notServed = await this.#notServed(item, item.head);
    if (notServed) return notServed;
    const place = item.size > LONG_BYTES ? this.#longBytes.take(item.size) : null;
    try {
      const inspect = (): ReturnType<typeof examine> => examine(this.#parts, item, account);
      const examining = place?.then(inspect) ?? inspect();
      examining.catch(() => undefined);
      const prepare = async (): Promise<Ready | Course> => {
        const examined = await examining;
        if ('item' in examined) return this.#prepare(examined);
        // In the order of arrival: the files of an account have their turns in it.
        this.#seen.set(item.item, { ...item, ...examined });
        return { next: 'moved', account: examined.accountRegNo };
      };
      // The next one of its pair has had its turn, in the order of arrival.
      const ready = await (isNextOfPair ? prepare() : this.#inOrder.run(account, prepare));
      if ('next' in ready) return ready;
      using _reservation = ready.reservation;
      return await this.#go(ready, await ready.admission);
    } finally {
      (await place)?.[Symbol.dispose]();
    }
  }

  /** What becomes of an item whose account is not served: it waits with its account, or a person must look. */
  async #notServed(item: Item, head: ItemHead | null): Promise<Course | null> {
    const { accounts, ledger, clock } = this.#parts;
    const stands = accounts.standing(item.accountRegNo);
    if (stands === 'unlinked') return this.#end(item, head, unlinked(item.accountRegNo));
    if (stands === 'served') return null;
    const now = clock.now();
    const account = this.#accountOf(item);
    // Before it is written: what comes later may meanwhile find that the account is served again.
    this.#lost.add(item.item, account, NOT_SERVED_MS);
    await ledger.write([], (rows) => postponeItem(rows, item.item, { now, until: now, reason: NOT_SERVED[stands] }));
    return { next: 'paused', account, waitMs: NOT_SERVED_MS };
  }

  /** Asks to be admitted, in the order of arrival; the answer comes later. */
  async #prepare(examined: Examined | Unfit): Promise<Ready | Course> {
    const { item, head } = examined;
    const { ledger, clock, budget, incarnation: owner, short, requestTimeoutMs, endings } = this.#parts;
    if ('outcome' in examined) return this.#end(item, head, examined.outcome);
    // In a home of several accounts its sender has only now told whose it is.
    const notServed = await this.#notServed(item, head);
    if (notServed) return notServed;
    const { accountRegNo } = item;
    if (!this.#lost.take(item.item, [accountRegNo, item.home])) return { next: 'paused', account: accountRegNo, waitMs: LOST_MS };
    if (!this.scheduler.startPair(`${accountRegNo} ${examined.head.receiver}`, item)) {
      this.#seen.set(item.item, { ...item, head: examined.head });
      return { next: 'pair' };
    }
    const reservation = await reserve(budget, accountRegNo, short.has(item.item));
    if (typeof reservation === 'number') return { next: 'paused', account: accountRegNo, waitMs: reservation };
    const now = clock.now();
    const leaseUntil = now + requestTimeoutMs * LEASE_TIMEOUTS;
    const request = { item, head: examined.head, owner, now, leaseUntil, answered: endings.answered };
    return { ...examined, reservation, admission: requestAdmission(ledger, request) };
  }

  async #go({ item: found, head, document: read, reservation }: Ready, admission: Admission): Promise<Course> {
    const { breaker, releases, endings, short } = this.#parts;
    const item = { ...found, head };
    this.#seen.delete(item.item);
    if (admission.kind === 'wait') return this.#wait(item, admission);
    if (admission.kind === 'duplicate') return this.#end(item, head, duplicate(head, admission.first));
    if (admission.kind === 'superseded') return this.#end(item, head, superseded(head, admission.by));
    if (admission.kind === 'gone') {
      this.#forget(item.item);
      return ENDED;
    }
    const document = read ?? (await readDocument(this.#parts, item).catch((error) => this.#untried(item, admission.number, error)));
    if ('stage' in document) return this.#end(item, head, document);
    breaker.tried(item.item);
    for (const id of admission.lookedFor) await endLookedFor({ ...this.#parts, answered: endings.answered }, item, id);
    const others = short.get(item.item) ?? new Set<string>();
    const outcome = await send(this.#parts, { ...admission, ...document, item, head, reservation, others });
    if (!outcome) {
      await releases.releaseWaiting(item.item);
      return WAITS;
    }
    await this.#end(item, head, outcome);
    if (outcome.stage !== 'held') releases.release(breaker.answered(circuitOf(item, head)));
    return ENDED;
  }

  #wait({ item, accountRegNo }: Item, { until, whole }: Extract<Admission, { kind: 'wait' }>): Course {
    const { queue, clock } = this.#parts;
    queue.ring('submit', item, until);
    // The others of the account would only be told the same.
    return whole ? { next: 'paused', account: accountRegNo, waitMs: until - clock.now() } : WAITS;
  }

  async #end(item: Item, head: ItemHead | null, outcome: Outcome): Promise<Course> {
    // In its turn, so that an account which has many refused waits for itself.
    const repaired = await this.#parts.suggest(item, outcome);
    this.#forget(item.item);
    this.#parts.endings.end(item, head, repaired ? { ...outcome, repaired } : outcome);
    return ENDED;
  }

  /** It was no attempt: they would be without end where a disk cannot be read. */
  async #untried({ item }: Item, number: number, error: unknown): Promise<never> {
    await this.#parts.ledger.write([], (rows) => deleteAttempt(rows, item, number));
    throw error;
  }
}
