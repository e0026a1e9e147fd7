// How far a database has numbered the rows of a table: no number is given twice, also when its row has gone.
import type { Kysely } from 'kysely';
import type { Schema, TablesOf } from './schema.ts';

export interface KeyCounter {
  /** 0 when there was no row yet. */
  last(rows: Kysely<TablesOf<Schema>>, table: string, key: string): Promise<number>;
  /** The next number is the one after `last`. */
  goOn(rows: Kysely<TablesOf<Schema>>, table: string, key: string, last: number): Promise<void>;
}
