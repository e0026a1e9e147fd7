// A migration of the gateway's ledger: whether its secrets are bound to their rows.
import { type Kysely, sql } from 'kysely';

export interface SealingTable {
  /** One row: 0 until the secrets of an earlier version are bound to their rows. */
  sealing: { bound: number };
}

/** A ledger without secrets need not be looked at. */
export async function addSealing(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('sealing')
    .addColumn('bound', 'integer', (column) => column.notNull())
    .execute();
  await sql`
    insert into sealing (bound) select case when
      exists (select 1 from accounts where service_key is not null) or exists (select 1 from partners)
    then 0 else 1 end`.execute(database);
}
