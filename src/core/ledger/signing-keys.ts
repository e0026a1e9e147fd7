// Rows about the keys that sign tokens.
import type { Selectable } from 'kysely';
import type { Rows, Tables } from './schema.ts';
export type SigningKeyRow = Readonly<Selectable<Tables['signing_keys']>>;

/** The key that signs now. */
export async function findCurrentKey(rows: Rows): Promise<SigningKeyRow | undefined> {
  return rows.selectFrom('signing_keys').selectAll().where('retired_at', 'is', null).executeTakeFirst();
}

/** The keys that tokens may still be signed with: the current one, and those that were retired after `retiredAfterMs`. */
export async function selectPublishedKeys(rows: Rows, retiredAfterMs: number): Promise<Pick<SigningKeyRow, 'kid' | 'x'>[]> {
  return rows
    .selectFrom('signing_keys')
    .select(['kid', 'x'])
    .where((or) => or.or([or('retired_at', 'is', null), or('retired_at', '>', retiredAfterMs)]))
    .orderBy('created_at', 'desc')
    .execute();
}

/** Puts a key in the place of the current one, and forgets those that were retired before `forgottenBeforeMs`. */
export async function replaceCurrentKey(
  rows: Rows,
  next: Omit<SigningKeyRow, 'retired_at'>,
  nowMs: number,
  forgottenBeforeMs: number,
): Promise<void> {
  await rows.deleteFrom('signing_keys').where('retired_at', '<=', forgottenBeforeMs).execute();
  await rows.updateTable('signing_keys').set({ retired_at: nowMs }).where('retired_at', 'is', null).execute();
  await rows
    .insertInto('signing_keys')
    .values({ ...next, retired_at: null })
    .execute();
}
