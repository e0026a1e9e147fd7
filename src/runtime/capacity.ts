// A limit on what many hold at once, for example bytes in memory: whoever finds no room waits, in order.

export interface Capacity {
  /** Resolves when there is room for so much; dispose of it to make room again. What is more than the whole goes alone. */
  take(amount: number): Promise<Disposable>;
}

export function openCapacity(most: number): Capacity {
  let free = most;
  const waiting: { amount: number; go: () => void }[] = [];

  function admit(): void {
    for (let next = waiting[0]; next && next.amount <= free; next = waiting[0]) {
      waiting.shift();
      free -= next.amount;
      next.go();
    }
  }

  return {
    async take(asked) {
      const amount = Math.min(asked, most);
      await new Promise<void>((go) => {
        waiting.push({ amount, go });
        admit();
      });
      let held = true;
      return {
        [Symbol.dispose]() {
          if (held) free += amount;
          held = false;
          admit();
        },
      };
    },
  };
}
