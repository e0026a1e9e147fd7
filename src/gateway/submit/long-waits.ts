// After four hours of waiting (for a pause, the budget, its turn, an account that is disabled) an item's dropper gets a receipt, once. An item that
// was tried and not answered gets it from its attempt.
import { DELAYED_AFTER_MS } from '#domain/retry.ts';
import { readItem } from '#gateway/ledger/items.ts';
import { readUntold, type Untold } from '#gateway/ledger/long-waits.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import type { HomesInHand } from '#gateway/model/homes.ts';
import { waitsLong } from '#gateway/model/receipt-sentences.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import { type Clock, every } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';

const LOOK_EVERY_MS = 10 * 60_000;
/** Receipts at a time: after an outage there may be very many. */
const RECEIPTS_MAX = 1_000;

interface LongWaitParts {
  readonly ledger: Ledger;
  readonly inHand: HomesInHand;
  readonly finisher: Pick<Finisher, 'notify'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks until it is disposed. */
export function tellOfLongWaits({ ledger, inHand, finisher, clock, log }: LongWaitParts): Disposable {
  async function tell({ item: id, reason }: Untold): Promise<void> {
    const item = await readItem(ledger.read, id);
    if (item?.state === 'pending') await inHand.run(item.home, () => finisher.notify(item, waitsLong(reason)));
  }

  /** One whose receipt cannot be written stops none of the others. */
  async function look(): Promise<void> {
    const untold = await readUntold(ledger.read, inHand.all, clock.now() - DELAYED_AFTER_MS, RECEIPTS_MAX);
    for (const each of untold) {
      await tell(each).catch((error: unknown) => log.warn({ event: 'items.untold', item: each.item, err: error }));
    }
    if (untold.length > 0) log.warn({ event: 'items.delayed', items: untold.length });
  }
  return every(clock, LOOK_EVERY_MS, look, (error) => log.warn({ event: 'items.untold', err: error }));
}
