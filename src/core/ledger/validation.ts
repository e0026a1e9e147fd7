// The fifth migration of the core's ledger: how strictly an account's documents are judged.
import { type Kysely, sql } from 'kysely';
import { STRICT } from '#domain/validation.ts';

export async function addValidation(database: Kysely<unknown>): Promise<void> {
  const accounts = database.schema.alterTable('accounts');
  const text = 'text' as const;
  await accounts.addColumn('validation_severity', text, (column) => column.notNull().defaultTo(sql.lit(STRICT.severity))).execute();
  await accounts.addColumn('validation_profiles', text, (column) => column.notNull().defaultTo(sql.lit(STRICT.profiles))).execute();
}
