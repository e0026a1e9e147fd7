// Indexes of items and documents that hold only the rows which are looked for by them: what is in none is not written there, and what ends
// only leaves. What they hold is told by nulls: where an index is for one state, SQLite plans each query for a state that is a bound value
// anew at each run, which takes longer than the query.
import { type Kysely, sql } from 'kysely';

export async function narrowIndexes(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  for (const index of ['items_lane', 'items_document', 'items_waits_for', 'documents_unmarked']) await schema.dropIndex(index).execute();
  // Items that others may have to wait for.
  await sql`create index items_lane on items (account_reg_no, sender, receiver, item) where ended_at is null and sender is not null`.execute(
    database,
  );
  // Few items have the same document, so their states are looked up: an item need not be moved when it ends.
  await sql`create index items_document on items (account_reg_no, family, document_id, item) where document_id is not null`.execute(
    database,
  );
  await sql`create index items_waits_for on items (waits_for) where waits_for is not null`.execute(database);
  await sql`create index documents_unmarked on documents (account_reg_no, family) where marked_at is null`.execute(database);
}
