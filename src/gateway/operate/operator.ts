// What an operator's commands work with: the open ledger and the homes, whether a daemon runs beside them or not.

import { AppError } from '#domain/error.ts';
import type { Random } from '#domain/id.ts';
import type { ReceiptForm } from '#domain/receipt-forms.ts';
import { openQueue } from '#engines/open.ts';
import type { Queue } from '#engines/queue.ts';
import { sees } from '#gateway/accounts/senders.ts';
import { openArchive } from '#gateway/archive/archive.ts';
import { beginIncarnation } from '#gateway/disk/incarnation.ts';
import { readAccounts } from '#gateway/ledger/accounts.ts';
import { readLogins } from '#gateway/ledger/logins.ts';
import type { Ledger } from '#gateway/ledger/schema.ts';
import { END_LETTERS, type FoundItem, findItems } from '#gateway/ledger/searches.ts';
import { HomesInHand } from '#gateway/model/homes.ts';
import { ItemEnded } from '#gateway/model/item-ended.ts';
import { Finisher } from '#gateway/publish/finish.ts';
import { Publisher } from '#gateway/publish/publish.ts';
import type { Clock } from '#runtime/clock.ts';
import { FolderSync } from '#runtime/files/durable.ts';
import type { Log } from '#runtime/log.ts';

interface OperatorOptions {
  readonly data: string;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Of a daemon that shares homes with other nodes, and may lose them. */
  readonly check?: HomesInHand['check'] | undefined;
  /** The form of receipts where an account has not said. */
  readonly receipts: ReceiptForm;
  /** For how long copies are kept where an account has not said; null: there are none. */
  readonly archive: number | null;
}

/** Dispose at the end. */
export interface Operator extends OperatorOptions, AsyncDisposable {
  /** Of the command's process. */
  readonly incarnation: string;
  /** All homes: what it does is told by rings of its own. */
  readonly inHand: HomesInHand;
  readonly folders: FolderSync;
  /** No part answers it: a daemon's sweep, or the next start, finds the work. */
  readonly queue: Queue;
  readonly publisher: Publisher;
  readonly finisher: Finisher;
}

export async function openOperator(options: OperatorOptions): Promise<Operator> {
  const { data, ledger, clock, log } = options;
  const [accounts, logins] = await Promise.all([readAccounts(ledger.read), readLogins(ledger.read)]);
  const incarnation = await beginIncarnation(data, options.random);
  const ofAccount = (accountRegNo: string) => accounts.find((each) => each.accountRegNo === accountRegNo);
  const inHand = new HomesInHand(undefined, options.check);
  const parts = {
    ...options,
    incarnation: incarnation.id,
    inHand,
    folders: new FolderSync(),
    queue: openQueue(clock, log),
  };
  const publisher = new Publisher(parts);
  const finisher = new Finisher({
    publisher,
    data,
    archive: openArchive({
      data,
      inHand,
      clock,
      rules: (accountRegNo) => ({ archive: ofAccount(accountRegNo)?.receiving.archive ?? options.archive ?? 0 }),
    }),
    log,
    clock,
    receiptForm: (accountRegNo) => ofAccount(accountRegNo)?.receipts ?? options.receipts,
    dropper: (login) => logins.find((each) => each.login === login),
    readers: (home) => logins.filter((each) => sees(each, home)),
    // A running daemon hears of it by a ring.
    ended: new ItemEnded(),
  });
  return {
    ...parts,
    publisher,
    finisher,
    async [Symbol.asyncDispose]() {
      await publisher.close();
      incarnation[Symbol.dispose]();
    },
  };
}

/** The item with this id, or with this end of it as names of receipts have it. Throws `missing`, and `usage` when it names several. */
export async function itemNamed(ledger: Ledger, idOrEnd: string): Promise<FoundItem> {
  if (idOrEnd.length < END_LETTERS)
    throw new AppError('usage', `Name an item by its id, or by the ${END_LETTERS} letters that names of receipts have.`);
  const [found, other] = await findItems(ledger.read, idOrEnd);
  if (!found) throw new AppError('missing', `There is no item ${idOrEnd}; 'dropgate items' lists them.`);
  if (other)
    throw new AppError('usage', `More than one item ends with ${idOrEnd}; give the whole id, as 'dropgate items --json' shows it.`);
  return found;
}
