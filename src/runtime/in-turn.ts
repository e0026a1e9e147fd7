// Works of one key, one after the other, in the order in which they were asked for.

export type InTurn = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

export function openTurnstile(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    const settled = turn.catch(() => undefined).finally(() => last.get(key) === settled && last.delete(key));
    last.set(key, settled);
    return turn;
  };
}
