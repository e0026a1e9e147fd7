// Rings for what came, once more where it is still unread: on its way to gateways in other processes a ring may be lost, and a core may end
// between its commit and the ring.
import { hasUnread, selectArrivals } from '#core/ledger/pages.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import type { Listeners } from '#core/model/listeners.ts';
import type { FamilyName } from '#domain/family.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

/** A message is looked at when it came one to two of these ago. */
const AGAIN_MS = 30_000;
/** Lists that were rung for within that time; of more, the first are rung for again. */
const LISTS_MAX = 10_000;
/** What came so long before the start may have been left unrung by the core before this one; gateways find older messages by themselves. */
const BEFORE_START_MS = 10 * 60_000;

interface RingAgainParts {
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
  /** Null once it was looked at what had come before. */
  #startedAt: number | null;

  constructor(parts: RingAgainParts) {
    this.#parts = parts;
    this.#startedAt = parts.clock.now();
    const failed = (error: unknown): void => parts.log.warn({ event: 'core.not-rung-again', err: error });
    this.#timer = every(parts.clock, AGAIN_MS, () => this.#look(), failed);
  }

  /** Rings, now and perhaps again. */
  readonly incoming: Listeners['incoming'] = (...ring) => {
    const [accountRegNo, family] = ring;
    const list = nameOf(accountRegNo, family);
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
    if (this.#startedAt !== null) {
      const arrivals = await selectArrivals(ledger.read, this.#startedAt - BEFORE_START_MS, this.#startedAt, LISTS_MAX);
      for (const { accountRegNo, family, integrationId } of arrivals)
        due.set(nameOf(accountRegNo, family), [accountRegNo, family, integrationId]);
      this.#startedAt = null;
    }
    for (const ring of due.values()) {
      const [accountRegNo, family] = ring;
      if (await hasUnread(ledger.read, accountRegNo, family)) incoming(...ring);
    }
  }
}

const nameOf = (accountRegNo: string, family: FamilyName): string => `${accountRegNo} ${family}`;
