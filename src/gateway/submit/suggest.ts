// Suggested repairs, for accounts that want them: a refused document with its forms repaired, which lies beside it for a person to look at.
import { join } from 'node:path';
import { dayOf } from '#domain/day.ts';
import { REPAIR_BYTES_MAX, type Repaired } from '#domain/receipt.ts';
import type { ReceiptCode } from '#domain/receipt-codes.ts';
import { spooledPath } from '#gateway/disk/spool-files.ts';
import type { Accounts } from '#gateway/model/account.ts';
import type { Item } from '#gateway/model/item.ts';
import type { Outcome } from '#gateway/model/outcome.ts';
import { readBytes } from '#gateway/reader/inspect.ts';
import { readBeside } from '#gateway/reader/pool.ts';
import type { Clock } from '#runtime/clock.ts';
import { Semaphore } from '#runtime/concurrency.ts';
import type { Log } from '#runtime/log.ts';

/** The repair that is suggested for an item with this outcome; null where there is none. Never throws. */
export type Suggest = (item: Item, outcome: Outcome) => Promise<Repaired | null>;

interface SuggestParts {
  readonly data: string;
  readonly accounts: Pick<Accounts, 'find' | 'addressesOf'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Refusals that the form of a value may be behind. */
const OF_FORM: ReadonlySet<ReceiptCode> = new Set<ReceiptCode>(['rule', 'head-incomplete', 'sender-not-yours', 'service-refused']);

/** One repair at a time: it takes several judgements of the document, and the other thread goes on judging what is to be sent. */
export function openSuggestions({ data, accounts, clock, log }: SuggestParts): Suggest {
  const turn = new Semaphore(1);
  return async (item, { code }) => {
    const { accountRegNo, size, sha256 } = item;
    if (!code || !OF_FORM.has(code) || size > REPAIR_BYTES_MAX || accounts.find(accountRegNo)?.repair !== 'suggest') return null;
    const addresses = accounts.addressesOf(accountRegNo);
    // Without its addresses no document is known to be its own.
    if (code === 'sender-not-yours' && addresses.length === 0) return null;
    using _turn = await turn.take();
    try {
      const read = await readBytes(join(data, spooledPath(item)));
      if (read.sha256 !== sha256) return null;
      return await readBeside('repair', { bytes: read.bytes, options: { day: dayOf(clock.now()), addresses } });
    } catch (error) {
      // The refusal stands, with a suggestion or without one.
      log.warn({ event: 'repair.failed', item: item.item, accountRegNo, err: error });
      return null;
    }
  };
}
