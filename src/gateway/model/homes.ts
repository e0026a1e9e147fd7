// Whose work this process does: homes are taken up and given up while it runs.
import { inGroups } from '#domain/groups.ts';

/** The homes that a statement is for. */
export type Homes = { readonly only: readonly string[] } | { readonly except: readonly string[] };

export const ALL_HOMES: Homes = { except: [] };

/** The same homes, so many in each: a statement, and a transaction's locks, take only so much. */
export function homesInGroups(homes: Homes, max: number): Homes[] {
  return 'only' in homes ? inGroups(homes.only, max).map((only) => ({ only })) : [homes];
}

export function isAmong(home: string, homes: Homes): boolean {
  return 'only' in homes ? homes.only.includes(home) : !homes.except.includes(home);
}

/** What runs for a home is counted, so that giving it up can wait for that. */
export class HomesInHand {
  /** Where all homes are in hand but some: those. Otherwise those that are in hand. */
  readonly #named: Set<string>;
  readonly #isAllBut: boolean;
  /** The same for statements, until that changes. */
  #all: Homes | null = null;
  /** Before what cannot be undone, such as a rename, an unlink or a POST: never returns where this process has lost its homes. */
  readonly check: () => void;
  readonly #running = new Map<string, number>();
  /** Of homes that are being given up: called when nothing runs for them any more. */
  readonly #calm = new Map<string, () => void>();

  /** All homes are in hand until they are given up; `only`: these are, and those that are taken. */
  constructor(only?: readonly string[], check: () => void = () => undefined) {
    this.#named = new Set(only);
    this.#isAllBut = only === undefined;
    this.check = check;
  }

  /** For statements over all that is in hand. */
  get all(): Homes {
    this.#all ??= this.#isAllBut ? { except: [...this.#named] } : { only: [...this.#named] };
    return this.#all;
  }

  has(home: string): boolean {
    return this.#named.has(home) !== this.#isAllBut;
  }

  /** Does the work, unless the home is not in hand. */
  async run<Result>(home: string, work: () => Promise<Result>): Promise<Result | undefined> {
    if (!this.has(home)) return undefined;
    using _held = this.hold(home);
    return await work();
  }

  /** Part of what runs for the home already goes on when that has ended. */
  hold(home: string): Disposable {
    this.#running.set(home, (this.#running.get(home) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        const left = (this.#running.get(home) ?? 0) - 1;
        if (left > 0) this.#running.set(home, left);
        else this.#running.delete(home);
        if (left === 0) this.#calm.get(home)?.();
      },
    };
  }

  take(home: string): void {
    this.#name(home, !this.#isAllBut);
  }

  /** Nothing begins for the home any more; resolves when what runs has ended. */
  async giveUp(home: string): Promise<void> {
    this.#name(home, this.#isAllBut);
    if (!this.#running.has(home)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#calm.set(home, resolve);
    await promise;
    this.#calm.delete(home);
  }

  #name(home: string, isNamed: boolean): void {
    if (isNamed) this.#named.add(home);
    else this.#named.delete(home);
    this.#all = null;
  }
}
