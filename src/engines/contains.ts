// A search that finds the same on every engine.
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';

/** Whether the text of a column contains another, a to z in either case; of all other characters each stands for itself. */
export function contains(column: Expression<string>, text: string): RawBuilder<SqlBool> {
  // Lowered here: a value has the order of its database, not that of the column, by which PostgreSQL would lower an Ä, too.
  const lowered = text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  return sql`lower(${column}) like ${`%${lowered.replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
}
