// Until when items wait for their next try.
import { preparedChange } from '#engines/prepared.ts';
import type { Homes } from '#gateway/model/homes.ts';
import { loseAttempts } from './attempts.ts';
import { endSilentWaits } from './circuit-breaker.ts';
import { among } from './homes.ts';
import type { Rows } from './schema.ts';

interface Wait {
  readonly now: number;
  /** It is not tried before. */
  readonly until: number;
  readonly reason: string;
  /** The item that it waits for; it may go as soon as that one lets it. */
  readonly waitsFor?: string | null;
}

const wait = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('items')
    .set({
      lease_owner: null,
      lease_until: 0,
      next_attempt_at: slot<number>('until'),
      waits_since: slot<number>('now'),
      waits_for: slot<string | null>('waitsFor'),
      reason: slot<string>('reason'),
    })
    .where('item', '=', slot<string>('item'))
    .where('state', '=', 'pending'),
);

/** Gives the item back. */
export async function postponeItem(rows: Rows, item: string, { now, until, reason, waitsFor = null }: Wait): Promise<void> {
  await wait(rows, { item, now, until, reason, waitsFor });
}

/**
 * These homes are taken up: leases of the process that worked for them before are void, what it had sent may never be answered, and what waited for
 * a turn asks again.
 */
export async function voidLeases(rows: Rows, homes: Homes): Promise<void> {
  const pending = rows.updateTable('items').where('state', '=', 'pending').where(among(homes));
  await pending.set({ lease_owner: null, lease_until: 0 }).where('lease_owner', 'is not', null).execute();
  await pending.set({ next_attempt_at: 0, waits_for: null }).where('waits_for', 'is not', null).execute();
  await endSilentWaits(rows, homes);
  await loseAttempts(rows, homes);
}

/** The pending items of the account are looked at now, whatever they wait for. */
export async function endWaits(rows: Rows, accountRegNo: string): Promise<void> {
  await rows
    .updateTable('items')
    .set({ next_attempt_at: 0 })
    .where('account_reg_no', '=', accountRegNo)
    .where('state', '=', 'pending')
    .execute();
}

/** The clock was put back: a wait that began at a time that has not come yet is over. */
export async function endWaitsBegunAfter(rows: Rows, homes: Homes, now: number): Promise<void> {
  const pending = rows.updateTable('items').set({ next_attempt_at: 0 }).where('state', '=', 'pending').where(among(homes));
  await pending.where('waits_since', '>', now).execute();
}
