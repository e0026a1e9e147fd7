// Documents that an operator wants in the outbox once more. A command writes the row; the gateway publishes, and deletes it in the same commit.
import { sql } from 'kysely';
import { isFamilyName } from '#domain/family.ts';
import { prepared } from '#engines/prepared.ts';
import type { Feed } from '#gateway/model/feed.ts';
import type { Rows } from './schema.ts';

export interface Redelivery extends Feed {
  readonly integrationId: string;
}

/** Asking twice, before it was done, is asking once. */
export async function insertRedelivery(rows: Rows, { accountRegNo, family, integrationId }: Redelivery, nowMs: number): Promise<void> {
  await rows
    .insertInto('redeliveries')
    .values({ account_reg_no: accountRegNo, family, integration_id: integrationId, asked_at: nowMs })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

const redeliveriesOfFeed = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('redeliveries')
    .select('integration_id')
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('family', '=', slot<string>('family'))
    .orderBy('asked_at'),
);

/** Those of a feed, in the order in which they were asked for. */
export async function readRedeliveries(rows: Rows, { accountRegNo, family }: Feed): Promise<Redelivery[]> {
  const found = await redeliveriesOfFeed(rows, { accountRegNo, family });
  return found.map((row) => ({ accountRegNo, family, integrationId: row.integration_id }));
}

/** All of an account, in the same order. */
export function readRedeliveriesOf(rows: Rows, accountRegNo: string) {
  return rows
    .selectFrom('redeliveries')
    .select(['family', 'integration_id as integrationId', 'asked_at as askedAt'])
    .where('account_reg_no', '=', accountRegNo)
    .orderBy('asked_at')
    .execute();
}

/** Two documents, at the most, that the service has for an account here and whose id is this or ends so. */
export async function findReceived(rows: Rows, idOrEnd: string): Promise<Redelivery[]> {
  const found = await rows
    .selectFrom('documents')
    .select(['account_reg_no', 'family', 'integration_id'])
    .where(sql`substr(integration_id, length(integration_id) - ${idOrEnd.length - 1})`, '=', idOrEnd)
    .limit(2)
    .execute();
  return found.flatMap(({ account_reg_no, family, integration_id }) =>
    isFamilyName(family) ? [{ accountRegNo: account_reg_no, family, integrationId: integration_id }] : [],
  );
}

/** False when it was done, or taken back, before. */
export async function deleteRedelivery(rows: Rows, { accountRegNo, integrationId }: Redelivery): Promise<boolean> {
  const { numDeletedRows } = await rows
    .deleteFrom('redeliveries')
    .where('account_reg_no', '=', accountRegNo)
    .where('integration_id', '=', integrationId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
