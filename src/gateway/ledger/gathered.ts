// Writes facts about clients (rejected logins, failed uploads) to the ledger in the background. The first fact is written at once, those of the
// following second in one commit, equal ones as one row with a count, so that a flood of clients costs one commit a second. Commits keep their
// order. Facts of the last second are lost when the process is killed.
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Ledger, Rows } from './schema.ts';

export interface GatheredParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
}

export interface GatheredKind<Fact> {
  /** Facts with the same key are counted as one, of which the latest is kept. */
  readonly keyOf: (fact: Fact) => string;
  readonly keep: (rows: Rows, fact: Fact & Counted) => Promise<void>;
  /** The log event of a failed commit. */
  readonly unkept: string;
}

interface Counted {
  readonly times: number;
}

const GATHER_MS = 1_000;
/** Facts between two commits; the oldest of more are dropped. */
const GATHERED_MAX = 1_000;

export class Gathered<Fact> implements AsyncDisposable {
  readonly #parts: GatheredParts;
  readonly #kind: GatheredKind<Fact>;
  /** By key; the one that was added longest ago stands first. */
  readonly #gathered = new Map<string, Fact & Counted>();
  #waiting: Disposable | undefined;
  #written: Promise<void> = Promise.resolve();
  #isUnderWay = false;

  constructor(parts: GatheredParts, kind: GatheredKind<Fact>) {
    this.#parts = parts;
    this.#kind = kind;
  }

  add(fact: Fact): void {
    const key = this.#kind.keyOf(fact);
    const times = (this.#gathered.get(key)?.times ?? 0) + 1;
    this.#gathered.delete(key);
    this.#gathered.set(key, { ...fact, times });
    const [oldest] = this.#gathered.keys();
    if (this.#gathered.size > GATHERED_MAX && oldest !== undefined) this.#gathered.delete(oldest);
    if (!this.#waiting) this.#write();
  }

  /** Resolves when everything is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#waiting?.[Symbol.dispose]();
    // The facts may wait for another commit to join: an empty one, so that closing does not wait for other writers.
    if (this.#isUnderWay) await this.#parts.ledger.write([], async () => undefined);
    await this.#written;
    this.#write('now');
    this.#waiting?.[Symbol.dispose]();
    await this.#written;
  }

  #write(when: 'now' | 'soon' = 'soon'): void {
    this.#waiting = undefined;
    if (this.#gathered.size === 0) return;
    const { ledger, clock, log } = this.#parts;
    const { keep, unkept } = this.#kind;
    const facts = [...this.#gathered.values()];
    this.#gathered.clear();
    this.#waiting = clock.after(GATHER_MS, () => void this.#written.then(() => this.#write()));
    const written = ledger.write(
      [],
      async (rows) => {
        for (const fact of facts) await keep(rows, fact);
      },
      when,
    );
    this.#isUnderWay = true;
    this.#written = written
      .catch((error: unknown) => log.error({ event: unkept, err: error }))
      .then(() => {
        this.#isUnderWay = false;
      });
  }
}
