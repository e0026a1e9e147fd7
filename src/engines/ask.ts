// Asks a database whether it answers.
import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Resolves when it answers. */
export async function askDatabase<Tables>(database: Pick<Database<Tables>, 'read'>): Promise<void> {
  await sql`select 1`.execute(database.read);
}
