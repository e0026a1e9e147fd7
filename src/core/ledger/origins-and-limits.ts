// Migrations of the core's ledger: who put an incoming message where it is, the ids of keys, and what a partner may have at the most.
import { type Kysely, sql } from 'kysely';

/** Earlier messages count as the account's that has the sender's address today; if no account has it, as the network's. */
export async function addOrigins(database: Kysely<unknown>): Promise<void> {
  await database.schema.alterTable('messages').addColumn('origin', 'text').execute();
  await sql`
    update messages set origin = (select account_reg_no from participants where participant = messages.sender)
    where direction = 'incoming'`.execute(database);
}

/** An id is random, so that a restored ledger never gives it to another key. */
export async function addKeyIds(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  // A column that is added may not be 'not null' where there are rows.
  await schema.alterTable('api_keys').addColumn('key_id', 'text').execute();
  await sql`update api_keys set key_id = lower(hex(randomblob(16)))`.execute(database);
  await schema.createIndex('api_keys_id').unique().on('api_keys').columns(['key_id']).execute();
}

export async function addPartnerLimits(database: Kysely<unknown>): Promise<void> {
  const partners = database.schema.alterTable('partners');
  await partners.addColumn('requests_max', 'integer').execute();
  await partners.addColumn('children_max', 'integer').execute();
}
