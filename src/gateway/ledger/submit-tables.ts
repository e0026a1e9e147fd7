// What submitting keeps beside items and attempts: what waits for what, and since when, by which a clock that was put back is noticed.
import type { Generated, Kysely } from 'kysely';

export interface SubmitColumns {
  /** The item that it waits for; null when it waits for a time only. */
  waits_for: Generated<string | null>;
  /** When it was told to wait. */
  waits_since: Generated<number>;
}

export async function addSubmitting(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema.alterTable('items').addColumn('waits_for', 'text').execute();
  await schema
    .alterTable('items')
    .addColumn('waits_since', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.createIndex('items_waits_for').on('items').column('waits_for').execute();
  await schema
    .alterTable('pauses')
    .addColumn('since', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await schema.alterTable('accounts').addColumn('validate', 'text').execute();
}
