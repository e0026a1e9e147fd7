// Rings for what came, once more where it is still unread: on its way to gateways in other processes a ring may be lost.
import { hasUnread } from '#core/ledger/pages.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import type { Listeners } from '#core/model/listeners.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

/** A message is looked at when it came one to two of these ago. */
const AGAIN_MS = 30_000;
/** Lists that were rung for within that time; of more, the first are rung for again. */
const LISTS_MAX = 10_000;

export interface RingAgainParts {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly incoming: Listeners['incoming'];
}

type Ring = Parameters<Listeners['incoming']>;

export class RingAgain implements Disposable {
  readonly #parts: RingAgainParts;
  readonly #timer: Disposable;
  /** By list: its last ring, since the last look and before it. */
  #now = new Map<string, Ring>();
  #before = new Map<string, Ring>();

  constructor(parts: RingAgainParts) {
    this.#parts = parts;
    const failed = (error: unknown): void => parts.log.warn({ event: 'core.not-rung-again', err: error });
    this.#timer = every(parts.clock, AGAIN_MS, () => this.#look(), failed);
  }

  /** Rings, now and perhaps again. */
  readonly incoming: Listeners['incoming'] = (...ring) => {
    const [accountRegNo, family] = ring;
    const list = `${accountRegNo} ${family}`;
    if (this.#now.size < LISTS_MAX || this.#now.has(list)) this.#now.set(list, ring);
    this.#parts.incoming(...ring);
  };

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  async #look(): Promise<void> {
    const due = this.#before;
    this.#before = this.#now;
    this.#now = new Map();
    const { ledger, incoming } = this.#parts;
    for (const ring of due.values()) {
      const [accountRegNo, family] = ring;
      if (await hasUnread(ledger.read, accountRegNo, family)) incoming(...ring);
    }
  }
}
