// Items that the service has, whose documents are still on their way through the network: which status was last reported of each.
import type { Selectable } from 'kysely';
import { pipelined } from '#engines/pipelined.ts';
import { preparedChange } from '#engines/prepared.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { Homes } from '#gateway/model/homes.ts';
import { ofAccountAmong } from './homes.ts';
import type { Rows, Tables } from './schema.ts';

export interface Delivery {
  readonly item: string;
  readonly integrationId: string;
  readonly status: string;
  readonly acceptedAt: number;
}

const closeEarlier = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('deliveries')
    .set({ open: 0 })
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('integration_id', '=', slot<string>('integrationId')),
);

const newDelivery = preparedChange((rows: Rows, slot) =>
  rows
    .insertInto('deliveries')
    .values({
      item: slot<string>('item'),
      account_reg_no: slot<string>('accountRegNo'),
      family: slot<string>('family'),
      integration_id: slot<string>('integrationId'),
      status: '',
      accepted_at: slot<number>('nowMs'),
      open: 1,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

/** Follows an item from now on. What was sent before under the same integrationId was replaced by it, and is followed no more. */
export async function insertDelivery(
  rows: Rows,
  { accountRegNo, family }: Feed,
  item: string,
  integrationId: string,
  nowMs: number,
): Promise<void> {
  await pipelined(
    closeEarlier(rows, { accountRegNo, integrationId }),
    newDelivery(rows, { item, accountRegNo, family, integrationId, nowMs }),
  );
}

/** Those of a feed of which more may come, the newest first. */
export async function readOpenDeliveries(rows: Rows, { accountRegNo, family }: Feed, limit: number): Promise<Delivery[]> {
  const found = await rows
    .selectFrom('deliveries')
    .selectAll()
    .where('open', '=', 1)
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .orderBy('accepted_at', 'desc')
    .limit(limit)
    .execute();
  return found.map(deliveryOf);
}

/** Those that are open among the ones with these identities. */
export async function readOpenAmong(rows: Rows, { accountRegNo }: Feed, integrationIds: readonly string[]): Promise<Delivery[]> {
  const found = await rows
    .selectFrom('deliveries')
    .selectAll()
    .where('account_reg_no', '=', accountRegNo)
    .where('integration_id', 'in', integrationIds)
    .where('open', '=', 1)
    .execute();
  return found.map(deliveryOf);
}

/** When the oldest of a feed was accepted of which more may come. */
export async function readOldestOpen(rows: Rows, { accountRegNo, family }: Feed): Promise<number | undefined> {
  const row = await rows
    .selectFrom('deliveries')
    .select('accepted_at')
    .where('open', '=', 1)
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .orderBy('accepted_at')
    .limit(1)
    .executeTakeFirst();
  return row?.accepted_at;
}

function deliveryOf(row: Selectable<Tables['deliveries']>): Delivery {
  return { item: row.item, integrationId: row.integration_id, status: row.status, acceptedAt: row.accepted_at };
}

/** Feeds of which something may come. */
export async function readOpenFeeds(rows: Rows, homes: Homes): Promise<{ accountRegNo: string; family: string }[]> {
  const open = rows.selectFrom('deliveries').select(['account_reg_no', 'family']).where('open', '=', 1).where(ofAccountAmong(homes));
  const found = await open.distinct().execute();
  return found.map((row) => ({ accountRegNo: row.account_reg_no, family: row.family }));
}

const newStatus = preparedChange((rows: Rows, slot) =>
  rows
    .updateTable('deliveries')
    .set({ status: slot<string>('status'), open: slot<number>('open') })
    .where('item', '=', slot<string>('item')),
);

export async function putDeliveryStatus(rows: Rows, item: string, status: string, open: boolean): Promise<void> {
  await newStatus(rows, { item, status, open: Number(open) });
}

/** Follows again the item that was sent last under an integrationId, as if nothing had been reported of it. */
export async function reopenDelivery(rows: Rows, accountRegNo: string, integrationId: string): Promise<void> {
  await rows
    .updateTable('deliveries')
    .set({ status: '', open: 1 })
    .where('item', 'in', (query) =>
      query
        .selectFrom('deliveries')
        .select('item')
        .where('account_reg_no', '=', accountRegNo)
        .where('integration_id', '=', integrationId)
        .orderBy('accepted_at', 'desc')
        .limit(1),
    )
    .execute();
}

/** Items that were accepted before `beforeMs` are followed no more. */
export async function closeOldDeliveries(rows: Rows, { accountRegNo, family }: Feed, beforeMs: number): Promise<void> {
  await rows
    .updateTable('deliveries')
    .set({ open: 0 })
    .where('open', '=', 1)
    .where('account_reg_no', '=', accountRegNo)
    .where('family', '=', family)
    .where('accepted_at', '<', beforeMs)
    .execute();
}
