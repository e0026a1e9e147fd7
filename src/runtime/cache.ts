// A store of what was used recently, up to a total weight; what was used longest ago goes first.
import { LRUCache } from 'lru-cache';

export class LruCache<Value extends object | string | true> {
  readonly #kept: LRUCache<string, Value>;

  /** `weigh` says what a value weighs, 1 or more; one that is heavier than `weightMax` is not kept. */
  constructor(weightMax: number, weigh: (value: Value) => number = () => 1) {
    this.#kept = new LRUCache({ maxSize: weightMax, sizeCalculation: weigh });
  }

  /** The value under the key, which counts as used by that; undefined when it is not there (any more). */
  get(key: string): Value | undefined {
    return this.#kept.get(key);
  }

  /** The same, and no longer kept. */
  take(key: string): Value | undefined {
    const value = this.#kept.get(key);
    this.#kept.delete(key);
    return value;
  }

  /** Keeps the value, and returns it. */
  put(key: string, value: Value): Value {
    this.#kept.set(key, value);
    return value;
  }
}
