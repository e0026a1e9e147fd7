// Rings for what came, once more where it is still unread: on its way to gateways in other processes a ring may be lost, and a core may end
// between its commit and the ring. Each core looks for what any of them has taken, for one that has ended rings no more.
import { selectUnreadLists } from '#core/ledger/pages.ts';
import type { Ledger } from '#core/ledger/schema.ts';
import type { Listeners } from '#core/model/listeners.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

/** A message is looked for when it came one to two of these ago: by then gateways have read what they were rung for. */
const AGAIN_MS = 30_000;
/** Lists that are rung for again in one look; of more, those with the newest messages. */
const LISTS_MAX = 10_000;
/** What came so long before the start may be left unrung by cores that have ended; gateways find older messages by themselves. */
const BEFORE_START_MS = 10 * 60_000;

interface RingAgainParts {
  readonly ledger: Pick<Ledger, 'read'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly incoming: Listeners['incoming'];
}

export class RingAgain implements Disposable {
  readonly #parts: RingAgainParts;
  readonly #timer: Disposable;
  /** What came before was looked for. */
  #lookedForMs: number;

  constructor(parts: RingAgainParts) {
    this.#parts = parts;
    this.#lookedForMs = parts.clock.now() - BEFORE_START_MS;
    const failed = (error: unknown): void => parts.log.warn({ event: 'core.not-rung-again', err: error });
    this.#timer = every(parts.clock, AGAIN_MS, () => this.#look(), failed);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  async #look(): Promise<void> {
    const { ledger, clock, incoming } = this.#parts;
    const untilMs = clock.now() - AGAIN_MS;
    const lists = await selectUnreadLists(ledger.read, this.#lookedForMs, untilMs, LISTS_MAX);
    for (const { accountRegNo, family, integrationId } of lists) incoming(accountRegNo, family, integrationId);
    this.#lookedForMs = untilMs;
  }
}
