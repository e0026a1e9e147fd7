// What polling added to the ledger after its first version: reconciles, documents that are stuck or wanted again, and rules of accounts.
import type { Kysely } from 'kysely';
import { addRedeliveries, type RedeliveryTables } from './redeliveries.ts';
import { addStuck, type StuckTables } from './stuck.ts';
import { addReconciles, type SweepTables } from './sweeps.ts';

export interface PollTables extends SweepTables, StuckTables, RedeliveryTables {}

export async function addPolling(database: Kysely<unknown>): Promise<void> {
  await addReconciles(database);
  await addStuck(database);
  await addRedeliveries(database);
  await database.schema
    .alterTable('accounts')
    .addColumn('receiving', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute();
}
