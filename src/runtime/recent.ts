// A store of what was used recently, up to a total weight; what was used longest ago goes first.

export interface Recent<Value> {
  /** The value under the key, which counts as used by that; undefined when it is not there (any more). */
  get(key: string): Value | undefined;
  /** The same, and no longer kept. */
  take(key: string): Value | undefined;
  /** Keeps the value, and returns it. */
  put(key: string, value: Value): Value;
}

/** `weigh` says what a value weighs; one that is heavier than `weightMax` is not kept. */
export function keepRecent<Value>(weightMax: number, weigh: (value: Value) => number = () => 1): Recent<Value> {
  const kept = new Map<string, Value>();
  let weight = 0;

  function drop(key: string, value: Value): void {
    kept.delete(key);
    weight -= weigh(value);
  }

  return {
    get(key) {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    take(key) {
      const value = kept.get(key);
      if (value !== undefined) drop(key, value);
      return value;
    },
    put(key, value) {
      const before = kept.get(key);
      if (before !== undefined) drop(key, before);
      if (weigh(value) > weightMax) return value;
      kept.set(key, value);
      weight += weigh(value);
      for (const [oldest, old] of kept) {
        if (weight <= weightMax) break;
        drop(oldest, old);
      }
      return value;
    },
  };
}
