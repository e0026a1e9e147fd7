// When items are tried: the bell rings at the time that their row names, and before it for those that something has let go.
import type { Queue } from '#engines/queue.ts';
import { postponeItem } from '#gateway/ledger/item-waits.ts';
import { readWaiting } from '#gateway/ledger/pair-order.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Item } from '#gateway/model/item.ts';
import type { Clock } from '#runtime/clock.ts';

interface ReleaseParts {
  readonly ledger: Ledger;
  readonly inHand: HomesInHand;
  readonly queue: Queue;
  readonly clock: Clock;
}

interface Postponement {
  readonly item: Item;
  readonly until: number;
  readonly reason: string;
}

export class Releases {
  readonly #ledger: Ledger;
  readonly #inHand: HomesInHand;
  readonly #queue: Queue;
  readonly #clock: Clock;
  /** By item: postponements that the ledger has not taken. Until then the lease of the try that failed keeps the item. */
  readonly #unwritten = new Map<string, Postponement>();
  /** Items that were let go before the time that their row names, until they are tried. */
  readonly #released = new Set<string>();

  constructor({ ledger, inHand, queue, clock }: ReleaseParts) {
    this.#ledger = ledger;
    this.#inHand = inHand;
    this.#queue = queue;
    this.#clock = clock;
  }

  /** Where the item stands in its queue: in front when it was let go; null when its time has not come. */
  placeOf({ item, nextAttemptAt }: Item): 'front' | 'waiting' | null {
    if (this.#released.has(item)) return 'front';
    return nextAttemptAt > this.#clock.now() ? null : 'waiting';
  }

  /** The item is let go, and need not be rung for. */
  keep(item: string): void {
    this.#released.add(item);
  }

  /** The item is tried, or has ended; true when it had been let go. */
  use(item: string): boolean {
    this.#unwritten.delete(item);
    return this.#released.delete(item);
  }

  release(items: readonly string[]): void {
    for (const item of items) {
      this.#released.add(item);
      this.#queue.ring('submit', item);
    }
  }

  /** Lets go those that wait for the item. */
  async releaseWaiting(item: string): Promise<void> {
    this.release(await readWaiting(this.#ledger.read, item));
  }

  async postpone(item: Item, until: number, reason: string): Promise<void> {
    this.#unwritten.set(item.item, { item, until, reason });
    await this.#ledger.write([], (rows) => postponeItem(rows, item.item, { now: this.#clock.now(), until, reason }));
    this.#unwritten.delete(item.item);
    this.#queue.ring('submit', item.item, until);
  }

  /** Writes the postponements that the ledger has not taken before. */
  async postponeAgain(): Promise<void> {
    for (const { item, until, reason } of [...this.#unwritten.values()]) {
      await this.#inHand.run(item.home, () => this.postpone(item, until, reason));
    }
  }
}
