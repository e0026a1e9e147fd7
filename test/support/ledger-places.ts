// Where ledgers of tests are in PostgreSQL, by the file that each would be on SQLite.
import { hash } from 'node:crypto';
import type { PostgresPlace } from '#engines/postgres/place.ts';

const places = new Map<string, PostgresPlace>();

export function keepPlace(file: string, place: PostgresPlace): PostgresPlace {
  places.set(file, place);
  return place;
}

/** Undefined for a ledger that nobody has opened, or that is a file. */
export function placeOf(file: string): PostgresPlace | undefined {
  return places.get(file);
}

/** Of a ledger's own, in a database with others. */
export function schemaOf(file: string): string {
  return `l_${hash('sha256', file).slice(0, 32)}`;
}
