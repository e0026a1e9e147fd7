// What a copy asks of PostgreSQL beside rows.
import { sql } from 'kysely';
import type { Copying } from '#engines/copying.ts';

const sequence = (table: string, key: string) => sql`pg_get_serial_sequence(${table}, ${key})::regclass`;

export const postgresCopying: Copying = {
  async lastKey(rows, table, key) {
    const found = await sql<{ last: number | null }>`select pg_sequence_last_value(${sequence(table, key)}) as last`.execute(rows);
    return found.rows[0]?.last ?? 0;
  },
  async goOn(rows, table, key, last) {
    await sql`select setval(${sequence(table, key)}, ${last})`.execute(rows);
  },
  async filled(rows, table) {
    await sql`analyze ${sql.table(table)}`.execute(rows);
  },
};
