// Rows about finished idempotency keys: the responses to replay.
import type { Selectable } from 'kysely';
import { prepared, preparedChange } from '#engines/prepared.ts';
import type { Rows, Tables } from './schema.ts';

export type KeyRow = Readonly<Selectable<Tables['idempotency_keys']>>;

const keyOfAccount = prepared((rows: Rows, slot) =>
  rows
    .selectFrom('idempotency_keys')
    .selectAll()
    .where('account_reg_no', '=', slot<string>('accountRegNo'))
    .where('key', '=', slot<string>('key'))
    .where('started_at', '>', slot<number>('afterMs')),
);

/** The key, unless it began at `afterMs` or before. */
export async function findIdempotencyKey(rows: Rows, accountRegNo: string, key: string, afterMs: number): Promise<KeyRow | undefined> {
  const [row] = await keyOfAccount(rows, { accountRegNo, key, afterMs });
  return row;
}

const finishedKey = preparedChange((rows: Rows, slot) => {
  const use = {
    path: slot<string>('path'),
    fingerprint: slot<string>('fingerprint'),
    started_at: slot<number>('started_at'),
    content_type: slot<string>('content_type'),
    integration_id: slot<string>('integration_id'),
    response: slot<Uint8Array>('response'),
  };
  return rows
    .insertInto('idempotency_keys')
    .values({ account_reg_no: slot<string>('account_reg_no'), key: slot<string>('key'), ...use })
    .onConflict((conflict) =>
      conflict.columns(['account_reg_no', 'key']).doUpdateSet(use).where('idempotency_keys.started_at', '<=', slot<number>('forgottenMs')),
    );
});

/** Keeps the response to replay, in place of one that began at `forgottenMs` or before; false when there is a younger one. */
export async function putFinishedKey(rows: Rows, row: KeyRow, forgottenMs: number): Promise<boolean> {
  return (await finishedKey(rows, { ...row, forgottenMs })) > 0;
}

/** Forgets the keys that began at `atMs` or before. */
export async function forgetIdempotencyKeys(rows: Rows, atMs: number): Promise<void> {
  await rows.deleteFrom('idempotency_keys').where('started_at', '<=', atMs).execute();
}
