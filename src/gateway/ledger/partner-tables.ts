// The tables of partners: which there are, whose senders the accounts are, and what other tables had to learn for them.
import { type Kysely, sql } from 'kysely';

export interface PartnerTables {
  partners: {
    partner_reg_no: string;
    /** The partner's API key at the service, sealed by the key file. */
    service_key: Uint8Array;
    /** 1: one home for all its children. */
    consolidated: number;
    /** The login that sees its children's folders, or its one home. */
    login: string | null;
    created_at: number;
  };
  /** Whose documents are sent from which address: as far as an administrator, or the core beside us, has said. */
  participants: { participant: string; account_reg_no: string };
}

export async function addPartners(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('partners')
    .addColumn('partner_reg_no', 'text', (c) => c.primaryKey())
    .addColumn('service_key', 'blob', (c) => c.notNull())
    .addColumn('consolidated', 'integer', (c) => c.notNull())
    .addColumn('login', 'text')
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .execute();
  await schema
    .createTable('participants')
    .addColumn('participant', 'text', (c) => c.primaryKey())
    .addColumn('account_reg_no', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('participants_account').on('participants').columns(['account_reg_no']).execute();
  await letAccountsDoWithoutKeys(database);
  await nameHomes(database);
}

/** A column that may be null from now on: SQLite changes none, so the table is made anew. */
async function letAccountsDoWithoutKeys(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('accounts_new')
    .addColumn('account_reg_no', 'text', (c) => c.primaryKey())
    .addColumn('service_key', 'blob')
    .addColumn('partner_reg_no', 'text')
    .addColumn('home', 'text', (c) => c.notNull())
    .addColumn('receipts', 'text')
    .addColumn('disabled_at', 'integer')
    .addColumn('unlinked_at', 'integer')
    .addColumn('created_at', 'integer', (c) => c.notNull())
    .addColumn('hints', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`insert into accounts_new (account_reg_no, service_key, home, receipts, disabled_at, created_at, hints)
    select account_reg_no, service_key, account_reg_no, receipts, disabled_at, created_at, hints from accounts`.execute(database);
  await schema.dropTable('accounts').execute();
  await schema.alterTable('accounts_new').renameTo('accounts').execute();
}

/** Files lie in homes; until now each account had one of its own. */
async function nameHomes(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema.alterTable('login_homes').renameColumn('account_reg_no', 'home').execute();
  // ASCII, as names of folders are (domain/account.ts), so that lower() knows every letter.
  await sql`create unique index login_homes_folder on login_homes (login, lower(folder))`.execute(database);

  await schema
    .alterTable('items')
    .addColumn('home', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await sql`update items set home = account_reg_no`.execute(database);

  await schema
    .createTable('publications_new')
    .addColumn('publication', 'integer', (c) => c.primaryKey().autoIncrement())
    .addColumn('account_reg_no', 'text', (c) => c.notNull())
    .addColumn('home', 'text', (c) => c.notNull())
    .addColumn('folder', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('staged', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('stage', 'text', (c) => c.notNull())
    .addColumn('written_at', 'integer')
    .addUniqueConstraint('publications_home_name', ['home', 'folder', 'name'])
    .addUniqueConstraint('publications_home_subject', ['account_reg_no', 'subject', 'folder', 'stage'])
    .execute();
  await sql`insert into publications_new (publication, account_reg_no, home, folder, name, staged, subject, stage, written_at)
    select publication, account_reg_no, account_reg_no, folder, name, staged, subject, stage, written_at from publications`.execute(
    database,
  );
  await schema.dropTable('publications').execute();
  await schema.alterTable('publications_new').renameTo('publications').execute();
  await schema.createIndex('publications_owed').on('publications').columns(['written_at', 'publication']).execute();
}
