// When items are tried: the bell rings at the time that their row names, and before it for those that something has let go.
import type { Queue } from '#engines/queue.ts';
import { postponeItem } from '#gateway/ledger/items.ts';
import { readWaiting } from '#gateway/ledger/pair-order.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Item } from '#gateway/model/item.ts';
import type { Clock } from '#runtime/clock.ts';

export class Releases {
  readonly #ledger: Ledger;
  readonly #queue: Queue;
  readonly #clock: Clock;
  /** Items that were let go before the time that their row names, until they are tried. */
  readonly #released = new Set<string>();

  constructor({ ledger, queue, clock }: { readonly ledger: Ledger; readonly queue: Queue; readonly clock: Clock }) {
    this.#ledger = ledger;
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

  async postpone({ item }: Item, until: number, reason: string): Promise<void> {
    await this.#ledger.write([], (rows) => postponeItem(rows, item, { now: this.#clock.now(), until, reason }));
    this.#queue.ring('submit', item, until);
  }
}
