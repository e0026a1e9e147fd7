// A narrow place: a few works at once, the others wait in the order in which they came.

/** Returns what runs a work as soon as fewer than `max` others run. */
export function openNarrow(max: number): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= max) await new Promise<void>((enter) => waiting.push(enter));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The place goes over to the next one.
      if (next) next();
      else running--;
    }
  };
}
