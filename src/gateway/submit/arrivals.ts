// Items that are rung for, with those that have to be queued before them.
import { isAway } from '#engines/failures.ts';
import { readItem, readItems } from '#gateway/ledger/items.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Item } from '#gateway/model/item.ts';
import type { InOrder } from '#runtime/concurrency.ts';
import type { Releases } from './releases.ts';
import type { TakenElsewhere } from './taken-elsewhere.ts';

/** Of more the sweep finds the others. */
const MISSED_MAX = 1_000;

export interface ArrivalParts {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly releases: Pick<Releases, 'use'>;
  /** Null where no other node takes anything. */
  readonly elsewhere: TakenElsewhere | null;
}

export class Arrivals {
  readonly #parts: ArrivalParts;
  /** Rung for while the ledger was away, so that they are not queued yet: they go before what comes afterwards. */
  readonly #missed = new Set<string>();

  constructor(parts: ArrivalParts) {
    this.#parts = parts;
  }

  /**
   * The item, behind those that have to be queued before it; `inOrder`: in which items are queued. Throws what the ledger throws; the item goes before the next
   * one then.
   */
  async read(id: string, inOrder: InOrder): Promise<readonly Item[]> {
    let found = await inOrder.run(() => this.#read(id));
    // An earlier one may have been asked for when this one was, and have been missed since.
    while (this.#missed.size > 0) {
      const missed = [...this.#missed];
      const rows = await inOrder.run(() => this.#readMissed(missed, found));
      // Not before it is their turn: what is told earlier must not pass them.
      for (const each of missed) this.#missed.delete(each);
      found = [...rows.values(), ...found];
    }
    return found.toSorted((a, b) => (a.item < b.item ? -1 : 1));
  }

  async #read(id: string): Promise<readonly Item[]> {
    const { ledger, elsewhere, releases } = this.#parts;
    try {
      const [before = [], item] = await Promise.all([elsewhere?.before(id), readItem(ledger.read, id)]);
      if (!item) releases.use(id);
      const found = [...before, ...(item ? [item] : [])];
      // Not before all is known: where a part of it could not be read, all of it comes again.
      elsewhere?.hear(found);
      return found;
    } catch (error) {
      if (isAway(error)) this.#miss([id]);
      throw error;
    }
  }

  /** Where they cannot be read either, `found` is missed with them. */
  async #readMissed(missed: readonly string[], found: readonly Item[]): Promise<ReadonlyMap<string, Item>> {
    try {
      return await readItems(this.#parts.ledger.read, missed);
    } catch (error) {
      this.#miss(found.map(({ item }) => item));
      throw error;
    }
  }

  #miss(ids: readonly string[]): void {
    for (const id of ids) if (this.#missed.size < MISSED_MAX) this.#missed.add(id);
  }
}
