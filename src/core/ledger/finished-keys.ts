// The seventh migration of the core's ledger: of idempotency keys only the finished ones are rows; those in flight end with the process
// that works on them, and are kept by it.
import { type Kysely, sql } from 'kysely';

export async function keepFinishedKeys(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const text = 'text' as const;
  await schema.alterTable('idempotency_keys').renameTo('idempotency_keys_before').execute();
  await schema
    .createTable('idempotency_keys')
    .addColumn('account_reg_no', text, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('fingerprint', text, (column) => column.notNull())
    .addColumn('started_at', 'integer', (column) => column.notNull())
    .addColumn('content_type', text, (column) => column.notNull())
    .addColumn('integration_id', text, (column) => column.notNull())
    .addColumn('response', 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_keys_key', ['account_reg_no', 'key'])
    .execute();
  await sql`
    insert into idempotency_keys (account_reg_no, key, path, fingerprint, started_at, content_type, integration_id, response)
    select account_reg_no, key, path, fingerprint, started_at, content_type, integration_id, response
    from idempotency_keys_before
    where finished_at is not null`.execute(database);
  await schema.dropTable('idempotency_keys_before').execute();
}
