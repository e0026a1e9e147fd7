// Items that are rung for, with those that have to be queued before them.
import { isAway } from '#engines/failures.ts';
import { readItem, readItems } from '#gateway/ledger/items.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Item } from '#gateway/model/item.ts';
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

  /** The item, behind those that have to be queued before it. Throws what the ledger throws; the item goes before the next one then. */
  async read(id: string): Promise<readonly Item[]> {
    const { ledger, elsewhere, releases } = this.#parts;
    const missed = [...this.#missed].sort();
    try {
      const [rows, before = [], item] = await Promise.all([
        readItems(ledger.read, missed),
        elsewhere?.before(id),
        readItem(ledger.read, id),
      ]);
      for (const each of missed) this.#missed.delete(each);
      if (!item) releases.use(id);
      const found = [...rows.values(), ...before, ...(item ? [item] : [])];
      // Not before all is known: where a part of it could not be read, all of it comes again.
      elsewhere?.hear(found);
      return found.sort((a, b) => (a.item < b.item ? -1 : 1));
    } catch (error) {
      if (isAway(error) && this.#missed.size < MISSED_MAX) this.#missed.add(id);
      throw error;
    }
  }
}
