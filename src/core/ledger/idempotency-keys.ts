// Rows about idempotency keys: in flight (a lease), finished (the response to replay), or not there.
import type { Selectable } from 'kysely';
import { prepared } from '#engines/prepared.ts';
import type { Rows, Tables } from './schema.ts';

export type KeyRow = Readonly<Selectable<Tables['idempotency_keys']>>;

const keyOfAccount = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('key', '=', slot<string>('key')),
);

export async function findIdempotencyKey(rows: Rows, accountRegNo: string, key: string): Promise<KeyRow | undefined> {
  const [row] = await keyOfAccount(rows, { accountRegNo, key });
  return row;
}

export type InFlight = Pick<KeyRow, 'account_reg_no' | 'key' | 'path' | 'fingerprint' | 'owner' | 'started_at' | 'lease_until'>;

const inFlight = prepared((rows: Rows, slot) => {
  const renewed = {
    path: slot<string>('path'),
    fingerprint: slot<string>('fingerprint'),
    owner: slot<string>('owner'),
    started_at: slot<number>('started_at'),
    lease_until: slot<number>('lease_until'),
    finished_at: null,
    content_type: null,
    integration_id: null,
    response: null,
  };
  return rows
    .insertInto('idempotency_keys')
    .values({ account_reg_no: slot<string>('account_reg_no'), key: slot<string>('key'), ...renewed })
    .onConflict((conflict) => conflict.columns(['account_reg_no', 'key']).doUpdateSet(renewed));
});

/** Puts the key in flight, in place of whatever row it had. */
export async function putInFlight(rows: Rows, row: InFlight): Promise<void> {
  await inFlight(rows, { ...row });
}

const finishedKey = prepared((rows: Rows, slot) =>
  rows
    .updateTable('idempotency_keys')
    .set({
      finished_at: slot<number>('at'),
      content_type: slot<string>('contentType'),
      integration_id: slot<string>('integrationId'),
      response: slot<Uint8Array>('response'),
    })
    .where('account_reg_no', '=', slot<string>('account_reg_no'))
    .where('key', '=', slot<string>('key'))
    .where('owner', '=', slot<string>('owner'))
    .where('finished_at', 'is', null)
    .returning('key'),
);

/** Keeps the response to replay; false when the key is no longer the owner's. */
export async function finishIdempotencyKey(
  rows: Rows,
  owned: Pick<KeyRow, 'account_reg_no' | 'key' | 'owner'>,
  finished: { at: number; contentType: string; integrationId: string; response: Uint8Array },
): Promise<boolean> {
  return (await finishedKey(rows, { ...owned, ...finished })).length > 0;
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
