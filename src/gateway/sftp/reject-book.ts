// Writes rejected connections to the ledger: the first at once, those of the next second together and counted.
// A crowd that is turned away must not cost a write each.

import { keepReject, type RejectRow } from '#gateway/ledger/rejects.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

export interface BookParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
}

const GATHER_MS = 1_000;
/** As many as the ledger keeps. */
const GATHERED_MAX = 1_000;

export class RejectBook implements AsyncDisposable {
  readonly #parts: BookParts;
  /** By address and login; the one that was added longest ago comes first. */
  readonly #gathered = new Map<string, RejectRow>();
  #waiting: Disposable | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(parts: BookParts) {
    this.#parts = parts;
  }

  add(reject: Omit<RejectRow, 'times'>): void {
    const key = `${reject.address} ${reject.login}`;
    const times = (this.#gathered.get(key)?.times ?? 0) + 1;
    this.#gathered.delete(key);
    this.#gathered.set(key, { ...reject, times });
    const [oldest] = this.#gathered.keys();
    if (this.#gathered.size > GATHERED_MAX && oldest !== undefined) this.#gathered.delete(oldest);
    if (!this.#waiting) this.#write();
  }

  /** Resolves when everything is written. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#waiting?.[Symbol.dispose]();
    this.#write();
    this.#waiting?.[Symbol.dispose]();
    await this.#written;
  }

  #write(): void {
    this.#waiting = undefined;
    if (this.#gathered.size === 0) return;
    const { ledger, clock, log } = this.#parts;
    const rejects = [...this.#gathered.values()];
    this.#gathered.clear();
    this.#waiting = clock.after(GATHER_MS, () => this.#write());
    const written = ledger.write(
      [],
      async (rows) => {
        for (const reject of rejects) await keepReject(rows, reject);
      },
      'soon',
    );
    const settled = written.catch((error: unknown) => log.error({ event: 'sftp.reject-unkept', err: error }));
    this.#written = Promise.all([this.#written, settled]).then(() => undefined);
  }
}
