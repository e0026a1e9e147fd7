// What a copy asks of an engine beside rows: how far it has numbered those of a table, for no number is given twice, also when its row has gone; and what it
// does when many rows came at once.
import type { Kysely } from 'kysely';
import type { Schema, TablesOf } from './schema.ts';

export interface Copying {
  /** 0 when there was no row yet. */
  lastKey(rows: Kysely<TablesOf<Schema>>, table: string, key: string): Promise<number>;
  /** The next number is the one after `last`. */
  goOn(rows: Kysely<TablesOf<Schema>>, table: string, key: string, last: number): Promise<void>;
  /** Many rows came at once: what its plans go by is made anew. */
  filled(rows: Kysely<TablesOf<Schema>>, table: string): Promise<void>;
}
