// Half-open connections, which have not logged in yet, shared fairly between networks: which ones are open, wait, or are evicted. Pure.
//
//                ┌──── its network may have one more open ─────▶ OPEN ──────┬─ remove: it has logged in, or has ended
//   NEW ── add ──┤                                                  ▲       └─ evicted by a new one, when all slots are taken
//                │                         an open one was removed  ┤
//                ├──── its network may have one more queued ───▶ QUEUED ────┬─ remove: it has waited too long, or has ended
//                │                                                          └─ evicted by a new one, when the queue is full
//                └──── neither ────────────────────────────────▶ REFUSED
//
// Open or queued, the connection to evict is chosen in the same way: one of the network that has the most, the new one counted; of several
// the one whose last progress is longest ago. Networks that have logged in lately are evicted only when there are no others. A new
// connection never evicts one of its own network: it is queued instead, or refused.
import { LruCache } from '#runtime/cache.ts';

export interface HalfOpenLimits {
  readonly openMax: number;
  readonly openPerNetworkMax: number;
  readonly queuedMax: number;
  readonly queuedPerNetworkMax: number;
}

interface Added<Connection> {
  readonly is: 'open' | 'queued' | 'refused';
  /** The connection that loses its place to the new one. */
  readonly evicts?: Connection | undefined;
}

/** Networks that are remembered because they have logged in. */
const KNOWN_MAX = 65_536;

export class HalfOpenQueue<Connection extends object> {
  readonly #open: SharedPlaces<Connection>;
  readonly #queued: SharedPlaces<Connection>;
  readonly #known = new LruCache<true>(KNOWN_MAX);

  /** `limits` is asked each time: they may change. */
  constructor(limits: () => HalfOpenLimits) {
    this.#open = new SharedPlaces(() => ({ max: limits().openMax, perNetworkMax: limits().openPerNetworkMax }));
    this.#queued = new SharedPlaces(() => ({ max: limits().queuedMax, perNetworkMax: limits().queuedPerNetworkMax }));
  }

  /** A connection never overtakes queued ones of its own network. */
  add(connection: Connection, network: string): Added<Connection> {
    const isKnown = (each: string): boolean => this.#known.get(each) === true;
    const open = this.#queued.countOf(network) === 0 ? this.#open.take(connection, network, isKnown) : null;
    if (open) return { is: 'open', ...open };
    const queued = this.#queued.take(connection, network, isKnown);
    return queued ? { is: 'queued', ...queued } : { is: 'refused' };
  }

  /** The client has sent its version, exchanged keys, or asked to log in. */
  progressed(connection: Connection): void {
    this.#open.moveToEnd(connection);
  }

  /** Returns the queued connection that is open now instead. */
  remove(connection: Connection): Connection | undefined {
    this.#queued.remove(connection);
    this.#open.remove(connection);
    if (this.#open.isFull) return undefined;
    const next = this.#queued.lowest((network) => (this.#open.hasRoomFor(network) ? this.#open.countOf(network) : null));
    const network = next && this.#queued.remove(next);
    if (next && network !== undefined) this.#open.add(next, network);
    return next;
  }

  loggedIn(network: string): void {
    this.#known.put(network, true);
  }
}

interface PlaceLimits {
  readonly max: number;
  readonly perNetworkMax: number;
}

/** A number of places of which each network may take some; connections are in the order of their last progress. */
class SharedPlaces<Connection extends object> {
  readonly #limits: () => PlaceLimits;
  readonly #networks = new Map<Connection, string>();
  readonly #counts = new Map<string, number>();

  constructor(limits: () => PlaceLimits) {
    this.#limits = limits;
  }

  get isFull(): boolean {
    return this.#networks.size >= this.#limits().max;
  }

  countOf(network: string): number {
    return this.#counts.get(network) ?? 0;
  }

  /** Whether the network may take one more place, perhaps from another network. */
  hasRoomFor(network: string): boolean {
    return this.countOf(network) < this.#limits().perNetworkMax;
  }

  /** Adds the connection, and evicts one when all places are taken; null when it may not. */
  take(
    connection: Connection,
    network: string,
    isKnown: (network: string) => boolean,
  ): { readonly evicts?: Connection | undefined } | null {
    if (!this.hasRoomFor(network)) return null;
    const evicts = this.isFull ? this.#toEvict(network, isKnown) : undefined;
    if (evicts) {
      if (this.#networks.get(evicts) === network) return null;
      this.remove(evicts);
    }
    this.add(connection, network);
    return { evicts };
  }

  add(connection: Connection, network: string): void {
    this.#networks.set(connection, network);
    this.#counts.set(network, this.countOf(network) + 1);
  }

  /** Returns its network; undefined when it was not here. */
  remove(connection: Connection): string | undefined {
    const network = this.#networks.get(connection);
    if (network === undefined) return undefined;
    this.#networks.delete(connection);
    const left = this.countOf(network) - 1;
    if (left > 0) this.#counts.set(network, left);
    else this.#counts.delete(network);
    return network;
  }

  moveToEnd(connection: Connection): void {
    const network = this.#networks.get(connection);
    if (network === undefined) return;
    this.#networks.delete(connection);
    this.#networks.set(connection, network);
  }

  /** The first connection whose network has the lowest rank; networks of rank null are left out. */
  lowest(rankOf: (network: string) => number | null): Connection | undefined {
    let found: Connection | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [connection, network] of this.#networks) {
      const rank = rankOf(network);
      if (rank === null || rank >= lowest) continue;
      found = connection;
      lowest = rank;
    }
    return found;
  }

  #toEvict(newcomer: string, isKnown: (network: string) => boolean): Connection | undefined {
    const taken = (network: string): number => this.countOf(network) + Number(network === newcomer);
    return this.lowest((network) => (isKnown(network) ? 0 : -this.#limits().max - 1) - taken(network));
  }
}
