// The last number that a table of SQLite has given to a row.
import { sql } from 'kysely';
import type { KeyCounter } from '#engines/key-counter.ts';

export const sqliteCounter: KeyCounter = {
  async last(rows, table) {
    const found = await sql<{ seq: number }>`select seq from sqlite_sequence where name = ${table}`.execute(rows);
    return found.rows[0]?.seq ?? 0;
  },
  async goOn(rows, table, _key, last) {
    await sql`delete from sqlite_sequence where name = ${table}`.execute(rows);
    await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(rows);
  },
};
