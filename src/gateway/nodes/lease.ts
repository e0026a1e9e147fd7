// The lease of this node: renewed all the time, on connections of its own, so that no write that waits holds it up. When it has passed, another may have
// the homes: then this process ends before it touches anything more. A process that was stopped looks before each step that cannot be undone.
import { AppError } from '#domain/error.ts';
import { renewLease } from '#gateway/ledger/nodes.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

/** Renewed so often within its time: it may fail in between. */
const TIMES = 4;
/** Looked at so often within its time, and once a second at least. */
const LOOKS = 20;
const LOOK_MS_MAX = 1_000;

interface LeaseParts {
  /** Of this node alone. */
  readonly ledger: Ledger;
  readonly incarnation: string;
  readonly leaseMs: number;
  /** Milliseconds that nobody sets; they may stand still while the machine sleeps, and the clock does not. */
  readonly ticks: () => number;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the process. */
  readonly lost: (sentence: string) => void;
}

interface Moment {
  readonly ticks: number;
  readonly atMs: number;
}

/** Dispose to renew it no more. */
export class Lease implements Disposable {
  readonly #parts: LeaseParts;
  readonly #timers: readonly Disposable[];
  /** When it was last begun or renewed, at the latest. */
  #since: Moment;
  #isOver = false;
  #isDisposed = false;
  #ask: () => Promise<unknown> = async () => undefined;
  #told: (isWell: boolean) => void = () => undefined;

  /** It was begun in the ledger after that moment. */
  constructor(parts: LeaseParts, since: Moment) {
    this.#parts = parts;
    this.#since = since;
    const { clock, leaseMs, log } = parts;
    const failed = (error: unknown): void => {
      log.warn({ event: 'node.not-ready', err: error });
      if (!this.#isDisposed) this.#told(false);
    };
    this.#timers = [
      every(clock, leaseMs / TIMES, () => this.#renew(), failed),
      every(clock, Math.min(leaseMs / LOOKS, LOOK_MS_MAX), () => this.holds(), failed),
    ];
  }

  /** What the lease of a process counts from that begins it, or renews it, now. */
  static moment({ ticks, clock }: Pick<LeaseParts, 'ticks' | 'clock'>): Moment {
    return { ticks: ticks(), atMs: clock.now() };
  }

  /** Ends the process where it has passed, by either clock; false where somebody keeps it from ending. */
  holds(): boolean {
    if (this.#isDisposed) return true;
    const { leaseMs } = this.#parts;
    const now = Lease.moment(this.#parts);
    const left = leaseMs - Math.max(now.ticks - this.#since.ticks, now.atMs - this.#since.atMs);
    if (left <= 0)
      this.#end('Its lease has passed: it was stopped, its folder hung, or the database was away. It ends, to be started again.');
    return !this.#isOver;
  }

  /** From now on `ask` is asked with each renewal; `told` hears whether both have come to a good end in time. */
  onRenewal(ask: () => Promise<unknown>, told: (isWell: boolean) => void): void {
    this.#ask = ask;
    this.#told = told;
  }

  /** Before what cannot be undone. Throws `locked` where it has passed, should the process still be there. */
  check(): void {
    if (!this.holds()) throw new AppError('locked', 'This node has lost its homes.');
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    for (const timer of this.#timers) timer[Symbol.dispose]();
  }

  /** Waits no longer than until the next time: that may go by another connection. */
  async #renew(): Promise<void> {
    const { ledger, incarnation, leaseMs, clock } = this.#parts;
    const since = Lease.moment(this.#parts);
    const renewing = ledger
      .write([], (rows) => renewLease(rows, incarnation, leaseMs))
      .then((isRenewed) => {
        if (this.#isDisposed) return;
        if (!isRenewed) this.#end('Another node has ended it.');
        if (since.ticks > this.#since.ticks) this.#since = since;
      });
    const { promise: late, reject } = Promise.withResolvers<never>();
    using _patience = clock.after(leaseMs / TIMES, () => reject(new Error('The database, or the disk, does not answer.')));
    await Promise.race([Promise.all([renewing, this.#ask()]), late]);
    if (!this.#isDisposed) this.#told(!this.#isOver);
  }

  #end(sentence: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.lost(sentence);
  }
}
