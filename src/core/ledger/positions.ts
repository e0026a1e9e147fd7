// Migrations of the core's ledger: each message gets its place in its list, so that a page is found without walking to it; and indexes that
// are not needed since.
import { type Kysely, sql } from 'kysely';

const LIST = ['account_reg_no', 'direction', 'family'] as const;

/** The third migration. */
export async function addPositions(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const messages = schema.alterTable('messages');
  await messages.addColumn('position', 'integer', (column) => column.notNull().defaultTo(0)).execute();
  await messages.addColumn('updated_later', 'integer', (column) => column.notNull().defaultTo(0)).execute();
  await sql`
    update messages set position = ranked.place
    from (
      select sequence, row_number() over (partition by account_reg_no, direction, family order by created_at, sequence) as place
      from messages
    ) as ranked
    where ranked.sequence = messages.sequence`.execute(database);
  await sql`update messages set updated_at = created_at where updated_at < created_at`.execute(database);
  await sql`update messages set updated_later = 1 where updated_at - updated_at % 86400000 > created_at`.execute(database);

  await schema.dropIndex('messages_newest').execute();
  await schema.dropIndex('messages_unread').execute();
  await schema
    .createIndex('messages_position')
    .unique()
    .on('messages')
    .columns([...LIST, 'position'])
    .execute();
  // From a day to the positions of what was created on it.
  await schema
    .createIndex('messages_created')
    .on('messages')
    .columns([...LIST, 'created_at', 'position'])
    .execute();
  await schema
    .createIndex('messages_document')
    .on('messages')
    .columns([...LIST, 'document_id', 'position'])
    .execute();
  // The read endpoints are polled: what is unread is found without walking over what was read, and the other way round.
  await sql`create index messages_unread on messages (account_reg_no, direction, family, position) where read_at is null`.execute(database);
  await sql`create index messages_read on messages (account_reg_no, direction, family, position) where read_at is not null`.execute(
    database,
  );
  // `updated_later` is a column of it, though always 1, so that SQLite prefers it to messages_position.
  await sql`create index messages_updated_later on messages (account_reg_no, direction, family, updated_later, position, updated_at) where updated_later = 1`.execute(
    database,
  );
}

/**
 * The ninth migration: a document is found by the constraint that makes it unique, and the few of one number are sorted. An index less is a
 * page less that each message changes.
 */
export async function dropDocumentIndex(database: Kysely<unknown>): Promise<void> {
  await database.schema.dropIndex('messages_document').execute();
}

/** The tenth migration: a day is found among the positions by halving, and nobody asks for the log of one message. */
export async function dropDaysAndLogIndex({ schema }: Kysely<unknown>): Promise<void> {
  await schema.dropIndex('messages_created').execute();
  await schema.dropIndex('message_log_of').execute();
}
