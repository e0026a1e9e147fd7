// The last number that a table of PostgreSQL has given to a row.
import { sql } from 'kysely';
import type { KeyCounter } from '#engines/key-counter.ts';

const sequence = (table: string, key: string) => sql`pg_get_serial_sequence(${table}, ${key})::regclass`;

export const postgresCounter: KeyCounter = {
  async last(rows, table, key) {
    const found = await sql<{ last: number | null }>`select pg_sequence_last_value(${sequence(table, key)}) as last`.execute(rows);
    return found.rows[0]?.last ?? 0;
  },
  async goOn(rows, table, key, last) {
    await sql`select setval(${sequence(table, key)}, ${last})`.execute(rows);
  },
};
