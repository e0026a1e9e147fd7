// Outcomes that end items are written behind the scenes: a try is over as soon as its answer is known.
import { setHead } from '#gateway/ledger/items.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import type { Clock } from '#runtime/clock.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';
import type { Releases } from './releases.ts';

/** Outcomes that are written at once: each has a file open. */
const WRITTEN_AT_ONCE_MAX = 256;
/** How soon an outcome that could not be written is tried again. */
const AFTER_FAILURE_MS = 15_000;

interface EndingParts {
  readonly inHand: Pick<HomesInHand, 'hold'>;
  readonly finisher: Finisher;
  readonly clock: Clock;
  readonly log: Log;
}

export class Endings {
  readonly #parts: EndingParts;
  readonly #releases: Releases;
  readonly #answered = new Set<string>();
  readonly #writing = new Set<Promise<void>>();
  readonly #room = new Semaphore(WRITTEN_AT_ONCE_MAX);

  constructor(parts: EndingParts, releases: Releases) {
    this.#parts = parts;
    this.#releases = releases;
  }

  /** Items whose answer has come and whose row is about to say so: they hold back none but those of the same document. */
  get answered(): ReadonlySet<string> {
    return this.#answered;
  }

  /** What needs no request is decided quicker than its outcome is written. */
  get isCrowded(): boolean {
    return this.#writing.size >= WRITTEN_AT_ONCE_MAX;
  }

  /** Resolves when there is room to write an outcome. */
  async room(): Promise<void> {
    (await this.#room.take())[Symbol.dispose]();
  }

  /** Ends the item, and lets those go that waited for it. */
  end(item: Item, head: ItemHead | null, outcome: Outcome): void {
    this.#answered.add(item.item);
    const work = this.#write(item, head, outcome);
    this.#writing.add(work);
    void work.finally(() => this.#writing.delete(work));
  }

  /** Resolves when all outcomes are written. */
  async close(): Promise<void> {
    await Promise.all(this.#writing);
  }

  async #write(item: Item, head: ItemHead | null, outcome: Outcome): Promise<void> {
    const { inHand, finisher, clock, log } = this.#parts;
    using _held = inHand.hold(item.home);
    // An item that never asked to be admitted is found by its document and its account all the same, also where only some of that could be read.
    const seen = head ?? outcome.seen;
    const together = async (rows: Rows): Promise<void> => {
      if (seen && !item.head) await setHead(rows, item, seen);
    };
    using _room = await this.#room.take();
    try {
      // While the receipt is staged. Those that cannot be read now go when the outcome is written.
      const releasing = this.#releases.releaseWaiting(item.item).catch(() => {});
      const [waiting] = await Promise.all([finisher.finish({ ...item, head }, outcome, { together }), releasing]);
      this.#answered.delete(item.item);
      // Once more: an item that was just being told to wait may not have been seen above, and those of the same document wait until now.
      if (waiting) this.#releases.release(waiting);
      else await this.#releases.releaseWaiting(item.item);
    } catch (error) {
      log.error({ event: 'submit.unfinished', item: item.item, accountRegNo: item.accountRegNo, err: error });
      this.#answered.delete(item.item);
      // A ledger that cannot store the one may refuse the other too; then the sweep postpones it as soon as it can.
      await this.#releases
        .postpone(item, clock.now() + AFTER_FAILURE_MS, 'the outcome could not be stored')
        .catch((failed: unknown) => log.error({ event: 'submit.not-postponed', item: item.item, err: failed }));
    }
  }
}
