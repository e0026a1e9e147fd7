// A document that was dropped again for another receiver: where a number has one receiver, the earlier item, whose receiver is still looked for, is cancelled.
import { AppError } from '#domain/error.ts';
import { readAttempts } from '#gateway/ledger/attempts.ts';
import { readItem } from '#gateway/ledger/items.ts';
import type { Ledger, Rows } from '#gateway/ledger/schema.ts';
import type { Item, ItemHead } from '#gateway/model/item.ts';
import { redirected } from '#gateway/model/receipt-sentences.ts';
import type { Finisher } from '#gateway/publish/finish.ts';
import type { Log } from '#runtime/log.ts';

interface RedirectParts {
  readonly ledger: Ledger;
  readonly finisher: Finisher;
  readonly log: Log;
  /** Items whose answer has come, although their row still says pending. */
  readonly answered: ReadonlySet<string>;
}

/** Cancels an earlier item of the document that `by` sends, from its admission. An item that cannot be cancelled goes on being looked for. */
export async function endLookedFor(
  { ledger, finisher, log, answered }: RedirectParts,
  by: Item & { readonly head: ItemHead },
  id: string,
): Promise<void> {
  const other = await readItem(ledger.read, id);
  if (!other?.head || answered.has(id)) return;
  // It may just be tried once more.
  const together = async (rows: Rows): Promise<void> => {
    if ((await readAttempts(rows, id)).isOpen) throw new AppError('in-flight', `Item ${id} is under way.`);
  };
  try {
    await finisher.finish(other, redirected(other.head, by.head, by.item), { together });
  } catch (error) {
    log.warn({ event: 'submit.not-redirected', item: id, by: by.item, accountRegNo: by.accountRegNo, err: error });
  }
}
