// Rows about idempotency keys: in flight (a lease), finished (the response to replay), or not there.
import type { Selectable } from 'kysely';
import type { Rows, Tables } from './schema.ts';
export type KeyRow = Readonly<Selectable<Tables['idempotency_keys']>>;

export async function findIdempotencyKey(rows: Rows, accountRegNo: string, key: string): Promise<KeyRow | undefined> {
  return rows
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('account_reg_no', '=', accountRegNo)
    .where('key', '=', key)
    .executeTakeFirst();
}

/** Puts the key in flight, in place of whatever row it had. */
export async function putInFlight(
  rows: Rows,
  row: Pick<KeyRow, 'account_reg_no' | 'key' | 'path' | 'fingerprint' | 'owner' | 'started_at' | 'lease_until'>,
): Promise<void> {
  await removeIdempotencyKey(rows, row.account_reg_no, row.key);
  await rows
    .insertInto('idempotency_keys')
    .values({ ...row, finished_at: null, content_type: null, integration_id: null, response: null })
    .execute();
}

/** Keeps the response to replay; false when the key is no longer the owner's. */
export async function finishIdempotencyKey(
  rows: Rows,
  owned: Pick<KeyRow, 'account_reg_no' | 'key' | 'owner'>,
  finished: { at: number; contentType: string; integrationId: string; response: Uint8Array },
): Promise<boolean> {
  const { numUpdatedRows } = await rows
    .updateTable('idempotency_keys')
    .set({
      finished_at: finished.at,
      content_type: finished.contentType,
      integration_id: finished.integrationId,
      response: finished.response,
    })
    .where('account_reg_no', '=', owned.account_reg_no)
    .where('key', '=', owned.key)
    .where('owner', '=', owned.owner)
    .where('finished_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Releases a key that its owner could not finish. */
export async function releaseIdempotencyKey(rows: Rows, owned: Pick<KeyRow, 'account_reg_no' | 'key' | 'owner'>): Promise<void> {
  await rows
    .deleteFrom('idempotency_keys')
    .where('account_reg_no', '=', owned.account_reg_no)
    .where('key', '=', owned.key)
    .where('owner', '=', owned.owner)
    .where('finished_at', 'is', null)
    .execute();
}

/** Releases whatever was in flight when the process that worked on it ended. */
export async function releaseAllInFlight(rows: Rows): Promise<void> {
  await rows.deleteFrom('idempotency_keys').where('finished_at', 'is', null).execute();
}

/** Forgets the keys that began before `beforeMs`. */
export async function forgetIdempotencyKeys(rows: Rows, beforeMs: number): Promise<void> {
  await rows.deleteFrom('idempotency_keys').where('started_at', '<', beforeMs).execute();
}

async function removeIdempotencyKey(rows: Rows, accountRegNo: string, key: string): Promise<void> {
  await rows.deleteFrom('idempotency_keys').where('account_reg_no', '=', accountRegNo).where('key', '=', key).execute();
}
