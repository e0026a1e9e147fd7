// How many files of a home wait for the service: of homes in hand they are counted as they come and end here, of others the ledger is asked.
import { AppError } from '#domain/error.ts';
import { countPending } from '#gateway/ledger/items.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Item } from '#gateway/model/item.ts';

interface PendingParts {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly inHand: Pick<HomesInHand, 'has'>;
}

export class Pending {
  readonly #parts: PendingParts;
  readonly #items = new Map<string, Set<string>>();

  constructor(parts: PendingParts) {
    this.#parts = parts;
  }

  /** Throws `quota` where the home holds as many as it may; of one in hand at once, so that nothing comes between this and the taking of a file. */
  mustHaveRoom(home: string, max: number): Promise<void> | undefined {
    const { ledger, inHand } = this.#parts;
    if (!inHand.has(home)) return countPending(ledger.read, home, max).then((waiting) => mustBeBelow(max, waiting));
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

  #of(home: string): Set<string> {
    const items = this.#items.get(home) ?? new Set();
    this.#items.set(home, items);
    return items;
  }
}

function mustBeBelow(max: number, waiting: number): void {
  if (waiting >= max) throw new AppError('quota', `inbox is full: ${waiting} of ${max} files wait for the service; try again later`);
}
