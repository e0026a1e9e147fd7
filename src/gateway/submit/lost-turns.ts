// Items whose try broke off before their rows said who their parties are. The ledger cannot see that what comes later is of the same pair, so none of their
// account passes them until they have had their turn again.
import type { Clock } from '#runtime/clock.ts';

/** For how much longer than it has to wait a lost turn counts: on a busy machine its try comes later. */
const GRACE_MS = 60_000;

interface LostTurn {
  readonly account: string;
  readonly until: number;
}

export class LostTurns {
  readonly #clock: Clock;
  readonly #turns = new Map<string, LostTurn>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** It is tried again so soon; `account`: in whose queue it stands. */
  add(item: string, account: string, waitMs: number): void {
    this.#turns.set(item, { account, until: this.#clock.now() + waitMs + GRACE_MS });
  }

  has(item: string): boolean {
    return this.#turns.has(item);
  }

  /** It has had its turn, or has ended. */
  end(item: string): void {
    this.#turns.delete(item);
  }

  /** The item has its turn, unless an earlier one of these accounts has lost its own: then false. */
  take(item: string, accounts: readonly string[]): boolean {
    const now = this.#clock.now();
    for (const [id, { account, until }] of this.#turns) {
      if (until < now) this.#turns.delete(id);
      else if (id < item && accounts.includes(account)) return false;
    }
    this.end(item);
    return true;
  }
}
