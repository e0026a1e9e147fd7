// The second migration of the core's ledger: signing keys, and what an account may do and is told to be.
import { type Kysely, sql } from 'kysely';

export async function addTokensAndFeatures(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('signing_keys')
    .addColumn('kid', 'text', (column) => column.primaryKey())
    .addColumn('x', 'text', (column) => column.notNull())
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('retired_at', 'integer')
    .execute();
  const accounts = schema.alterTable('accounts');
  await accounts.addColumn('sftp_integration', 'integer', (column) => column.notNull().defaultTo(1)).execute();
  await accounts.addColumn('capture', 'integer', (column) => column.notNull().defaultTo(0)).execute();
  await accounts.addColumn('requests_max', 'integer').execute();
  await accounts.addColumn('profile', 'text', (column) => column.notNull().defaultTo(sql.lit('{}'))).execute();
  // A partner's children, and a child's partners.
  await schema.createIndex('partner_links_of').on('partner_links').columns(['account_reg_no']).execute();
}
