// What other nodes have taken for homes that are in hand here, and nobody has rung for yet: it goes before what is taken here afterwards.
import { readItems } from '#gateway/ledger/items.ts';
import { LEFT_PAGE, readLeftBefore } from '#gateway/ledger/rings.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Item } from '#gateway/model/item.ts';
import { LruCache } from '#runtime/cache.ts';

/** Rings stay in the ledger for a second or two after they were heard. */
const HEARD_MAX = 10_000;

export class TakenElsewhere {
  readonly #ledger: Ledger;
  readonly #heard = new LruCache<true>(HEARD_MAX);

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** The items of its home that were left for us before this one, and were not heard of before. */
  async before(item: string): Promise<Item[]> {
    const left: string[] = [];
    // Those that are known stand behind those that are not: where a whole page of the newest is known, so are the others.
    for (let below = item; ; ) {
      const page = await readLeftBefore(this.#ledger.read, { item, below });
      const fresh = page.filter(({ id }) => !this.#heard.get(id));
      left.push(...fresh.map(({ id }) => id));
      const last = page.at(-1);
      if (!last || fresh.length === 0 || page.length < LEFT_PAGE) break;
      below = last.id;
    }
    const rows = await readItems(this.#ledger.read, left);
    return [...rows.values()];
  }

  /** These are queued: they are not told again. */
  hear(items: readonly Item[]): void {
    for (const { item } of items) this.#heard.put(item, true);
  }
}
