// The migration of both ledgers that tells whether their secrets are bound to their rows.
import { type Kysely, type RawBuilder, sql } from 'kysely';

export interface SealingTable {
  /** One row: 0 until the secrets of an earlier version are bound to their rows. */
  sealing: { bound: number };
}

/** `hasSecrets` is an SQL condition: a ledger without secrets need not be looked at. */
export async function addSealing(database: Kysely<unknown>, hasSecrets: RawBuilder<unknown>): Promise<void> {
  await database.schema
    .createTable('sealing')
    .addColumn('bound', 'integer', (column) => column.notNull())
    .execute();
  await sql`insert into sealing (bound) select case when ${hasSecrets} then 0 else 1 end`.execute(database);
}
