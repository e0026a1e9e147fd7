// Who may go now: which of the items that this process has in hand is tried next.
//
//   state     entered by                                            left by
//   QUEUED    enqueue; what is PARKED and woken stands in front     a free slot, in the turns of the accounts → RUNNING
//   RUNNING   a free slot                                           what its work resolves with (Course)
//   PARKED    'pair': an earlier item of its two parties runs       the end of that one's try → QUEUED
//             'paused': its whole account may not go                the time, or wake → QUEUED
//   DONE      'ended', or 'waits' for what its row says             a ring → QUEUED
//
// Memory decides here in which order items get slots: the files of one account never stand in front of another's, and the documents of one
// pair of parties go one at a time, in the order of arrival. Of items whose rows name their parties nothing rests on that (of others: lost-turns.ts).
// The ledger decides, in the commit that writes the attempt (admit.ts, ledger/pair-order.ts), whether an item may go: its lease, its circuit, the order within its document and its pair. It reads rows only, so
// it holds after a restart, and when a home moves to another node: there the commit says 'wait' where memory would have.
// What waits for a time, for another item or for the service is parked in its row (`next_attempt_at`, `waits_for`), and the bell brings it back.
import { ORDER_HOLD_MS } from '#domain/retry.ts';
import type { Clock } from '#runtime/clock.ts';

/** What becomes of an item after its work. */
export type Course =
  /** `ended`: the next one of its pair goes. `waits`: its row says for what; each of its pair has to ask for itself. `pair`: see startPair. */
  | { readonly next: 'ended' | 'waits' | 'pair' }
  /** It belongs to another account, and stands at the end of that one's queue. */
  | { readonly next: 'moved'; readonly account: string }
  /** The whole account pauses, the one in whose queue it stands where none is named, and the item keeps its place in front. */
  | { readonly next: 'paused'; readonly account?: string; readonly waitMs: number };

/** Where an item stands as its work begins. */
export interface Standing {
  /** In whose queue. */
  readonly account: string;
  /** The one before it in its pair has let it go, so it has had its turn. */
  readonly isNextOfPair: boolean;
}

/** Works on an item, and never throws. */
type Work = (id: string, standing: Standing) => Promise<Course>;

/**
 * An account has at most so many times the slots that are left free: one alone takes three quarters of them, several share, and there is
 * always one for the next account.
 */
const SHARE = 3;

/** While so many of an account are parked for their pairs, none of it begins that has not had its turn: to know still more of them gains nothing. */
const PARKED_MAX = 1_000;

type Place = 'waiting' | 'front' | 'parked';

interface AccountQueue {
  readonly account: string;
  /** In order. */
  readonly waiting: Set<string>;
  /** Had their turn before, and go first; the oldest of them before the others. */
  readonly front: Set<string>;
  readonly parked: Set<string>;
  running: number;
  pause: Disposable | null;
}

interface Entry {
  readonly id: string;
  queue: AccountQueue;
  /** Null while it runs. */
  place: Place | null;
  /** Since it runs: rung for, or woken. */
  again: boolean;
  woken: boolean;
}

interface Traveller {
  readonly item: string;
  readonly receivedAt: number;
}

interface Pair {
  readonly name: string;
  readonly running: Map<string, Traveller>;
  /** In order; also those that were woken to ask for themselves, until they have. */
  readonly waiting: Traveller[];
}

export class FairScheduler {
  readonly #clock: Clock;
  readonly #slots: number;
  readonly #work: Work;
  readonly #queues = new Map<string, AccountQueue>();
  readonly #entries = new Map<string, Entry>();
  readonly #pairs = new Map<string, Pair>();
  /** By item: the pair in which it runs, runs next or waits. */
  readonly #pairOf = new Map<string, Pair>();
  #running = 0;
  #wakes = 0;
  #closed: PromiseWithResolvers<void> | null = null;

  /** Ids are in the order of time. */
  constructor(clock: Clock, slots: number, work: Work) {
    this.#clock = clock;
    this.#slots = slots;
    this.#work = work;
  }

  /** Queues an item that is not in hand: at the end of its account's queue, or in front of those that have not had their turn. */
  enqueue(account: string, id: string, place: 'waiting' | 'front' = 'waiting'): void {
    if (this.ring(id)) return;
    const entry: Entry = { id, queue: this.#queueOf(account), place: null, again: false, woken: false };
    this.#entries.set(id, entry);
    this.#put(entry, place);
    this.#pump();
  }

  /** A ring for an item: if it is RUNNING, it gets another turn afterwards. False when the scheduler does not have the item. */
  ring(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry && entry.place === null) entry.again = true;
    return entry !== undefined;
  }

  /**
   * True when the item goes next in its pair, so that no other one does. False: it waits for those before it, and its work is to resolve with
   * `pair`. One that came longer ago than the order is held, or in what is the future now, holds back nobody.
   */
  startPair(name: string, item: Traveller): boolean {
    const pair: Pair = this.#pairs.get(name) ?? { name, running: new Map(), waiting: [] };
    const isBefore = (other: Traveller): boolean => other.item < item.item;
    const holdsBack = ({ receivedAt }: Traveller): boolean => Math.abs(this.#clock.now() - receivedAt) < ORDER_HOLD_MS;
    const waits = pair.waiting.some(isBefore) || [...pair.running.values()].some((other) => isBefore(other) && holdsBack(other));
    const isKnown = this.#pairOf.get(item.item) === pair && !pair.running.delete(item.item);
    this.#pairs.set(name, pair);
    this.#pairOf.set(item.item, pair);
    if (!waits) this.#enter(pair, item);
    else if (!isKnown) insertInto(pair.waiting, item);
    return !waits;
  }

  /** Ends all pauses: what they were made for may be over. */
  wake(): void {
    this.#wakes++;
    for (const queue of this.#queues.values()) {
      queue.pause?.[Symbol.dispose]();
      queue.pause = null;
    }
    this.#pump();
  }

  /** Begins nothing more, and resolves when what has begun has ended. */
  async close(): Promise<void> {
    this.#closed = Promise.withResolvers();
    for (const { pause } of this.#queues.values()) pause?.[Symbol.dispose]();
    if (this.#running > 0) await this.#closed.promise;
  }

  #pump(): void {
    if (this.#closed) return;
    for (let left = this.#queues.size; this.#running < this.#slots && left > 0; left--) {
      const [queue] = this.#queues.values();
      if (!queue) return;
      // To the end of the turns, or out of them.
      this.#queues.delete(queue.account);
      if (!isIdle(queue)) this.#queues.set(queue.account, queue);
      if (queue.pause || (queue.running > 0 && queue.running >= SHARE * (this.#slots - this.#running))) continue;
      const next = nextOf(queue);
      const entry = next === undefined ? undefined : this.#entries.get(next);
      if (!entry) continue;
      left = this.#queues.size + 1;
      void this.#run(entry);
    }
  }

  async #run(entry: Entry): Promise<void> {
    const { id, queue } = entry;
    this.#remove(entry);
    Object.assign(entry, { again: false, woken: false });
    queue.running++;
    this.#running++;
    const isNextOfPair = this.#pairOf.get(id)?.running.has(id) ?? false;
    const wakes = this.#wakes;
    const course = await this.#work(id, { account: queue.account, isNextOfPair });
    queue.running--;
    this.#running--;
    this.#settle(entry, course);
    // Woken meanwhile, it may have seen what is over.
    if (course.next === 'paused' && wakes === this.#wakes) this.#pause(entry.queue, course.waitMs);
    if (course.next !== 'pair') this.#leavePair(id, course.next === 'ended');
    if (this.#running === 0) this.#closed?.resolve();
    this.#pump();
  }

  #settle(entry: Entry, course: Course): void {
    if ('account' in course && course.account !== undefined) entry.queue = this.#queueOf(course.account);
    if (course.next === 'moved') this.#put(entry, 'waiting');
    else if (course.next === 'pair') this.#put(entry, entry.woken ? 'front' : 'parked');
    else if (course.next === 'paused') this.#put(entry, 'front');
    else if (entry.again) this.#put(entry, 'waiting');
    else this.#entries.delete(entry.id);
  }

  #pause(queue: AccountQueue, waitMs: number): void {
    queue.pause ??= this.#clock.after(waitMs, () => {
      queue.pause = null;
      this.#pump();
    });
  }

  /** When the item has ended, the first of those that wait goes, once no other one runs. Otherwise all of them ask, in order. */
  #leavePair(id: string, hasEnded: boolean): void {
    const pair = this.#pairOf.get(id);
    if (!pair) return;
    this.#pairOf.delete(id);
    if (!pair.running.delete(id)) removeFrom(pair.waiting, id);
    if (pair.running.size + pair.waiting.length === 0) this.#pairs.delete(pair.name);
    const [next] = pair.waiting;
    if (!hasEnded) for (const each of pair.waiting) this.#wakeParked(each.item);
    else if (next && pair.running.size === 0) {
      this.#enter(pair, next);
      this.#wakeParked(next.item);
    }
  }

  #enter(pair: Pair, item: Traveller): void {
    removeFrom(pair.waiting, item.item);
    pair.running.set(item.item, item);
  }

  #wakeParked(id: string): void {
    const entry = this.#entries.get(id);
    if (entry?.place === null) entry.woken = true;
    else if (entry) this.#put(entry, 'front');
  }

  #queueOf(account: string): AccountQueue {
    const known = this.#queues.get(account);
    if (known) return known;
    const queue = { account, waiting: new Set<string>(), front: new Set<string>(), parked: new Set<string>(), running: 0, pause: null };
    this.#queues.set(account, queue);
    return queue;
  }

  #put(entry: Entry, place: Place): void {
    this.#remove(entry);
    entry.queue = this.#queueOf(entry.queue.account);
    entry.queue[place].add(entry.id);
    entry.place = place;
  }

  #remove(entry: Entry): void {
    if (entry.place) entry.queue[entry.place].delete(entry.id);
    entry.place = null;
  }
}

function insertInto(waiting: Traveller[], item: Traveller): void {
  const at = waiting.findIndex((other) => item.item < other.item);
  waiting.splice(at < 0 ? waiting.length : at, 0, item);
}

function removeFrom(waiting: Traveller[], id: string): void {
  const at = waiting.findIndex(({ item }) => item === id);
  if (at >= 0) waiting.splice(at, 1);
}

const isIdle = ({ waiting, front, parked, running, pause }: AccountQueue): boolean =>
  waiting.size + front.size + parked.size + running === 0 && !pause;

function nextOf({ waiting, front, parked }: AccountQueue): string | undefined {
  return oldest(front) ?? (parked.size < PARKED_MAX ? firstOf(waiting) : undefined);
}

const firstOf = (ids: ReadonlySet<string>): string | undefined => ids.values().next().value;

function oldest(ids: ReadonlySet<string>): string | undefined {
  let found = firstOf(ids);
  for (const id of ids) if (found === undefined || id < found) found = id;
  return found;
}
