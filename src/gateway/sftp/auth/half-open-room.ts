// The room for connections that have not logged in yet, shared fairly between networks: who enters, who waits, who gives way. Pure.
//
//                ┌──── its network may have one more inside ────▶ INSIDE ───┬─ leave: it has logged in, or has gone
//   NEW ── offer ┤                                                  ▲       └─ the room is full: a newcomer takes its place
//                │                      another one has left inside ┤
//                ├──── it may have one more in line ───────────▶ IN LINE ───┬─ leave: it has waited too long, or has gone
//                │                                                          └─ the line is full: a newcomer takes its place
//                └──── neither ────────────────────────────────▶ TURNED AWAY
//
// Inside and in line those who give way are chosen alike: one of the network that holds most, the newcomer counted; among equals the one
// whose last step is longest ago. Networks that have logged in lately give way when there are no others. Where a newcomer would push out
// one of its own network it waits instead, or is turned away.
import { LruCache } from '#runtime/cache.ts';

export interface RoomLimits {
  /** Connections in all, and of one network. */
  readonly insideMax: number;
  readonly insidePerNetworkMax: number;
  readonly inLineMax: number;
  readonly inLinePerNetworkMax: number;
}

export interface Offer<Guest> {
  readonly is: 'inside' | 'in-line' | 'turned-away';
  /** The one that gives way to it, and is neither inside nor in line from now on. */
  readonly instead?: Guest | undefined;
}

/** Networks that are remembered because they have logged in. */
const KNOWN_MAX = 65_536;

export class HalfOpenRoom<Guest extends object> {
  readonly #inside: Share<Guest>;
  readonly #line: Share<Guest>;
  readonly #known = new LruCache<true>(KNOWN_MAX);

  constructor({ insideMax, insidePerNetworkMax, inLineMax, inLinePerNetworkMax }: RoomLimits) {
    this.#inside = new Share(insideMax, insidePerNetworkMax);
    this.#line = new Share(inLineMax, inLinePerNetworkMax);
  }

  /** A guest never overtakes those of its own network that wait already. */
  offer(guest: Guest, network: string): Offer<Guest> {
    const isKnown = (each: string): boolean => this.#known.get(each) === true;
    const inside = this.#line.countOf(network) === 0 ? this.#inside.take(guest, network, isKnown) : null;
    if (inside) return { is: 'inside', ...inside };
    const inLine = this.#line.take(guest, network, isKnown);
    return inLine ? { is: 'in-line', ...inLine } : { is: 'turned-away' };
  }

  /** It has come further: it has greeted, exchanged keys, or asked to log in. */
  step(guest: Guest): void {
    this.#inside.touch(guest);
  }

  /** It has logged in, gone, or waited too long. Returns the one from the line that is inside now. */
  leave(guest: Guest): Guest | undefined {
    this.#line.remove(guest);
    this.#inside.remove(guest);
    if (this.#inside.isFull) return undefined;
    const next = this.#line.fairest((network) => (this.#inside.hasRoomFor(network) ? this.#inside.countOf(network) : null));
    const network = next && this.#line.remove(next);
    if (next && network !== undefined) this.#inside.add(next, network);
    return next;
  }

  /** Somebody of the network has logged in. */
  welcome(network: string): void {
    this.#known.put(network, true);
  }
}

/** So many places, of which each network has some; the guest whose last step is longest ago comes first. */
class Share<Guest extends object> {
  readonly #max: number;
  readonly #perNetworkMax: number;
  readonly #networks = new Map<Guest, string>();
  readonly #counts = new Map<string, number>();

  constructor(max: number, perNetworkMax: number) {
    this.#max = max;
    this.#perNetworkMax = perNetworkMax;
  }

  get isFull(): boolean {
    return this.#networks.size >= this.#max;
  }

  countOf(network: string): number {
    return this.#counts.get(network) ?? 0;
  }

  /** Whether the network may have one more, be it in place of another one. */
  hasRoomFor(network: string): boolean {
    return this.countOf(network) < this.#perNetworkMax;
  }

  /** Adds the guest, in place of `instead` where all places are taken; null when it would have to push out one of its own network. */
  take(guest: Guest, network: string, isKnown: (network: string) => boolean): { readonly instead?: Guest | undefined } | null {
    if (!this.hasRoomFor(network)) return null;
    const instead = this.isFull ? this.#givingWayTo(network, isKnown) : undefined;
    if (instead) {
      if (this.#networks.get(instead) === network) return null;
      this.remove(instead);
    }
    this.add(guest, network);
    return { instead };
  }

  add(guest: Guest, network: string): void {
    this.#networks.set(guest, network);
    this.#counts.set(network, this.countOf(network) + 1);
  }

  /** Returns its network; undefined when it was not here. */
  remove(guest: Guest): string | undefined {
    const network = this.#networks.get(guest);
    if (network === undefined) return undefined;
    this.#networks.delete(guest);
    const left = this.countOf(network) - 1;
    if (left > 0) this.#counts.set(network, left);
    else this.#counts.delete(network);
    return network;
  }

  touch(guest: Guest): void {
    const network = this.#networks.get(guest);
    if (network === undefined) return;
    this.#networks.delete(guest);
    this.#networks.set(guest, network);
  }

  /** The first whose network has the lowest rank; null is none. */
  fairest(rankOf: (network: string) => number | null): Guest | undefined {
    let found: Guest | undefined;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [guest, network] of this.#networks) {
      const rank = rankOf(network);
      if (rank === null || rank >= lowest) continue;
      found = guest;
      lowest = rank;
    }
    return found;
  }

  #givingWayTo(newcomer: string, isKnown: (network: string) => boolean): Guest | undefined {
    const holds = (network: string): number => this.countOf(network) + Number(network === newcomer);
    return this.fairest((network) => (isKnown(network) ? 0 : -this.#max - 1) - holds(network));
  }
}
