// What polling added to the ledger after its first version: reconciles, documents that are stuck or wanted again, rules of accounts, and rounds.
import type { Kysely } from 'kysely';
import { addStuck, type StuckTables } from './quarantine.ts';
import { addRedeliveries, type RedeliveryTables } from './redeliveries.ts';
import { addReconciles, ROUND_FIRST, type SweepTables } from './sweeps.ts';

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

/** What was met before there were rounds stands where it stood. */
export async function addRounds({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('sweeps')
    .addColumn('round', 'integer', (c) => c.notNull().defaultTo(ROUND_FIRST))
    .execute();
  await schema
    .alterTable('documents')
    .addColumn('moved_in', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}
