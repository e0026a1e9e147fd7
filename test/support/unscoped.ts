// A defect of ledgers on PostgreSQL that a test must find: no write has its scopes.
import type { Database } from '#engines/database.ts';

let isSeeded = false;

/** In ledgers that are opened from now on, until it is disposed of. */
export function loseScopes(): Disposable {
  isSeeded = true;
  return {
    [Symbol.dispose]() {
      isSeeded = false;
    },
  };
}

export function perhapsUnscoped<Tables>(database: Database<Tables>): Database<Tables> {
  if (!isSeeded) return database;
  const write = database.write.bind(database);
  database.write = (_scopes, work, when) => write([], work, when);
  return database;
}
