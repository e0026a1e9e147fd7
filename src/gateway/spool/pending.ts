// How many files of a home wait for the service. A process that takes all files for a home counts them as they come and end; where other processes take some
// for it, too, the ledger is asked.
import { AppError } from '#domain/error.ts';
import { countPending } from '#gateway/ledger/items.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Item } from '#gateway/model/item.ts';
import { LruCache } from '#runtime/cache.ts';
import type { Clock } from '#runtime/clock.ts';

/** Room for so many files is enough for what all nodes take for one home until the ledger is asked again. */
const AMPLE_ROOM = 1_000;
const ASKED_EVERY_MS = 2_000;
const HOMES_MAX = 100_000;

interface PendingParts {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly inHand: Pick<HomesInHand, 'has'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Other nodes take files for homes that are in hand here. */
  readonly hasOtherNodes: boolean;
}

export class Pending {
  readonly #parts: PendingParts;
  readonly #items = new Map<string, Set<string>>();
  /** By home: when the ledger has told of ample room. */
  readonly #ample = new LruCache<{ readonly atMs: number }>(HOMES_MAX);

  constructor(parts: PendingParts) {
    this.#parts = parts;
  }

  /** Throws `quota` where the home holds as many as it may: at once where they are counted here, so that nothing comes between this and the taking of a file. */
  mustHaveRoom(home: string, max: number): Promise<void> | undefined {
    const { inHand, hasOtherNodes, clock } = this.#parts;
    if (hasOtherNodes || !inHand.has(home)) {
      const { atMs } = this.#ample.get(home) ?? { atMs: Number.NEGATIVE_INFINITY };
      return Math.abs(clock.now() - atMs) < ASKED_EVERY_MS ? undefined : this.#ask(home, max);
    }
    mustBeBelow(max, this.#of(home).size);
    return undefined;
  }

  /** It was taken here. False where another process has the home: its end would not be heard of. */
  add({ home, item }: Pick<Item, 'home' | 'item'>): boolean {
    const isInHand = this.#parts.inHand.has(home);
    if (isInHand) this.#of(home).add(item);
    return isInHand;
  }

  end({ home, item }: Pick<Item, 'home' | 'item'>): void {
    this.#items.get(home)?.delete(item);
  }

  /** The home is about to be in hand: these wait. */
  takeUp(home: string, items: readonly Pick<Item, 'item'>[]): void {
    this.#items.set(home, new Set(items.map(({ item }) => item)));
  }

  /** Returns those that it knew of. */
  giveUp(home: string): ReadonlySet<string> {
    const items = this.#of(home);
    this.#items.delete(home);
    return items;
  }

  async #ask(home: string, max: number): Promise<void> {
    const { ledger, clock } = this.#parts;
    const atMs = clock.now();
    const waiting = await countPending(ledger.read, home, max);
    mustBeBelow(max, waiting);
    if (waiting + AMPLE_ROOM <= max) this.#ample.put(home, { atMs });
  }

  #of(home: string): Set<string> {
    const items = this.#items.get(home) ?? new Set();
    this.#items.set(home, items);
    return items;
  }
}

function mustBeBelow(max: number, waiting: number): void {
  if (waiting >= max) throw new AppError('quota', `inbox is full: ${waiting} of ${max} files wait for the service; try again later`);
}
