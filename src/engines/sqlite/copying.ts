// What a copy asks of SQLite beside rows.
import { sql } from 'kysely';
import type { Copying } from '#engines/copying.ts';

export const sqliteCopying: Copying = {
  async lastKey(rows, table) {
    const found = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`.execute(rows);
    return found.rows[0]?.seq ?? 0;
  },
  async goOn(rows, table, _key, last) {
    await sql`delete from sqlite_sequence where name = ${table}`.execute(rows);
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(rows);
  },
  /** Its plans go by the indexes alone. */
  async filled() {},
};
