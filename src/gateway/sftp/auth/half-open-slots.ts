// Slots for half-open connections, which have not logged in yet: a connection has one, waits for one in a queue, or is refused.
import type { Clock } from '#runtime/clock.ts';
import { HalfOpenQueue } from './half-open-queue.ts';

export interface HalfOpenSettings {
  readonly unauthenticatedMax: number;
  readonly unauthenticatedPerAddressMax: number;
}

/** The slot of one connection, or its place in the queue. Disposed when the connection has logged in or ended. */
export interface HalfOpenSlot extends Disposable {
  /** Resolves with true when the connection has its slot, with false when it has waited too long. */
  readonly granted: Promise<boolean>;
  readonly isQueued: boolean;
  /** Another connection has its slot now. */
  readonly isEvicted: boolean;
  /** The client has sent its version, exchanged keys, or asked to log in: it is evicted later than those that do nothing. */
  progressed(): void;
}

interface HalfOpenSlots {
  /** Undefined when slots and queue are full. `evicted` is called when another connection takes the slot. */
  request(network: string, evicted: () => void): HalfOpenSlot | undefined;
  /** A connection of the network has logged in: connections of the network are evicted last from now on. */
  loggedIn(network: string): void;
}

/** A queue long enough for an office whose programs all start at once. */
const QUEUED_MS_MAX = 5_000;
const QUEUE_LIMITS = { queuedMax: 200, queuedPerNetworkMax: 20 } as const;

export function openHalfOpenSlots(settings: HalfOpenSettings, clock: Clock): HalfOpenSlots {
  const queue = new HalfOpenQueue<Slot>(() => ({
    openMax: settings.unauthenticatedMax,
    openPerNetworkMax: settings.unauthenticatedPerAddressMax,
    ...QUEUE_LIMITS,
  }));
  return {
    request(network, evicted) {
      const slot = new Slot(queue, evicted);
      const { is, evicts } = queue.add(slot, network);
      if (is === 'refused') return undefined;
      evicts?.evict();
      if (is === 'open') slot.grant();
      else slot.wait(clock);
      return slot;
    },
    loggedIn: (network) => queue.loggedIn(network),
  };
}

class Slot implements HalfOpenSlot {
  readonly #queue: HalfOpenQueue<Slot>;
  readonly #evicted: () => void;
  readonly #granted = Promise.withResolvers<boolean>();
  #isEvicted = false;
  /** Runs while the connection is queued. */
  #timer: Disposable | undefined;

  constructor(queue: HalfOpenQueue<Slot>, evicted: () => void) {
    this.#queue = queue;
    this.#evicted = evicted;
  }

  get granted(): Promise<boolean> {
    return this.#granted.promise;
  }

  get isQueued(): boolean {
    return this.#timer !== undefined;
  }

  get isEvicted(): boolean {
    return this.#isEvicted;
  }

  progressed(): void {
    this.#queue.progressed(this);
  }

  grant(): void {
    this.#settle(true);
  }

  wait(clock: Clock): void {
    this.#timer = clock.after(QUEUED_MS_MAX, () => this[Symbol.dispose]());
  }

  /** The queue has removed it: a queued connection is refused, an open one is told. */
  evict(): void {
    this.#isEvicted = true;
    if (this.isQueued) this.#settle(false);
    else this.#evicted();
  }

  [Symbol.dispose](): void {
    this.#settle(false);
    this.#queue.remove(this)?.grant();
  }

  #settle(isGranted: boolean): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#granted.resolve(isGranted);
  }
}
