// The end of an item, told once, after its commit. It is made before the parts that end items, so that none of them knows the listeners.
import type { Feed } from './feed.ts';
import type { Item } from './item.ts';

/** `feed`: the one in which the service reports what becomes of the document; null when it took none by this item. */
type Listener = (item: Item, feed: Feed | null) => void;

export class ItemEnded {
  readonly #listeners: Listener[] = [];

  listen(listener: Listener): void {
    this.#listeners.push(listener);
  }

  /** Calls the listeners in the order in which they came. */
  tell(item: Item, feed: Feed | null): void {
    for (const listener of this.#listeners) listener(item, feed);
  }
}
