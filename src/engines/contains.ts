// Searches that find the same on every engine, a to z in either case.
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';

/** Whether the text of a column contains another; of all other characters each stands for itself. */
export function contains(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return sql`lower(${column}) like ${`%${lowered(text).replaceAll(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
}

/** Whether one of the columns contains it; letters beyond a to z as they stand there, or all of them in the same case. */
export function mention(text: string, ...columns: readonly Expression<string | null>[]): RawBuilder<SqlBool> {
  const spellings = new Set([text, text.toLowerCase(), text.toUpperCase()].map(lowered));
  const each = columns.flatMap((column) => [...spellings].map((spelling) => contains(column, spelling)));
  return sql`(${sql.join(each, sql` or `)})`;
}

/** Whether it begins with another: as a range, for which an index on `lower(column)` is used. */
export function beginsWith(column: Expression<string | null>, text: string): RawBuilder<SqlBool> {
  return inRange(sql`lower(${column})`, lowered(text));
}

/** Whether an expression begins with a text, in the case that it has. */
export function inRange(expression: Expression<string | null>, start: string): RawBuilder<SqlBool> {
  return sql`(${expression} >= ${start} and ${expression} < ${`${start}${LAST}`})`;
}

/** No text has a character behind it. */
const LAST = '\u{10ffff}';

/** Lowered here: a value has the order of its database, not that of the column, by which PostgreSQL would lower an Ä, too. */
function lowered(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}
