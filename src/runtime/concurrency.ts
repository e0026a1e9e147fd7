// Limits on what runs at once, and its order. Work that finds no room waits, and goes in the order in which it came.

/** Room for so much at once, for example calls, files or bytes. */
export class Semaphore {
  readonly #max: number;
  readonly #waiting: { readonly amount: number; readonly go: () => void }[] = [];
  #free: number;

  constructor(max: number) {
    this.#max = max;
    this.#free = max;
  }

  /** Resolves when there is room for the amount; dispose of it to make room again. An amount above the maximum goes alone. */
  async take(asked = 1): Promise<Disposable> {
    const amount = Math.min(asked, this.#max);
    await new Promise<void>((go) => {
      this.#waiting.push({ amount, go });
      this.#admit();
    });
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#free += amount;
        isHeld = false;
        this.#admit();
      },
    };
  }

  /** Runs the work when there is room for one more. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    using _place = await this.take();
    return await work();
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next && next.amount <= this.#free; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.amount;
      next.go();
    }
  }
}

/** Works of one key run one after the other. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work when all that was asked for earlier under the key has ended, well or not. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    return this.runAll([key], work);
  }

  /** The same, under each of the keys. */
  runAll<Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> {
    const turn = Promise.all(keys.map((key) => this.#last.get(key))).then(work);
    const settled = turn
      .catch(() => undefined)
      .finally(() => {
        for (const key of keys) if (this.#last.get(key) === settled) this.#last.delete(key);
      });
    for (const key of keys) this.#last.set(key, settled);
    return turn;
  }
}

/** Works run at once, and end in the order in which they were begun. */
export class InOrder {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins the work now; ends as it does, but not before all that was begun earlier. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = work();
    const settled = result.catch(() => undefined);
    const turn = Promise.all([this.#last, settled]).then(() => result);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** Works on all in order, so many at once; the next one is fetched when there is room for it. Throws the first error once all that has begun has ended, and begins no more. */
export async function forEachLimit<Each>(all: Iterable<Each>, limit: number, work: (each: Each) => Promise<unknown>): Promise<void> {
  const left = all[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let next = left.next(); !next.done && failures.length === 0; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length > 0) throw failures[0];
}
