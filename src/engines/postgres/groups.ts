// Writes that share a transaction: while others are committed, those that come wait together. What one of them gets wrong undoes all, and then each is
// run again alone.
import type { Kysely } from 'kysely';
import type { Scope } from '#engines/database.ts';
import type { Clock } from '#runtime/clock.ts';
import { KeyedMutex } from '#runtime/concurrency.ts';
import type { Work } from './transaction.ts';

/** Transactions that go on while what comes waits for one of them to end; more are begun only for what has waited for long. */
const BUSY = 2;
const PATIENCE_MS = 10;

/** Writes of one transaction at the most. */
const GROUP_MAX = 32;

interface Write<Tables> {
  readonly scopes: readonly Scope[];
  readonly work: (rows: Kysely<Tables>) => Promise<void>;
  /** Without a failure: it is committed. */
  readonly settle: (failed?: { readonly error: unknown }) => void;
}

interface GroupsParts<Tables> {
  readonly clock: Clock;
  /** Transactions at once, at the most. */
  readonly max: number;
  /** One transaction that holds the scopes, tried as often as others are the reason that it fails; `isShared`: once. */
  readonly transact: (scopes: readonly Scope[], work: Work<Tables, void>, isShared: boolean) => Promise<void>;
}

export class Groups<Tables> {
  readonly #parts: GroupsParts<Tables>;
  #waiting: Write<Tables>[] = [];
  readonly #running = new Set<readonly Write<Tables>[]>();
  #patience: Disposable | null = null;

  constructor(parts: GroupsParts<Tables>) {
    this.#parts = parts;
  }

  write<Result>(scopes: readonly Scope[], work: Work<Tables, Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let result: Result;
      this.#waiting.push({
        scopes,
        work: async (rows) => {
          result = await work(rows);
        },
        settle: (failed) => (failed ? reject(failed.error) : resolve(result)),
      });
      this.#begin(BUSY);
    });
  }

  #begin(most: number): void {
    while (this.#running.size < Math.min(most, this.#parts.max)) {
      const group = this.#next();
      if (group.length === 0) return;
      this.#running.add(group);
      void this.#run(group).finally(() => {
        this.#running.delete(group);
        this.#begin(BUSY);
      });
    }
    if (this.#waiting.length === 0) return;
    this.#patience ??= this.#parts.clock.after(PATIENCE_MS, () => {
      this.#patience = null;
      this.#begin(this.#running.size + 1);
    });
  }

  /** Those that may go: none passes an earlier one with which it has a scope in common, but it may share its transaction. */
  #next(): Write<Tables>[] {
    const kept = new Set([...this.#running].flatMap((group) => group.flatMap(({ scopes }) => scopes)));
    const group: Write<Tables>[] = [];
    const left: Write<Tables>[] = [];
    for (const write of this.#waiting) {
      const mayGo = group.length < GROUP_MAX && !write.scopes.some((scope) => kept.has(scope));
      (mayGo ? group : left).push(write);
      if (!mayGo) for (const scope of write.scopes) kept.add(scope);
    }
    this.#waiting = left;
    return group;
  }

  /** Never rejects. */
  async #run(group: readonly Write<Tables>[]): Promise<void> {
    const [first, second] = group;
    if (first && !second) return this.#alone(first);
    try {
      await this.#parts.transact(
        [...new Set(group.flatMap(({ scopes }) => scopes))],
        (rows) => inOrder(group, ({ work }) => work(rows)),
        true,
      );
    } catch {
      return inOrder(group, (write) => this.#alone(write));
    }
    for (const { settle } of group) settle();
  }

  async #alone({ scopes, work, settle }: Write<Tables>): Promise<void> {
    await this.#parts.transact(scopes, work, false).then(
      () => settle(),
      (error: unknown) => settle({ error }),
    );
  }
}

/** Those with a scope in common one after the other. Throws the first error, after all have ended: none is to say anything behind a rollback. */
async function inOrder<Tables>(group: readonly Write<Tables>[], run: (write: Write<Tables>) => Promise<void>): Promise<void> {
  const order = new KeyedMutex();
  const ended = await Promise.allSettled(group.map((write) => order.runAll(write.scopes, () => run(write))));
  const failed = ended.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}
