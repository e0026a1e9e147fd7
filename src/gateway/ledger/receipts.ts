// What stands in the ledger for commands and restores: rings from other processes, and the stamp that tells a restored backup.
import type { Generated, Kysely } from 'kysely';

export interface ReceiptTables {
  /** What a command in another process has changed, for the daemon to look at; it takes the rows away. */
  rings: { ring: Generated<number>; topic: string; id: string };
  /** One row: the stamp that lies beside the spool, and while a new one is being put there, the one before it. */
  epochs: { name: string; stamp: string; before: string | null };
}

export async function addReceipts(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('rings')
    .addColumn('ring', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .execute();
  await schema
    .createTable('epochs')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('stamp', 'text', (column) => column.notNull())
    .addColumn('before', 'text')
    .execute();
  await schema.alterTable('items').addColumn('ended_at', 'integer').execute();
  await schema.alterTable('items').addColumn('resends', 'text').execute();
}
