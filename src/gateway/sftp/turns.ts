// One thing at a time for each key, in the order of asking.

export type Turns = <Result>(key: string, act: () => Promise<Result>) => Promise<Result>;

export function openTurns(): Turns {
  /** What was asked for last under each key; never rejects. */
  const last = new Map<string, Promise<unknown>>();
  return async (key, act) => {
    const before = last.get(key);
    const mine = (async () => {
      await before;
      return act();
    })();
    const ended = mine.catch(() => {});
    last.set(key, ended);
    try {
      return await mine;
    } finally {
      if (last.get(key) === ended) last.delete(key);
    }
  };
}
