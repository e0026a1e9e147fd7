// Cancelling: a person takes a dropped file back, of which the service has nothing.
import { AppError } from '#domain/error.ts';
import { readAttempts } from '#gateway/ledger/attempts.ts';
import { readItem } from '#gateway/ledger/items.ts';
import { releaseTurns } from '#gateway/ledger/pair-order.ts';
import { leaveRing } from '#gateway/ledger/rings.ts';
import type { Rows } from '#gateway/ledger/schema.ts';
import { type Item, type ItemState, mayBecome } from '#gateway/model/item.ts';
import { cancelled, settled } from '#gateway/model/receipt-sentences.ts';
import { lockHome } from '#gateway/spool/hands.ts';
import { itemNamed, type Operator } from './operator.ts';

/**
 * Cancels an item: its receipt says so, and its original goes to refused. `tried`: a held item may have been tried, for the
 * administrator has looked at the service. Throws `missing`, and `forbidden` with the reason when it is too late.
 */
export async function cancelItem(on: Operator, idOrEnd: string, tried: boolean): Promise<Item> {
  const { item: id, home } = await itemNamed(on.ledger, idOrEnd);
  using _home = await lockHome(on, home);
  const item = await readItem(on.ledger.read, id);
  if (!item || !mayBecome(item.state, 'cancelled'))
    throw new AppError('forbidden', `Item ${id} is ${item?.state}: it cannot be cancelled any more.`);
  const settles = tried && item.state === 'held';

  async function together(rows: Rows): Promise<void> {
    const attempts = await readAttempts(rows, id);
    const isInDoubt = attempts.isOpen || attempts.tries.length < attempts.count || item?.recovered;
    const mayBeThere = attempts.count > 0 && isInDoubt;
    if (mayBeThere && !settles) throw tooLate(item?.state ?? 'pending', id);
    await releaseTurns(rows, id);
    await leaveRing(rows, { home, topic: 'ended', id });
  }
  const done = await on.finisher.finish(item, settles ? settled() : cancelled(), { from: item.state, together });
  if (!done) throw new AppError('forbidden', `Item ${id} has just ended; 'dropgate item ${id}' tells how.`);
  return item;
}

function tooLate(state: ItemState, id: string): AppError {
  const advice =
    state === 'held'
      ? "Look at the service first; when it is settled there, cancel it with --tried, or have it looked up and sent with 'dropgate resend'."
      : `Wait for its receipt; 'dropgate item ${id}' tells what was tried.`;
  return new AppError('forbidden', `Item ${id} was tried already, so the service may have it: it cannot be cancelled. ${advice}`);
}
